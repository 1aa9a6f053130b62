/**
 * # fd/use-after-transfer
 *
 * ## What it does
 * Reports a file descriptor that is closed, imported again or otherwise used after a call that adopted it, also one that a getter of the
 * class exported on first use and lent.
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
 * A suggestion: a close inside the braces of the branch of success goes; one behind an import whose outcome has a name in scope becomes
 * conditional on its failure. Whether somebody else closes the descriptor, only a reader knows. A close behind an early return or as the bare
 * body of an `if`, second imports and other uses have no fix: they need a dup() or another order.
 *
 * ## What it cannot see
 * Descriptors that go through unknown functions, sockets, `dup2` or containers; imports whose handle type is computed. Win32 NT handles
 * are not adopted and are no subject of this rule.
 */
import { fdOwnership } from '../../analyses/fd-ownership';
import { guardedImports } from '../../analyses/guarded-imports';
import { keptDescriptors } from '../../analyses/kept-descriptors';
import { closedTransfers } from '../../analyses/python-fd-transfers';
import type { Call, Event, Expr, FileFacts, Path } from '../../facts/index';
import { pathOf, pathText, samePath, walk } from '../../facts/paths';
import { asksForValue } from '../../flow/evaluate';
import { isDecidedBy } from '../../flow/guards';
import type { Violation } from '../../flow/machine';
import { dominates, postDominates } from '../../flow/order';
import { violationsOf } from '../../flow/program';
import { structViolationsOf } from '../../flow/struct-lifetimes';
import { isSuccessConstant, successOf } from '../../knowledge/index';
import { insertAfter, insertBefore, removeStatement } from '../edits';
import { takeInto } from '../moves';
import { isInScope } from '../names';
import { cFamily, defineRule, type Fix } from '../rule';
import { isBracelessBody } from '../statements';

interface Data {
  readonly name: string;
  readonly importer: string;
  readonly what: 'closed' | 'imported again' | 'used' | 'guarded';
  readonly inMember: boolean;
  /** What the fix needs. */
  readonly use: Call;
  readonly transfer: Call;
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
    languages: [...cFamily, 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ name, importer, what, inMember }) {
    if (what === 'guarded')
      return `${importer} adopts the descriptor of \`${name}\`, which goes on owning it and closes it at its end: by then the number may already belong to something else. Give release() when the import succeeds, or a dup() of the descriptor.`;
    const why = what === 'imported again' ? 'two owners will close one descriptor' : 'the number may already belong to something else';
    const reset = inMember
      ? `Set it to -1 when ${importer} succeeds and act on it only when it is not negative.`
      : `Do this only when ${importer} failed, or hand it a dup() of the descriptor.`;
    return `\`${name}\` is ${what} after ${importer} adopted it: a successful import owns the descriptor, so ${why}. ${reset}`;
  },

  detect(file, report) {
    if (file.language === 'python') {
      for (const { close, transfer, name } of file.subjects.flatMap((fn) => closedTransfers(file, fn)))
        report({
          at: close,
          data: { name, importer: transfer.name, what: 'closed', inMember: false, use: close, transfer },
          related: [{ at: transfer, message: `${transfer.name} adopts the descriptor here when it succeeds` }],
          isPreview: true,
        });
      return;
    }
    for (const { importer, given, owner } of file.subjects.flatMap((fn) => guardedImports(file, fn)))
      report({
        at: given,
        data: { name: pathText(owner), importer: importer.name, what: 'guarded', inMember: owner.kind === 'this', use: importer, transfer: importer },
        related: [{ at: importer, message: `${importer.name} adopts the descriptor here when it succeeds` }],
        isPreview: true,
      });
    for (const { close, importer, path } of keptDescriptors(file))
      report({
        at: close,
        data: { name: pathText(path).replace('[]', '[i]'), importer: importer.name, what: 'closed', inMember: true, use: close, transfer: importer },
        related: [{ at: importer, message: `${importer.name} adopts the descriptor here when it succeeds` }],
        isPreview: true,
      });
    const known = violationsOf(file, fdOwnership).map((found) => ({ found, isPreview: false }));
    const isNew = (found: Violation) => !known.some((each) => each.found.at === found.at);
    const inStructs = structViolationsOf(file, fdOwnership).filter(isNew);
    for (const { found, isPreview } of [...known, ...inStructs.map((each) => ({ found: each, isPreview: true }))]) {
      const what = kinds[found.kind];
      const transfer = found.trace.findLast((step) => step.state === 'transferred');
      if (!what || transfer?.at.kind !== 'call') continue;
      const importer = found.trace.find((step) => step.state === 'transferred')!.at as Call;
      const use = found.at as Call;
      if (asksTheObject(use, transfer.at)) continue;
      const { origin } = found.object;
      // A helper that closes names the descriptor by its argument.
      const written = use.api?.arg('fd') ?? (use.api ? undefined : use.args.find((arg) => pathOf(arg)));
      const name = written ? file.source(written) : origin ? pathText(origin) : file.source(use);
      report({
        at: use,
        data: { name, importer: importer.name, what, inMember: (pathOf(written) ?? origin)?.kind === 'this', use, transfer: importer },
        related: [{ at: importer, message: `${importer.name} adopts the descriptor here when it succeeds` }],
        isPreview,
      });
    }
  },

  fix({ data: { what, use, transfer } }, file) {
    if (file.language === 'python') return undefined;
    if (what !== 'closed' || use.use !== 'ignored' || use.fn !== transfer.fn || !use.api?.does('close')) return undefined;
    // Of vulkan.hpp nothing but success gets here.
    if (isDecidedBy(use, transfer) || transfer.api?.spelling === 'hpp') return removal(file, use);
    return use.block === transfer.block ? onFailure(file, use, transfer) : undefined;
  },
});

