// Python arrays on a device: which expressions make a new one, and which hand out a bare pointer that does not keep its array alive.
import type { Expr } from '../facts/index';
import { stripCasts } from '../facts/paths';

/** Methods whose result is, or may be, an array of its own that nothing else holds. */
const makingMethods =
  /^(contiguous|astype|clone|copy|to|float|half|double|long|byte|bfloat16|type|flatten|sum|mean|permute_copy|repeat|cumsum|clip|clamp|round|abs|sqrt|exp|matmul|dot|add|mul|sub|div|get_copy)$/;
const makingCalls =
  /^(cupy|torch|numba\.cuda|warp|jax\.numpy|pycuda\.gpuarray)\.(\w+\.)?(ascontiguousarray|asfortranarray|array|zeros|ones|empty|full|zeros_like|ones_like|empty_like|full_like|arange|linspace|concatenate|cat|stack|tensor|rand|randn|randint|to_device|device_array|device_array_like|to_gpu|clone|from_numpy|copy|add|multiply|subtract|matmul|where|flip|roll|pad)$/;

/** Memory that is freed with the object that stands for it. */
const owningBuffers =
  /^(rmm\.DeviceBuffer(\.to_device)?|rmm\.pylibrmm\.\w+\.DeviceBuffer|cupy\.cuda\.(alloc|Memory|malloc_managed)|pycuda\.driver\.mem_alloc)$/;

/** The expression makes an array that dies when nothing names it. */
export function isFreshArray(expr: Expr): boolean {
  const bare = stripCasts(expr);
  if (bare.kind === 'binary') return /^(\+|-|\*|\/|\/\/|@|%|\*\*|&|\||\^|<<|>>)$/.test(bare.op);
  if (bare.kind === 'unary') return /^[-~]$/.test(bare.op);
  if (bare.kind !== 'call') return false;
  if (makingCalls.test(bare.callee) || owningBuffers.test(bare.callee)) return true;
  // Of an array that is there already, or of another library, it may hand out the very same memory.
  if (bare.name === 'cuda' && bare.receiver)
    return isFreshArray(bare.receiver) || (bare.receiver.kind === 'call' && /^torch\./.test(bare.receiver.callee));
  return bare.receiver !== undefined && makingMethods.test(bare.name) && !/^(copy|shutil|os|np|numpy|math)\./.test(bare.callee);
}

export interface Pointer {
  /** The array whose memory it is. */
  readonly array: Expr;
  /** How it was taken: `__cuda_array_interface__`, `data_ptr()`, `data.ptr`. */
  readonly by: string;
  readonly expr: Expr;
}

/** The pointer that an expression takes out of an array which is no plain name: `(a * 2).data_ptr()`. */
export function pointerOf(expr: Expr): Pointer | undefined {
  const bare = stripCasts(expr);
  if (bare.kind === 'member') {
    if (/^__(cuda_array|array)_interface__$/.test(bare.name)) return { array: bare.object, by: bare.name, expr };
    if (bare.name === 'ptr' && bare.object.kind === 'member' && bare.object.name === 'data')
      return { array: bare.object.object, by: 'data.ptr', expr };
    return /^(ptr|gpudata|device_ctypes_pointer)$/.test(bare.name) ? { array: bare.object, by: bare.name, expr } : undefined;
  }
  if (bare.kind === 'call' && bare.name === 'data_ptr' && bare.receiver && bare.args.length === 0)
    return { array: bare.receiver, by: 'data_ptr()', expr };
  return undefined;
}

/** The same for a named array: its path's length tells where the array ends. */
export function pointerSteps(steps: readonly string[]): { readonly array: readonly string[]; readonly by: string } | undefined {
  const at = steps.findIndex(
    (step, i) =>
      /^\.(__cuda_array_interface__|__array_interface__|gpudata)$/.test(step) ||
      (step === '.data' && steps[i + 1] === '.ptr') ||
      (step === '.ptr' && i === steps.length - 1),
  );
  return at < 0 ? undefined : { array: steps.slice(0, at), by: steps[at]!.slice(1) };
}
