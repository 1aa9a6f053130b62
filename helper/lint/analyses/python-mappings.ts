// Python: mapped render outputs and attributes, the views made of them, and the GPU work that uses those.
import type { Call, Event, Expr, FunctionFacts, Path } from '../facts/index';
import { isWithin, pathOf, samePath, symbolOf, walk } from '../facts/paths';

export interface Mapping {
  /** The `map(device=...)` call. */
  readonly call: Call;
  readonly path: Path;
  /** Unmapped by leaving this `with` at the latest. */
  readonly scopeEnd: Event | undefined;
  /** Names of views of the mapped memory, the mapping's own name first. */
  readonly names: readonly Path[];
  readonly fn: FunctionFacts;
}

/** Mappings to CUDA that have a name in this function. */
export function cudaMappings(fn: FunctionFacts): Mapping[] {
  return fn.calls.filter(mapsToCuda).flatMap((call) => {
    const path = nameOf(call);
    if (!path) return [];
    const scope = fn.events.find((event) => event.kind === 'scopeEnd' && event.context === call);
    return [{ call, path, scopeEnd: scope, names: viewsOf(fn, path, call), fn }];
  });
}

function mapsToCuda(call: Call): boolean {
  if (!/^map(_\w+)?$/.test(call.name) || !call.receiver) return false;
  const device = call.keywords.get('device') ?? call.args.find((arg) => /^CUDA(_ARRAY)?$/.test(symbolOf(arg) ?? ''));
  if (device?.kind === 'string') return /^cuda/.test(device.value);
  return /^CUDA(_ARRAY)?$/.test(symbolOf(device) ?? '');
}

function nameOf(call: Call): Path | undefined {
  const assigned = call.fn.events.find((event) => event.kind === 'assign' && event.value === call);
  return assigned?.kind === 'assign' ? pathOf(assigned.target) : undefined;
}

const viewMakers =
  /^(from_dlpack|to_dlpack|as_tensor|asarray|as_cuda_array|Texture2D|CUDAarray|TextureObject|UnownedMemory|MemoryPointer|ndarray|from_torch|to_torch|array|view|reshape|permute|squeeze|unsqueeze|transpose|flatten|int)$/;

function viewsOf(fn: FunctionFacts, path: Path, from: Event): Path[] {
  const names = [path];
  for (const event of fn.events) {
    if (event.id <= from.id || event.kind !== 'assign' || !event.value || event.op !== '=') continue;
    const target = pathOf(event.target);
    if (target && !names.some((name) => samePath(name, target)) && isView(event.value, names)) names.push(target);
  }
  return names;
}

/** The expression is mapped memory itself or something that only points at it. */
export function isView(expr: Expr, names: readonly Path[]): boolean {
  switch (expr.kind) {
    case 'path':
      return names.some((name) => isWithin(expr.path, name));
    case 'member':
      return isView(expr.object, names);
    case 'call': {
      const copy = expr.keywords.get('copy');
      if (copy?.kind === 'bool' && copy.value) return false;
      const isMaker = viewMakers.test(expr.name) || (expr.receiver !== undefined && isView(expr.receiver, names) && expr.name === 'contiguous');
      return isMaker && [expr.receiver, ...expr.args, ...expr.keywords.values()].some((part) => part && isView(part, names));
    }
    case 'init':
      return expr.entries.some((entry) => isView(entry.value, names));
    default:
      return false;
  }
}

export function usesView(call: Call, names: readonly Path[]): boolean {
  return [call.receiver, ...call.args, ...call.keywords.values()].some((part) => part && [...walk(part)].some((inner) => isView(inner, names)));
}

const workNames = /^(launch|launch_tiled|copy|copy_to|copy_from|clone|copy_|memcpy\w*Async|memcpyAsync)$/;
const hostReads = /^(numpy|cpu|get|item|tolist|asnumpy)$/;

/** Asynchronous GPU work: Warp launches, copies, operations of Torch and CuPy, kernels of Numba (`kernel[grid, block](x)`). */
export function isPythonWork(call: Call): boolean {
  if (workNames.test(call.name)) return call.name !== 'copy' || call.receiver?.kind !== 'path' || !/^(copy|shutil)\./.test(call.callee);
  if (call.callee.endsWith(']')) return true;
  if (viewMakers.test(call.name)) return false;
  return /^(torch|cupy)\.(?!cuda\b|from|as|utils|empty|zeros|ones|device)\w+(\.\w+)*$/.test(call.callee);
}

/** Brings data to the host; returns when it is there. */
export function readsToHost(call: Call): boolean {
  return hostReads.test(call.name) && call.args.length <= 1;
}

/** Somebody waits: the host, or a stream. Calls that nobody knows count when their name allows it. */
export function mayWaitInPython(event: Event): boolean {
  return event.kind === 'call' && (/sync|wait|join|finish|flush|block|drain|ready/i.test(event.name) || readsToHost(event));
}
