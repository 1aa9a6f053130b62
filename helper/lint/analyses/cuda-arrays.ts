// CUDA arrays (opaque image handles) that are taken for linear memory.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path, Span } from '../facts/index';
import { declarationOf, expressionsOf, lastName, pathOf, stripCasts, symbolOf, walk } from '../facts/paths';
import { fieldAt, valueAt } from '../flow/definitions';
import { typeOfPath } from '../flow/visible';
import { bareType } from '../knowledge/index';
import { fileQuery } from '../memo/query';

export interface ArrayMisuse {
  readonly at: Expr | Call;
  readonly array: Expr;
  readonly how: string;
  readonly from: Event | undefined;
}

export function arrayMisuses(file: FileFacts): ArrayMisuse[] {
  const found = file.subjects.flatMap((fn) => (file.language === 'python' ? inPython(fn) : inC(file, fn)));
  // A cast inside a reported copy is the same fault.
  const isInside = (inner: Span, outer: Span) => inner.start >= outer.start && inner.end <= outer.end;
  return found.filter((each, i) => !found.some((other, k) => k < i && isInside(each.at.span, other.at.span)));
}

// C, C++, CUDA

const linearCopies =
  /^(cudaMemcpy(Async|2D|2DAsync|Peer|PeerAsync)?|cuMemcpy(Async|DtoD|DtoH|HtoD)(Async)?|cudaMemset(Async|2D|2DAsync)?|cuMemset\w+)$/;
const arrayType = /^(cudaArray_t|cudaArray|cudaArray_const_t|CUarray|cudaMipmappedArray_t|CUmipmappedArray)$/;

/** Without such a word no cast is that of an array. */
const namesArrays = fileQuery((file) => file.hasToken('word', /array/i));

function inC(file: FileFacts, fn: FunctionFacts): ArrayMisuse[] {
  const mapped = fn.calls.find((call) => mapsArray(call));
  const copies = fn.calls.filter((call) => linearCopies.test(call.api?.name ?? ''));
  const copied = copies.flatMap((call) => sidesOf(call).flatMap((side) => copyFault(file, call, side, mapped) ?? []));
  return namesArrays(file) ? [...copied, ...fn.events.flatMap((event) => castFaults(file, event))] : copied;
}

/** Source and target; of a `cudaMemset` the target. */
function sidesOf(call: Call): Expr[] {
  return ['dst', 'src', 'ptr'].flatMap((name) => call.api!.arg(name) ?? []);
}

function copyFault(file: FileFacts, call: Call, side: Expr, mapped: Call | undefined): ArrayMisuse | undefined {
  const value = valueAt(call, stripCasts(side));
  const array = value === undefined || value === 'zero' ? undefined : stripCasts(value);
  if (array?.kind !== 'path') return undefined;
  const how = `${call.name} copies linear memory`;
  if (isArray(file, call.fn, array.path)) return { at: call, array: side, how, from: undefined };
  // The data of an output that this function maps as an array.
  return mapped && mapped.id < call.id && lastName(array.path) === 'data' && array.path.steps.length > 0
    ? { at: call, array: side, how, from: mapped }
    : undefined;
}

