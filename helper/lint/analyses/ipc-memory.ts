// Device memory of other processes: where it is opened, where its last name goes, and whether anybody closes it.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { isWithin, pathKey, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { eventsAfter, returnsWithout } from '../flow/order';
import { fileQuery } from '../memo/query';
import { functionTable } from '../memo/table';
import { afterSuccess } from './stream-order';

export interface IpcFault {
  readonly at: Event;
  readonly opened: Call;
  /** dropped: the last name goes. freed: freed as if it were own memory. lost: never stored anywhere. skipped: closed on other ways only. */
  readonly kind: 'dropped' | 'freed' | 'lost' | 'skipped';
}

export const isOpen = ({ api }: Call) => /^(cu|cuda|hip)IpcOpenMemHandle$/.test(api?.name ?? '');
export const isClose = ({ api }: Call) => /^(cu|cuda|hip)IpcCloseMemHandle$/.test(api?.name ?? '');
const isFree = ({ api }: Call) => /^(cuMemFree|cudaFree|hipFree)(Async)?$/.test(api?.name ?? '');

/** Faults of files in which nothing closes at all, not even by a name that sounds like it, and of functions that close on some ways only. */
export function unclosedIpc(file: FileFacts): IpcFault[] {
  const opens = file.subjects.flatMap((fn) => (fn.degraded ? [] : fn.calls.filter(isOpen)));
  if (opens.length === 0) return [];
  if (mentionsClosing(file)) return opens.flatMap((call) => skippedClose(call) ?? []);
  return opens.flatMap((call) => faultOf(file, call) ?? []);
}

const mentionsClosing = fileQuery((file) =>
  file.hasToken('word', /IpcClose|CloseMemHandle|ipc_?close|close_?ipc|ipc_?(release|unmap)|(release|unmap)_?ipc/i),
);

/** A way out of the function that closes a local pointer elsewhere goes past the close. */
function skippedClose(opened: Call): IpcFault | undefined {
  const path = opened.api!.path('ptr');
  const closes = opened.fn.calls.filter((call) => isClose(call) && samePath(call.api!.path('ptr') ?? pathOf(call.args[0]), path));
  if (path?.kind !== 'local' || path.steps.length > 0 || closes.length === 0) return undefined;
  const isKept = (event: Event) => (event.kind === 'call' && closes.includes(event)) || keeps(event, opened, path) || asksFor(event, path);
  const start = afterSuccess(opened);
  const isUnsure = start === opened && opened.use !== 'ignored';
  if (isUnsure || isKept(start) || !returnsWithout(start, isKept)) return undefined;
  const at = [...eventsAfter(start, { blocked: isKept })].find((event) => event.kind === 'return');
  return { at: at ?? opened, opened, kind: 'skipped' };
}

/** `if (p) close(p);`: what the test decides is not followed. */
function asksFor(event: Event, path: Path): boolean {
  return event.kind === 'test' && has(event.expr, path) && ![...walk(event.expr)].some((part) => part.kind === 'call');
}

function faultOf(file: FileFacts, opened: Call): IpcFault | undefined {
  const path = opened.api!.path('ptr');
  if (!path) return undefined;
  // `Entry e; open(&e.ptr, handle); entries_.push_front(e);`: the record goes where its pointer goes.
  const holder = path.kind === 'local' ? storeOf(opened, { ...path, steps: [] }) : path;
  if (!holder && path.steps.length > 0) return undefined;
  if (holder) return holderFault(file, opened, holder, path);
  const isKept = opened.fn.name === 'main' || opened.fn.events.some((event) => keeps(event, opened, path));
  return isKept ? undefined : { at: opened, opened, kind: 'lost' };
}

