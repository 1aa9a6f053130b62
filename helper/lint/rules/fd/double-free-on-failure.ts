/**
 * # fd/double-free-on-failure
 *
 * ## What it does
 * Reports an error path that releases what the function that failed has released already.
 *
 * ## Why is this bad
 * Two closes of one descriptor close somebody else's; two destroys of one handle corrupt the driver's tables. It shows only when
 * something fails, and then far from here.
 *
 * ## Example
 * ```cpp
 * #include <cuda.h>
 * #include <unistd.h>
 * static bool import_memory(CUexternalMemory* memory, int fd, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* desc) {
 *     if (cuImportExternalMemory(memory, desc) != CUDA_SUCCESS) {
 *         close(fd);
 *         return false;
 *     }
 *     return true;
 * }
 * bool open_frame(CUexternalMemory* memory, int fd, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* desc) {
 *     if (!import_memory(memory, fd, desc)) {
 *         close(fd);
 *         return false;
 *     }
 *     return true;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda.h>
 * #include <unistd.h>
 * static bool import_memory(CUexternalMemory* memory, int fd, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* desc) {
 *     if (cuImportExternalMemory(memory, desc) != CUDA_SUCCESS) {
 *         close(fd);
 *         return false;
 *     }
 *     return true;
 * }
 * bool open_frame(CUexternalMemory* memory, int fd, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* desc) {
 *     return import_memory(memory, fd, desc);  // which has closed fd when it fails
 * }
 * ```
 *
 * ## What it cannot see
 * Functions of other files, callees whose result is not tested at once, and handles that are reset through another name.
 */
import { doubleReleases } from '../../analyses/double-releases';
import { pathText } from '../../facts/paths';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly handle: string;
  readonly callee: string;
  readonly release: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'fd/double-free-on-failure',
    summary: 'The error path releases what the failing callee has released already.',
    severity: 'error',
    tier: 'C',
    precision: 'certain',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ handle, callee, release }) {
    return `\`${handle}\` is released a second time: ${callee} calls ${release} on it before it fails, and leaves it set. Release it in one place only, or reset it there.`;
  },

  detect(file, report) {
    for (const { second, handle, first, callee } of doubleReleases(file)) {
      const related = [
        { at: callee, message: `${callee.name} fails here` },
        { at: first, message: `and has called ${first.name} before` },
      ];
      report({ at: second, data: { handle: pathText(handle), callee: callee.name, release: first.name }, related });
    }
  },
});
