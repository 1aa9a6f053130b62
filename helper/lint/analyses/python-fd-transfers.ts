// Python: descriptors that a successful import adopts, and that the function closes afterwards all the same.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { isWithin, lastName, pathOf, samePath, walk } from '../facts/paths';
import { eventsAfter, postDominates } from '../flow/order';

export interface ClosedTransfer {
  readonly close: Call;
  readonly transfer: Call;
  readonly name: string;
}

const imports = /(^|\.)(cu|cuda)ImportExternal(Memory|Semaphore)$/;
/** The descriptor is an argument of its own. */
const direct = /(^|\.)glImport(Memory|Semaphore)FdEXT$/;
const vulkanImports = /(^|\.)(vkImportSemaphoreFdKHR|vkImportFenceFdKHR|vkAllocateMemory)$/;
const vulkanStructs = /(^|\.)Vk(ImportMemoryFdInfoKHR|ImportSemaphoreFdInfoKHR|ImportFenceFdInfoKHR)$/;
const adopted = /OPAQUE_?FD|OpaqueFd|TIMELINE_SEMAPHORE_FD|TimelineSemaphoreFd|SYNC_FD/i;

/** `os.close(fd)` on the way out that an import which went well takes. */
export function closedTransfers(file: FileFacts, fn: FunctionFacts): ClosedTransfer[] {
  if (fn.degraded) return [];
  const closes = fn.calls.filter((call) => call.callee === 'os.close' && call.args[0]);
  if (closes.length === 0) return [];
  return fn.calls.flatMap((transfer): ClosedTransfer[] => {
    const fd = adoptedBy(file, fn, transfer);
    const close = fd && closes.find((each) => samePath(pathOf(each.args[0]), fd) && isOnSuccess(fn, transfer, each, fd));
    return close ? [{ close, transfer, name: lastName(fd) }] : [];
  });
}

/** The name of the descriptor that the call adopts. */
function adoptedBy(file: FileFacts, fn: FunctionFacts, call: Call): Path | undefined {
  if (direct.test(call.callee)) return pathOf(call.args.at(-1));
  if (imports.test(call.callee)) {
    const described = structGiven(call);
    const before = described ? assignmentsInto(fn, described, call) : [];
    const isAdopted = before.some(
      ({ target, value }) => /^(type|type_)$/.test(lastName(pathOf(target)!)) && value && adopted.test(file.source(value)),
    );
    const written = before.findLast(({ target }) => lastName(pathOf(target)!) === 'fd');
    return isAdopted ? fdOf(written?.value) : undefined;
  }
  return vulkanImports.test(call.callee) ? vulkanFd(file, fn, call) : undefined;
}

/** `f(desc)`, `f(byref(desc))`, `f(byref(handle), byref(desc))`. */
export function structGiven(call: Call): Path | undefined {
  const last = call.args.at(-1);
  const inner = last?.kind === 'call' && /^(byref|pointer|addressof)$/.test(last.name) ? last.args[0] : last;
  return pathOf(inner);
}

export function assignmentsInto(fn: FunctionFacts, base: Path, before: Event): Assign[] {
  return fn.events.filter((event): event is Assign => {
    const target = event.kind === 'assign' && event.id < before.id ? pathOf(event.target) : undefined;
    return target !== undefined && target.steps.length > base.steps.length && isWithin(target, base);
  });
}

/** A struct of the package `vulkan` with the descriptor, in the call or on the chain of a struct that is in the call. */
function vulkanFd(file: FileFacts, fn: FunctionFacts, call: Call): Path | undefined {
  const made = fn.calls.filter((each) => each.id < call.id && vulkanStructs.test(each.callee));
  const parts = new Set(call.args.flatMap((arg) => [...walk(arg)]));
  const names = [...parts].flatMap((part) => (part.kind === 'path' ? [part.path] : []));
  const chained = fn.calls.filter((each) => names.some((name) => samePath(each.result, name))).flatMap((each) => [...walk(each)]);
  const info = made.find(
    (each) => parts.has(each) || chained.includes(each) || [...names, ...pathsIn(chained)].some((name) => samePath(each.result, name)),
  );
  const type = info?.keywords.get('handleType');
  if (!info || !type || !adopted.test(file.source(type))) return undefined;
  return fdOf(info.keywords.get('fd'));
}

function pathsIn(parts: readonly Expr[]): Path[] {
  return parts.flatMap((part) => (part.kind === 'path' ? [part.path] : []));
}

/** `fd`, `int(fd)`; a duplicate is another descriptor. */
function fdOf(value: Expr | undefined): Path | undefined {
  if (value?.kind === 'call') return /^(int|c_int)$/.test(value.name) && value.args.length === 1 ? fdOf(value.args[0]) : undefined;
  return value?.kind === 'path' ? value.path : undefined;
}

/** The close is reached although nothing failed, and the name still means what was imported. */
function isOnSuccess(fn: FunctionFacts, transfer: Call, close: Call, fd: Path): boolean {
  const isSetAnew = (event: Event) => event.kind === 'assign' && samePath(pathOf(event.target), fd);
  if (![...eventsAfter(transfer, { blocked: isSetAnew })].includes(close)) return false;
  // A close that not every way passes may belong to the failure.
  const unconditional = postDominates(close, transfer) || sameCleanup(fn, close).some((each) => postDominates(each, transfer));
  return unconditional && !fn.events.some((event) => event.id > transfer.id && event.id < close.id && isSetAnew(event));
}

/** The body of a `finally` comes once for every way out. */
function sameCleanup(fn: FunctionFacts, close: Call): Call[] {
  return fn.calls.filter((each) => each !== close && each.span.start === close.span.start);
}