/** The field or global, container or not, that a local pointer is put into. */
export function storeOf(opened: Call, path: Path): Path | undefined {
  for (const event of opened.fn.events) {
    if (event.id <= opened.id) continue;
    const [target, values] =
      event.kind === 'assign'
        ? [pathOf(event.target), [event.value]]
        : event.kind === 'call' && adders.test(event.name)
          ? [pathOf(event.receiver), event.args]
          : [];
    if (target && target.kind !== 'local' && values?.some((value) => value && has(value, path))) return target;
  }
  return undefined;
}

export const adders = /^(push_back|push_front|emplace|emplace_back|emplace_front|insert|insert_or_assign|try_emplace|push|append|add)$/;
const droppers = /^(erase|clear|pop_back|pop_front|pop|reset|remove)$/;
const containers =
  /^(find|end|begin|at|count|contains|size|empty|erase|clear|pop_back|pop_front|pop|reset|remove|front|back|top|splice|reserve|next|prev|advance|memcmp|printf|fprintf|lock|unlock|move)$/;

/** What a field is called, without the key of a container. */
function nameOf(path: Path): string {
  return pathKey({ ...path, steps: path.steps.filter((step) => step.startsWith('.')) });
}

function holderFault(file: FileFacts, opened: Call, holder: Path, path: Path): IpcFault | undefined {
  if (holder.kind === 'param' || holder.kind === 'captured' || holder.kind === 'local') return undefined;
  const own = file.functions.filter((fn) => holder.kind === 'global' || fn.className === opened.fn.className);
  if (own.some((fn) => mayRelease(fn, holder))) return undefined;
  const freed = own.flatMap((fn) => fn.calls).find((call) => isFree(call) && isHeld(call.fn, call.args[0], holder));
  if (freed) return { at: freed, opened, kind: 'freed' };
  const dropped = own.flatMap((fn) => fn.events).find((event) => drops(event, holder) && event.fn.kind !== 'constructor');
  if (dropped) return { at: dropped, opened, kind: 'dropped' };
  const owner = file.classNamed(opened.fn.className ?? '');
  const isShown = owner !== undefined && !owner.destructorElsewhere && owner.bases.length === 0;
  const isGiven = opened.fn.events.some((event) => event.kind === 'return' && event.value && (has(event.value, path) || has(event.value, holder)));
  return isShown && owner.destructor && !isGiven ? { at: opened, opened, kind: 'lost' } : undefined;
}

/** An unknown call in the function is given the held pointer, or something made of it. */
export function mayRelease(fn: FunctionFacts, holder: Path): boolean {
  return fn.calls.some((call) => {
    if (call.api || call.launch || containers.test(call.name) || adders.test(call.name)) return false;
    return [call.receiver, ...call.args].some((arg) => isHeld(fn, arg, holder));
  });
}

/** The expression reads the field, or a local that was made of it. */
export function isHeld(fn: FunctionFacts, expr: Expr | undefined, holder: Path): boolean {
  if (!expr) return false;
  const name = nameOf(holder);
  const parts = [...walk(expr)].flatMap((part) => (part.kind === 'path' ? [part.path] : []));
  if (parts.some((path) => path.kind === holder.kind && nameOf(path).startsWith(name))) return true;
  const madeOf = fn.events.filter(
    (event) =>
      event.kind === 'assign' &&
      event.value !== undefined &&
      [...walk(event.value)].some((part) => part.kind === 'path' && nameOf(part.path) === name),
  );
  return madeOf.some((event) => event.kind === 'assign' && parts.some((path) => path.root === pathOf(event.target)?.root && path.kind === 'local'));
}

export function drops(event: Event, holder: Path): boolean {
  const name = nameOf(holder);
  if (event.kind === 'call')
    return (
      droppers.test(event.name) &&
      event.receiver !== undefined &&
      nameOf(pathOf(event.receiver) ?? holder) === name &&
      pathOf(event.receiver) !== undefined
    );
  if (event.kind !== 'assign' || event.op !== '=' || !event.value) return false;
  const target = pathOf(event.target);
  const value = stripCasts(event.value);
  return target?.kind === holder.kind && nameOf(target) === name && (value.kind === 'null' || (value.kind === 'number' && value.value === 0));
}