function isArray(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  if (path.steps.some((step) => step.startsWith('[') || step === '*')) return false;
  const written = declaredType(file, fn, path);
  // `cudaArray*` is a handle, `cudaArray_t*` a list of them.
  return written !== undefined && arrayType.test(bareType(written)) && (!/[*[]/.test(written) || /\bcudaArray\s*\*$/.test(written));
}

/** The type as declared, pointers included. */
function declaredType(file: FileFacts, fn: FunctionFacts, path: Path): string | undefined {
  if (path.steps.length === 0) return (declarationOf(fn, path) ?? file.globalNamed(path.root))?.type;
  const owner = path.steps.length === 1 && path.kind === 'this' ? fn.className : typeOfPath(file, fn, { ...path, steps: path.steps.slice(0, -1) });
  return file.classNamed(owner ?? '')?.fields.find((each) => each.name === lastName(path))?.type;
}

/** `ovrtx_map_render_var_output` with the device type of arrays. */
function mapsArray(call: Call): boolean {
  if (call.api?.name !== 'ovrtx_map_render_var_output') return false;
  const { values } = fieldAt(call, call.api.arg('desc'), 'device_type');
  return values.length > 0 && values.every(({ value }) => value !== 'zero' && symbolOf(value) === 'OVRTX_MAP_DEVICE_TYPE_CUDA_ARRAY');
}

/** `reinterpret_cast<float*>(array)`, `(CUdeviceptr)array`: an address that is none. */
function castFaults(file: FileFacts, event: Event): ArrayMisuse[] {
  const parts = expressionsOf(event).flatMap((expr) => [...walk(expr)]);
  return parts.flatMap((expr) => {
    if (expr.kind !== 'cast' || !isAddress(expr.type)) return [];
    const path = pathOf(expr.operand);
    const isHandle = expr.operand.kind !== 'unary' && path !== undefined && isArray(file, event.fn, path);
    return isHandle ? [{ at: expr, array: expr.operand, how: `the cast to ${expr.type.trim()} makes an address of it`, from: undefined }] : [];
  });
}

function isAddress(type: string): boolean {
  const bare = bareType(type);
  if (bare === 'CUdeviceptr') return true;
  return (
    /\*\s*$/.test(type) &&
    /^(float\d?|double|u?char\d?|unsignedchar|u?int(8|16|32|64)?(_t)?\d?|unsigned(int)?|half\d?|__half\d?|short|ushort\d?)$/.test(bare)
  );
}

// Python

const linearViews =
  /^(from_dlpack|as_tensor|asarray|as_cuda_array|UnownedMemory|from_torch|memcpy|memcpyAsync|cudaMemcpy|cudaMemcpyAsync|memcpy_dtoh\w*|memcpy_dtod\w*|copy_from_device)$/;

function inPython(fn: FunctionFacts): ArrayMisuse[] {
  return fn.calls.flatMap((mapping) => {
    const names = isArrayMapping(mapping) ? tensorsOf(fn, mapping) : [];
    if (names.length === 0) return [];
    return fn.calls.flatMap((call) => {
      if (call.id <= mapping.id) return [];
      const used = linearViews.test(call.name) ? call.args.find((arg) => isTensor(arg, names)) : toHost(call, names);
      return used ? [{ at: call, array: used, how: `${call.name} reads linear memory`, from: mapping }] : [];
    });
  });
}

function toHost(call: Call, names: readonly string[]): Expr | undefined {
  return /^(numpy|cpu)$/.test(call.name) && call.receiver && isTensor(call.receiver, names) ? call.receiver : undefined;
}

/** `render_var.map(device=Device.CUDA_ARRAY)` */
function isArrayMapping(call: Call): boolean {
  if (!/^map(_\w+)?$/.test(call.name) || !call.receiver) return false;
  const device = call.keywords.get('device') ?? call.args[0];
  const value = device && valueAt(call, device);
  if (!value || value === 'zero') return false;
  return symbolOf(value) === 'CUDA_ARRAY' || (value.kind === 'string' && /^cuda_array$/i.test(value.value));
}

/** The mapping's name and the names of its tensors and handles; what calls make of them is something else. */
function tensorsOf(fn: FunctionFacts, mapping: Call): string[] {
  const names: string[] = [];
  for (const event of fn.events) {
    if (event.kind !== 'assign' || !event.value || event.id < mapping.id) continue;
    const target = pathOf(event.target);
    if (target?.steps.length !== 0) continue;
    const isMapped = event.value === mapping || (event.value.kind === 'path' && names.includes(event.value.path.root));
    if (isMapped) names.push(target.root);
    else if (names.includes(target.root)) names.splice(names.indexOf(target.root), 1);
  }
  return names;
}

function isTensor(expr: Expr, names: readonly string[]): boolean {
  if (expr.kind === 'member') return isTensor(expr.object, names) && !/^(shape|dtype|device|nbytes|strides)$/.test(expr.name);
  return expr.kind === 'path' && names.includes(expr.path.root) && !/\.(shape|dtype|device|nbytes|strides)\b/.test(expr.path.steps.join(''));
}
