/**
 * # fd/use-after-transfer
 *
 * ## What it does
 * Reports a file descriptor that is closed, imported again or otherwise used after a call that adopted it.
 *
 * ## Why is this bad
 * A successful import of an opaque fd, a timeline-semaphore fd or a sync fd hands the descriptor to the driver. Closing it afterwards
 * closes the number a second time: by then it may belong to another thread's file, socket or imported memory, and the fault shows
 * far away. Importing the same number twice makes two owners of one descriptor.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <unistd.h>
 * bool import_pixels(cudaExternalMemory_t* memory, int fd, size_t bytes) {
 *     cudaExternalMemoryHandleDesc desc{};
 *     desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
 *     desc.handle.fd = fd;
 *     desc.size = bytes;
 *     const bool ok = cudaImportExternalMemory(memory, &desc) == cudaSuccess;
 *     close(fd);
 *     return ok;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <unistd.h>
 * bool import_pixels(cudaExternalMemory_t* memory, int fd, size_t bytes) {
 *     cudaExternalMemoryHandleDesc desc{};
 *     desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
 *     desc.handle.fd = fd;
 *     desc.size = bytes;
 *     const bool ok = cudaImportExternalMemory(memory, &desc) == cudaSuccess;
 *     if (!ok) close(fd);  // only a failed import leaves the descriptor with us
 *     return ok;
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion: whether the close has to go or to move to the failure branch depends on who else closes the descriptor.
 *
 * ## What it cannot see
 * Descriptors that go through unknown functions, sockets, `dup2` or containers; imports whose handle type is computed. Win32 NT handles
 * are not adopted and are no subject of this rule.
 */
import { fdOwnership } from '../../analyses/fd-ownership';
import type { Call } from '../../facts/index';
import { pathOf, pathText } from '../../facts/paths';
import { violationsOf } from '../../flow/program';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly name: string;
  readonly importer: string;
  readonly what: 'closed' | 'imported again' | 'used';
  readonly inMember: boolean;
}

const kinds: Readonly<Record<string, Data['what']>> = {
  'closed-after-transfer': 'closed',
  'imported-again': 'imported again',
  'used-after-transfer': 'used',
};

export const rule = defineRule<Data>({
  meta: {
    id: 'fd/use-after-transfer',
    summary: 'A file descriptor is closed, imported again or used after a successful import adopted it.',
    severity: 'error',
    tier: 'B',
    precision: 'certain',
    fix: 'suggestion',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
  },

  message({ name, importer, what, inMember }) {
    const why = what === 'imported again' ? 'two owners will close one descriptor' : 'the number may already belong to something else';
    const reset = inMember
      ? `Set it to -1 when ${importer} succeeds and act on it only when it is not negative.`
      : `Do this only when ${importer} failed, or hand it a dup() of the descriptor.`;
    return `\`${name}\` is ${what} after ${importer} adopted it: a successful import owns the descriptor, so ${why}. ${reset}`;
  },

  detect(file, report) {
    for (const found of violationsOf(file, fdOwnership)) {
      const what = kinds[found.kind];
      const transfer = found.trace.findLast((step) => step.state === 'transferred');
      if (!what || transfer?.at.kind !== 'call') continue;
      const importer = found.trace.find((step) => step.state === 'transferred')!.at as Call;
      const use = found.at as Call;
      const { origin } = found.object;
      // A helper that closes names the descriptor by its argument.
      const written = use.api?.arg('fd') ?? (use.api ? undefined : use.args.find((arg) => pathOf(arg)));
      const name = written ? file.source(written) : origin ? pathText(origin) : file.source(use);
      report({
        at: use,
        data: { name, importer: importer.name, what, inMember: (pathOf(written) ?? origin)?.kind === 'this' },
        related: [{ at: importer, message: `${importer.name} adopts the descriptor here when it succeeds` }],
      });
    }
  },
});