export function has(expr: Expr, path: Path): boolean {
  return [...walk(expr)].some((part) => part.kind === 'path' && isWithin(part.path, path));
}

/** The pointer leaves the function or goes to unknown code. */
function keeps(event: Event, opened: Call, path: Path): boolean {
  if (event.id <= opened.id) return false;
  if (event.kind === 'return') return event.value !== undefined && has(event.value, path);
  if (event.kind === 'assign') return event.value !== undefined && event.value.kind !== 'call' && has(event.value, path);
  if (event.kind === 'escape') return event.paths.some((each) => each.root === path.root);
  return event.kind === 'call' && !event.api && !event.launch && [event.receiver, ...event.args].some((arg) => arg && has(arg, path));
}

export interface EarlyFree {
  readonly free: Call;
  readonly opened: Call;
  readonly close: Call;
}

/** Memory that this function exported is freed while it still has memory of its peers open. */
export function earlyFrees(fn: FunctionFacts): EarlyFree[] {
  const exported = fn.calls.flatMap((call) => (/^(cu|cuda|hip)IpcGetMemHandle$/.test(call.api?.name ?? '') ? (call.api!.path('ptr') ?? []) : []));
  const opens = fn.calls.filter(isOpen);
  if (exported.length === 0 || opens.length === 0 || fn.degraded) return [];
  return fn.calls.filter(isFree).flatMap((free) => {
    const path = free.api!.path('ptr');
    if (!exported.some((each) => samePath(each, path))) return [];
    const opened = opens.find((open) => reaches(open, free, (event) => event.kind === 'call' && isClose(event)));
    const close =
      opened &&
      fn.calls.find((call) => isClose(call) && samePath(call.api!.path('ptr'), opened.api!.path('ptr')) && reaches(free, call, () => false));
    return close ? [{ free, opened, close }] : [];
  });
}

const exportedFields = functionTable((_, fn) =>
  fn.calls.flatMap((call) => {
    const path = /^(cu|cuda|hip)IpcGetMemHandle$/.test(call.api?.name ?? '') ? call.api!.path('ptr') : undefined;
    return path?.kind === 'this' && fn.className ? [[`${fn.className} ${pathKey(path)}`, call] as const] : [];
  }),
);

export interface UnawaitedFree {
  readonly free: Call;
  readonly close: Call;
  readonly exported: Call;
}

/** A method closes what it has of its peers and frees what they have of it, with no call between that could wait for them. */
export function unawaitedFrees(file: FileFacts, fn: FunctionFacts): UnawaitedFree[] {
  const closes = fn.degraded || !fn.className ? [] : fn.calls.filter(isClose);
  if (closes.length === 0 || !file.hasToken('word', collectives)) return [];
  return fn.calls.filter(isFree).flatMap((free) => {
    const path = free.api!.path('ptr');
    const [exported] = path?.kind === 'this' ? exportedFields.of(file, `${fn.className} ${pathKey(path)}`) : [];
    const close = closes.findLast((each) => each.id < free.id && reaches(each, free, mayWaitForPeers));
    const isWaited = fn.calls.some((call) => close && call.id < free.id && call.id > close.id && mayWaitForPeers(call));
    return exported && close && !isWaited ? [{ free, close, exported }] : [];
  });
}

/** Ranks that run the same code, and tell each other so. */
const collectives = /^(MPI_(Barrier|Allgather|Comm_rank|Bcast|Allreduce)|nccl\w+|nvshmem\w+)$/;

function mayWaitForPeers(event: Event): boolean {
  return event.kind === 'call' && !event.api && !/^(clear|resize|size|empty|reset|begin|end|printf|fprintf)$/.test(event.name);
}

function reaches(from: Event, to: Event, blocked: (event: Event) => boolean): boolean {
  for (const event of eventsAfter(from, { blocked: (each) => each !== to && blocked(each) })) if (event === to) return true;
  return false;
}
