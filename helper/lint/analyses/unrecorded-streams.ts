// Python: temporaries of the current stream that a side stream still uses when the function gives them up.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, lastName, mentions, pathOf, samePath, walk } from '../facts/paths';
import { dominates } from '../flow/order';
import { isFreshArray } from './device-arrays';
import { isKernelLaunch, isTensorCall, type StreamScope, scopeAt, streamScopes } from './python-streams';

export interface Unrecorded {
  readonly use: Call;
  readonly made: Event;
  readonly name: string;
  readonly scope: StreamScope;
}

export function unrecordedStreams(file: FileFacts, fn: FunctionFacts): Unrecorded[] {
  if (fn.degraded || fn.kind === 'module') return [];
  const scopes = streamScopes(fn, file);
  if (scopes.length === 0) return [];
  return fn.events.flatMap((made): Unrecorded[] => {
    if (made.kind !== 'assign' || made.op !== '=' || !made.value || scopeAt(scopes, made)) return [];
    const path = pathOf(made.target);
    if (path?.kind !== 'local' || path.steps.length > 0 || !isTemporary(made.value)) return [];
    const use = fn.calls.find((call) => call.id > made.id && scopeAt(scopes, call) !== undefined && usesOnGpu(call, path) && dominates(made, call));
    const scope = use && scopeAt(scopes, use);
    if (!use || !scope || isRenewed(fn, path, made, use) || fn.events.some((event) => keeps(event, path, made))) return [];
    return fn.calls.some((call) => call.id > use.id && mayWait(call)) ? [] : [{ use, made, name: lastName(path), scope }];
  });
}

/** What hands out the memory it was given where there is nothing to convert. */
const mayAlias = /^(to|contiguous|float|half|double|long|byte|bfloat16|type|flatten|astype)$/;

/** Memory of its own on the GPU, which nothing but this name holds. */
function isTemporary(value: Expr): boolean {
  if (value.kind === 'binary') return [value.left, value.right].some(isTemporary);
  if (value.kind !== 'call') return false;
  if (mayAlias.test(value.name)) return isOfTemporary(value.receiver);
  if (!isFreshArray(value) || value.keywords.has('pin_memory')) return false;
  if (!/^(torch|cupy|numba|warp|jax|pycuda|rmm)\./.test(value.callee)) return !/^(sum|mean|dot|type)$/.test(value.name);
  const device = value.keywords.get('device');
  return /^cupy\./.test(value.callee) || (/^torch\./.test(value.callee) && (/_like$/.test(value.name) || isOnGpu(device)));
}

/** Without a device Torch makes it on the CPU. */
function isOnGpu(device: Expr | undefined): boolean {
  return device !== undefined && !(device.kind === 'string' && /^cpu/.test(device.value));
}

/** `(frame.clamp(0, 1) * 255).to(...)`: what a conversion makes of something that was made here is new in any case. */
function isOfTemporary(receiver: Expr | undefined): boolean {
  const parts = receiver ? [...walk(receiver)] : [];
  return parts.some(
    (part) =>
      (part.kind === 'binary' && /^[-+*/]$/.test(part.op)) || (part.kind === 'call' && /^(clamp|clone|float|half|mul|add|sub|div)$/.test(part.name)),
  );
}

/** Work that is queued: with the name as its object or an argument. */
function usesOnGpu(call: Call, path: Path): boolean {
  const isWork =
    isTensorCall(call) ||
    isKernelLaunch(call) ||
    /^(copy_|copyto|fill_|launch|memcpyAsync|memcpy_async|copy_from_device_async|copy_from_async)$/.test(call.name);
  return isWork && [call.receiver, ...call.args, ...call.keywords.values()].some((part) => mentions(part, path));
}

function isRenewed(fn: FunctionFacts, path: Path, made: Assign, use: Call): boolean {
  return fn.events.some(
    (event) => event.kind === 'assign' && event !== made && event.id > made.id && event.id < use.id && samePath(pathOf(event.target), path),
  );
}

/** Returned, stored where it lives on, captured, put into a container, or recorded. */
function keeps(event: Event, path: Path, made: Assign): boolean {
  if (event.id <= made.id) return false;
  if (event.kind === 'escape') return [...event.paths, ...event.copies].some((each) => each.root === path.root);
  if (event.kind === 'return') return event.value !== undefined && isInside(event.value, path);
  if (event.kind === 'assign') return event.value !== undefined && isInside(event.value, path);
  if (event.kind !== 'call') return expressionsOf(event).some((expr) => mentions(expr, path) && event.kind !== 'test');
  if (/^(record_stream|append|put|add|extend|save_for_backward|put_nowait|setdefault)$/.test(event.name)) return mentions(event, path);
  return false;
}

/** The object itself, not something that is computed of it. */
function isInside(value: Expr, path: Path): boolean {
  if (value.kind === 'path') return value.path.root === path.root && value.path.steps.length === 0;
  if (value.kind === 'init') return value.entries.some((each) => isInside(each.value, path));
  if (value.kind === 'conditional') return isInside(value.yes, path) || isInside(value.no, path);
  if (value.kind === 'call') {
    const isView = /^(view|reshape|permute|transpose|unsqueeze|squeeze|detach|expand|narrow|flatten|contiguous|to)$/.test(value.name);
    if (isView && value.receiver) return isInside(value.receiver, path);
    return /^[A-Z]/.test(value.name) && value.args.some((arg) => isInside(arg, path));
  }
  return value.kind === 'other' && value.operands.some((each) => isInside(each, path));
}

/** The current stream or the host waits for the side stream, or somebody is asked to. */
function mayWait({ name }: Call): boolean {
  return /wait|sync|join|finish|flush|drain|record|result|item|cpu|numpy|tolist/i.test(name) && !/async/i.test(name);
}
