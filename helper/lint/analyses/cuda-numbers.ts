// Which numbers of a function are CUDA's: by where they come from, what they are given to, or their names.
import type { Call, Expr, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, pathOf, samePath, walk } from '../facts/paths';
import { comparisonsIn, isCudaOrdinal } from './device-identity';
import { ordinalArgument, readsPath } from './device-ordinals';

export const currentDevice = /^(torch\.cuda\.current_device|cupy\.cuda\.runtime\.getDevice|cupy\.cuda\.get_device_id|warp\.get_cuda_device)$/;

/** By where it comes from or by its name; `device_id` alone may be of any numbering. */
export function isOrdinal(fn: FunctionFacts, path: Path): boolean {
  if (!isCudaOrdinal(fn, path)) return false;
  return path.root !== 'device_id' || definedByCuda(fn, path) || isGivenToCuda(fn, path);
}

function definedByCuda(fn: FunctionFacts, path: Path): boolean {
  return fn.events.some((event) => {
    if (event.kind === 'call')
      return event.api?.api.params.some((param) => param.name === 'ordinal' && param.out && samePath(event.api!.path('ordinal'), path));
    return event.kind === 'assign' && event.value?.kind === 'call' && currentDevice.test(event.value.callee) && samePath(pathOf(event.target), path);
  });
}

/** `cudaSetDevice(x)`, `torch.cuda.set_device(x)`, `f"cuda:{x}"`. */
export function isGivenToCuda(fn: FunctionFacts, path: Path): boolean {
  return fn.events.some((event) =>
    expressionsOf(event).some((root) =>
      [...walk(root)].some((part) => {
        if (part.kind === 'string') return /^cuda:/.test(part.value) && part.parts.some((each) => readsPath(each, path));
        return part.kind === 'call' && samePath(pathOf(ordinalArgument(part) ?? pythonOrdinal(part)), path);
      }),
    ),
  );
}

export function isCompared(fn: FunctionFacts, name: string): boolean {
  return comparisonsIn(fn).some(({ sides }) => sides.some((side) => side.kind === 'path' && side.path.root === name && side.path.steps.length === 0));
}

export function pythonOrdinal(call: Call): Expr | undefined {
  return /^(torch\.cuda\.(set_device|device|get_device_properties)|cupy\.cuda\.Device)$/.test(call.callee) ? call.args[0] : undefined;
}
