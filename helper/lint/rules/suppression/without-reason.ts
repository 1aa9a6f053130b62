/**
 * # suppression/without-reason
 *
 * ## What it does
 * Reports a suppression comment without a reason behind ` -- `. A text in angle brackets is a place-holder, no reason.
 *
 * ## Why is this bad
 * The next reader cannot tell an examined exception from a silenced fault, and nobody dares to remove either.
 *
 * ## Example
 * ```cpp
 * #include <cuda.h>
 * #include <unistd.h>
 * void import_memory(CUexternalMemory* memory, int fd) {
 *     CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {};
 *     desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
 *     desc.handle.fd = fd;
 *     cuImportExternalMemory(memory, &desc);
 *     close(fd);  // seamscope-disable-line fd/use-after-transfer
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda.h>
 * #include <unistd.h>
 * void import_memory(CUexternalMemory* memory, int fd) {
 *     CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {};
 *     desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
 *     desc.handle.fd = fd;
 *     cuImportExternalMemory(memory, &desc);
 *     close(fd);  // seamscope-disable-line fd/use-after-transfer -- the stand-in driver of this test duplicates
 * }
 * ```
 *
 * ## What it cannot see
 * Whether the reason is a good one.
 */
import { cFamily, defineStageRule } from '../rule';

export const rule = defineStageRule<{ readonly ids: readonly string[] }>({
  meta: {
    id: 'suppression/without-reason',
    summary: 'A suppression comment gives no reason.',
    severity: 'warning',
    tier: 'A',
    precision: 'certain',
    fix: 'none',
    languages: [...cFamily, 'objc', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'the text itself',
  },

  message({ ids }) {
    return `The suppression of ${ids.join(', ')} gives no reason. Write behind " -- " why the code is right here.`;
  },
});
