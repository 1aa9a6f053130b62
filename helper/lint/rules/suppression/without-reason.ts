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
 * ## Fix safety
 * A suggestion: ` -- ` before what stands behind the rules. Where nothing does there is none.
 *
 * ## What it cannot see
 * Whether the reason is a good one.
 */
import { cFamily, defineStageRule, type Edit } from '../rule';

interface Data {
  readonly ids: readonly string[];
  /** Where what may be the reason stands without its mark. */
  readonly edit: Edit | undefined;
}

export const rule = defineStageRule<Data>({
  meta: {
    id: 'suppression/without-reason',
    summary: 'A suppression comment gives no reason.',
    severity: 'warning',
    tier: 'A',
    precision: 'certain',
    fix: 'suggestion',
    languages: [...cFamily, 'objc', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'the text itself',
  },

  message({ ids, edit }) {
    if (edit) return `The suppression of ${ids.join(', ')} gives its reason without " -- " before it. Write it, so that no word is taken for a rule.`;
    return `The suppression of ${ids.join(', ')} gives no reason. Write behind " -- " why the code is right here.`;
  },

  fix({ data: { edit } }) {
    return edit && { title: 'Put " -- " before the reason', edits: [edit] };
  },
});