/** `importer.open(fd); if (!importer.valid()) close(fd);`: an object, or one that is returned, tells whether it has taken the descriptor. */
function asksTheObject(use: Call, taken: Call): boolean {
  if (taken.api || taken.fn !== use.fn) return false;
  const objects = [pathOf(taken.receiver), taken.result];
  const isObject = (path: Path | undefined) => path !== undefined && objects.some((object) => samePath(path, object));
  const asks = (part: Expr) => part.kind === 'call' && !part.api && part.args.length === 0 && !asksForValue(part) && isObject(pathOf(part.receiver));
  return use.fn.events.some(
    (test) => test.kind === 'test' && test.id > taken.id && dominates(test, use) && !postDominates(use, test) && [...walk(test.expr)].some(asks),
  );
}

function removal(file: FileFacts, use: Call): Fix | undefined {
  const edit = removeStatement(file, use);
  return edit && { title: `Remove \`${file.source(use)}\``, edits: [edit] };
}

/** The close becomes conditional on the failure of the import, in the words in which the code keeps the outcome. */
function onFailure(file: FileFacts, use: Call, transfer: Call): Fix | undefined {
  const title = `Close only when ${transfer.name} failed`;
  const success = successOf(transfer.api?.api.result);
  if (!success || isBracelessBody(file, use)) return undefined;
  const failed = failureTest(file, use, transfer, success);
  if (failed) return { title, edits: [insertBefore(use, `if (${failed}) `)] };
  const gone = takeInto(file, use, transfer);
  if (!gone || transfer.use !== 'ignored' || transfer.check || isBracelessBody(file, transfer)) return undefined;
  return { title, edits: [...gone, insertBefore(transfer, 'if ('), insertAfter(transfer, ` != ${success}) ${file.source(use)}`)] };
}

/** `r != cudaSuccess` of `r = f()`, `!ok` of `ok = f() == cudaSuccess`. */
function failureTest(file: FileFacts, use: Call, transfer: Call, success: string): string | undefined {
  for (const event of transfer.fn.events) {
    if (event.kind !== 'assign' || event.op !== '=' || !event.value || event.block !== transfer.block) continue;
    if (![...walk(event.value)].includes(transfer) || (event.declares && !isInScope(file, event.declares.span, use.span))) continue;
    const target = event.declares?.name ?? file.source(event.target);
    if (isSetBetween(file, target, event, use)) return undefined;
    if (event.value === transfer) return `${target} != ${success}`;
    const { value } = event;
    const compares = value.kind === 'binary' && value.left === transfer && value.right.kind === 'path' && isSuccessConstant(file.source(value.right));
    if (compares && value.op === '==') return `!${target}`;
    if (compares && value.op === '!=') return target;
  }
  return undefined;
}

/** Another value, or another variable of that name, by the time of the use. */
function isSetBetween(file: FileFacts, target: string, from: Event, to: Call): boolean {
  const isLater = ({ id }: Event) => id > from.id && id < to.id;
  return from.fn.events.some((event) => event.kind === 'assign' && isLater(event) && target === (event.declares?.name ?? file.source(event.target)));
}
