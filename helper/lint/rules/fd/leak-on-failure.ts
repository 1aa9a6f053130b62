/**
 * # fd/leak-on-failure
 *
 * ## What it does
 * Reports a way out of a function after a failed import on which the file descriptor, obtained in this function, is not closed.
 *
 * ## Why is this bad
 * Only a successful import adopts the descriptor. After a failed one the caller still owns it, and a retry every frame or every
 * resize runs the process out of descriptors; then unrelated `open` and `socket` calls fail.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <unistd.h>
 * bool import_copy(int shared, cudaExternalMemory_t* memory, size_t bytes) {
 *     int fd = dup(shared);
 *     cudaExternalMemoryHandleDesc desc{};
 *     desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
 *     desc.handle.fd = fd;
 *     desc.size = bytes;
 *     if (cudaImportExternalMemory(memory, &desc) != cudaSuccess) return false;
 *     return true;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <unistd.h>
 * bool import_copy(int shared, cudaExternalMemory_t* memory, size_t bytes) {
 *     int fd = dup(shared);
 *     cudaExternalMemoryHandleDesc desc{};
 *     desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
 *     desc.handle.fd = fd;
 *     desc.size = bytes;
 *     if (cudaImportExternalMemory(memory, &desc) != cudaSuccess) {
 *         close(fd);
 *         return false;
 *     }
 *     return true;
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion: `close` on the failure path is right unless some owner that this file does not show closes the descriptor.
 *
 * ## What it cannot see
 * Descriptors that are parameters or fields (their owner decides), or that went to unknown functions, containers or RAII types; ways out
 * through check macros whose body and name tell nothing.
 */
import { fdOwnership } from '../../analyses/fd-ownership';
import type { Call } from '../../facts/index';
import { violationsOf } from '../../flow/program';
import { cFamily, defineRule, type Related } from '../rule';

interface Data {
  readonly origin: string;
  readonly importer: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'fd/leak-on-failure',
    summary: 'A failed import leaves the function without closing the descriptor that the caller still owns.',
    severity: 'warning',
    tier: 'B',
    precision: 'certain',
    fix: 'suggestion',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
  },

  message({ origin, importer }) {
    return `The descriptor from ${origin} leaks here when ${importer} failed: a failed import adopts nothing, so the caller still owns it. Close it on this path.`;
  },

  detect(file, report) {
    for (const found of violationsOf(file, fdOwnership)) {
      if (found.kind !== 'leak-on-failure') continue;
      const acquired = callIn(found.trace, 'owned');
      const failed = callIn(found.trace, 'owned-failed');
      if (!acquired || !failed) continue;
      const related: Related[] = [
        { at: acquired, message: `${acquired.name} makes the descriptor here` },
        { at: failed, message: `${failed.name} can fail here` },
      ];
      report({ at: found.at, data: { origin: acquired.name, importer: failed.name }, related });
    }
  },
});

function callIn(trace: readonly { readonly at: { readonly kind: string }; readonly state: string }[], state: string): Call | undefined {
  const step = trace.find((each) => each.state === state);
  return step?.at.kind === 'call' ? (step.at as Call) : undefined;
}
