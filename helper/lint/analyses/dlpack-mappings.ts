// Python: mappings of any device, the views made of them, and where a mapping ends.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathOf, samePath, stripCasts, symbolOf } from '../facts/paths';
import { isView } from './python-mappings';

export interface MappingScope {
  readonly call: Call;
  readonly path: Path;
  /** Names that point into the mapping, its own name first. */
  readonly views: readonly Path[];
  isEnd(event: Event): boolean;
}

/** Mappings of render outputs and attributes that have a name in this function. */
export function mappingsIn(file: FileFacts, fn: FunctionFacts): MappingScope[] {
  return fn.calls
    .filter((call) => isMapping(file, call))
    .flatMap((call) => {
      const assigned = fn.events.find((event) => event.kind === 'assign' && event.value === call);
      const path = assigned?.kind === 'assign' ? pathOf(assigned.target) : undefined;
      if (!path) return [];
      const isEnd = (event: Event) =>
        (event.kind === 'scopeEnd' && event.context === call) ||
        (event.kind === 'call' && event.name === 'unmap' && samePath(pathOf(event.receiver), path));
      return [{ call, path, views: viewsOf(fn, path, call), isEnd }];
    });
}

function isMapping(file: FileFacts, call: Call): boolean {
  if (!/^map(_array|_attribute)?$/.test(call.name) || !call.receiver) return false;
  if (call.keywords.has('device') || call.keywords.has('sync_stream')) return true;
  if (call.args.some((arg) => /^(CPU|CUDA|CUDA_ARRAY)$/.test(symbolOf(arg) ?? ''))) return true;
  const isKnown = [...file.imports.values()].some((origin) => /^(ovrtx|ovstage)\b/.test(origin));
  return isKnown && call.args.length === 0 && call.keywords.size === 0;
}

/** `numpy.array`, `torch.tensor` and the like copy. */
const copies = /^(numpy|cupy|torch|jax\.numpy)\.(array|tensor|copy)$/;

function viewsOf(fn: FunctionFacts, path: Path, from: Call): Path[] {
  const names = [path];
  for (const event of fn.events) {
    if (event.id <= from.id || event.kind !== 'assign' || !event.value || event.op !== '=') continue;
    const target = pathOf(event.target);
    if (target && !names.some((name) => samePath(name, target)) && isViewOf(event.value, names)) names.push(target);
  }
  return names;
}

/** The expression points into the memory of one of the names. */
export function isViewOf(value: Expr, names: readonly Path[]): boolean {
  const bare = stripCasts(value);
  const copy = bare.kind === 'call' ? bare.keywords.get('copy') : undefined;
  if (bare.kind === 'call' && copies.test(bare.callee) && !(copy?.kind === 'bool' && !copy.value)) return false;
  if (bare.kind === 'path' && isDescription(bare.path, names)) return false;
  if (bare.kind === 'member' && description.test(`.${bare.name}`)) return false;
  if (bare.kind === 'init') return bare.entries.some((entry) => isViewOf(entry.value, names));
  return isView(bare, names);
}

const description = /^\.(shape|dtype|ndim|device|strides|size|nbytes|itemsize|cuda_sync|device_id|name|width|height|is_cuda|requires_grad)$/;

/** Shape, type or device of a view: plain values that stay right. */
export function isDescription(path: Path, names: readonly Path[]): boolean {
  return names.some((name) => path.root === name.root && path.steps.slice(name.steps.length).some((step) => description.test(step)));
}
