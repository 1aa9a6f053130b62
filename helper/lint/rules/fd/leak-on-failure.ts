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
 * A suggestion: `close` on the failure path is right unless some owner that this file does not show closes the descriptor. A way out that
 * success shares, or that a macro hides, has no fix.
 *
 * ## What it cannot see
 * Descriptors that are parameters or fields (their owner decides), or that went to unknown functions, containers, RAII types,
 * guards or exceptions; what `__attribute__((cleanup(...)))` closes; ways out through check macros whose body and name tell nothing;
 * Python. Who leaves `main` ends the process, which closes its descriptors.
 */
import { jumpOf } from '../../analyses/failure-sides';
import { fdOwnership } from '../../analyses/fd-ownership';
import type { Call, Event, FileFacts, Path } from '../../facts/index';
import { pathText } from '../../facts/paths';
import { isDecidedBy } from '../../flow/guards';
import { violationsOf } from '../../flow/program';
import { insertStatement } from '../edits';
import { keepsMeaning } from '../names';
import { cFamily, defineRule, type Related } from '../rule';

interface Data {
  readonly origin: string;
  readonly importer: string;
  /** What the fix needs. */
  readonly leaves: Event;
  readonly acquired: Call;
  readonly failed: Call;
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
    evidence: 'twins',
  },

  message({ origin, importer }) {
    return `The descriptor from ${origin} leaks here when ${importer} failed: a failed import adopts nothing, so the caller still owns it. Close it on this path.`;
  },

  detect(file, report) {
    for (const found of violationsOf(file, fdOwnership)) {
      // Whoever leaves main ends the process, which closes everything.
      if (found.kind !== 'leak-on-failure' || /^w?main$/.test(found.at.fn.name)) continue;
      const acquired = callIn(found.trace, 'owned');
      const failed = callIn(found.trace, 'owned-failed');
      if (!acquired || !failed) continue;
      const related: Related[] = [
        { at: acquired, message: `${acquired.name} makes the descriptor here` },
        { at: failed, message: `${failed.name} can fail here` },
      ];
      // Behind a label the way out is that of others too and says little: there the import is the place.
      const at = jumpsOnFailure(file, failed) ? failed : found.at;
      report({ at, data: { origin: acquired.name, importer: failed.name, leaves: found.at, acquired, failed }, related });
    }
  },

  fix({ data: { leaves, acquired, failed } }, file) {
    const written = acquired.api?.api.result === 'fd' ? acquired.result : acquired.api?.path('fd');
    const isPlain = /^(return|throw)\b/.test(file.source(leaves.span));
    if (!written || !isPlain || !isNameable(written) || !isDecidedBy(leaves, failed)) return undefined;
    if (!keepsMeaning(file, written, acquired, leaves)) return undefined;
    const close = hidesClose(file, acquired) ? '::close' : 'close';
    return { title: `Close \`${pathText(written)}\` on this path`, edits: [insertStatement(file, leaves, `${close}(${pathText(written)});`)] };
  },
});

/** In a method: its class, or one that is declared elsewhere, may have a `close` of its own. */
function hidesClose(file: FileFacts, { fn }: Call): boolean {
  if (file.language === 'c' || fn.className === undefined) return false;
  const span = file.classNamed(fn.className)?.span;
  const isDeclared = (i: number) => file.tokens[i]!.text === 'close' && file.tokens[i - 1]?.kind === 'word' && file.tokens[i - 1]!.text !== 'return';
  return !span || file.tokens.some((token, i) => token.span.start >= span.start && token.span.start < span.end && isDeclared(i));
}

/** The test behind the call goes to a label. */
function jumpsOnFailure(file: FileFacts, failed: Call): boolean {
  const test = failed.fn.events.find((event) => event.kind === 'test' && event.id > failed.id);
  return test?.kind === 'test' && jumpOf(file, test) !== undefined;
}

/** Plain fields of a plain variable: a path does not tell `.` and `->` apart. */
function isNameable(path: Path): boolean {
  return path.kind === 'local' && path.steps.every((step) => step.startsWith('.'));
}

function callIn(trace: readonly { readonly at: { readonly kind: string }; readonly state: string }[], state: string): Call | undefined {
  const step = trace.find((each) => each.state === state);
  return step?.at.kind === 'call' ? (step.at as Call) : undefined;
}
