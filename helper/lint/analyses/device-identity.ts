// How code tells GPUs apart: comparisons of identities, CUDA ordinals, and which functions match devices of two APIs.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, lastName, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { typeOfPath } from '../flow/visible';

/** Two things that are compared for being equal, in whatever spelling. */
export interface Comparison {
  readonly expr: Expr;
  readonly event: Event;
  readonly sides: readonly [Expr, Expr];
}

const comparers =
  /^(strcmp|strncmp|strcasecmp|strncasecmp|_?stricmp|memcmp|bcmp|wcscmp|strstr|equal|compare|find|contains|starts_with|startswith|EqualLUID|IsEqualGUID|search)$/;

export function comparisonsIn(fn: FunctionFacts): Comparison[] {
  const found = new Map<Expr, Comparison>();
  for (const event of fn.events) {
    for (const root of expressionsOf(event)) {
      for (const expr of walk(root)) {
        const sides = sidesOf(expr);
        if (sides && !found.has(expr)) found.set(expr, { expr, event, sides });
      }
    }
  }
  return [...found.values()];
}

/** `strcmp(a, b) == 0` compares inside. */
function isComparer(expr: Expr): boolean {
  return expr.kind === 'call' && comparers.test(expr.name);
}

function sidesOf(expr: Expr): [Expr, Expr] | undefined {
  if (expr.kind === 'binary' && /^(==|!=|in|not in|<=>)$/.test(expr.op))
    // Whether there is one at all tells nothing apart.
    return expr.right.kind === 'null' || isComparer(expr.left) || isComparer(expr.right) ? undefined : [expr.left, expr.right];
  if (expr.kind !== 'call' || !comparers.test(expr.name)) return undefined;
  const [first, second, third] = expr.args;
  if (expr.name === 'equal' && third && expr.args.length >= 3) return first && [first, third];
  if (first && second && (!expr.receiver || /^(std|ranges|wcs|str)/.test(expr.callee))) return [first, second];
  return expr.receiver && first ? [expr.receiver, first] : undefined;
}

/** The expression, or what a local was made from: `std::string name = properties.deviceName`. */
export function resolved(at: Event, expr: Expr): Expr {
  const bare = stripCasts(expr);
  const value = bare.kind === 'path' ? valueAt(at, bare) : undefined;
  return value && value !== 'zero' && value.kind !== 'init' ? value : bare;
}

export interface Field {
  readonly name: string;
  readonly part: Expr;
}

/** The last names of all fields that an expression reads, copies into locals followed. */
export function fieldsOf(at: Event, expr: Expr): readonly Field[] {
  return [...walk(resolved(at, expr)), ...walk(expr)].flatMap((part): Field[] => {
    if (part.kind === 'member') return [{ name: part.name, part }];
    if (part.kind !== 'path') return [];
    const { steps } = part.path;
    const keyed = /^\["(\w+)"\]$|^\['(\w+)'\]$/.exec(steps.at(-1) ?? '');
    const name = keyed ? (keyed[1] ?? keyed[2]!) : lastName(part.path);
    return steps.length > 0 ? [{ name, part }] : [];
  });
}

/** Plain data of the program: a literal, `NULL`, an enumerator. */
export function isLiteral(at: Event, expr: Expr): boolean {
  const value = resolved(at, expr);
  if (/^(string|number|null|bool)$/.test(value.kind)) return true;
  return (
    value.kind === 'path' &&
    value.path.kind === 'global' &&
    value.path.steps.length === 0 &&
    /^(k[A-Z]\w*|[A-Z_0-9]+|.*::k?[A-Z_0-9]+)$/.test(value.path.root)
  );
}

const cudaFamilies = /^(cuda-driver|cuda-runtime|hip|cuvid)$/;

export function isCudaCall(call: Call): boolean {
  return call.api !== undefined && cudaFamilies.test(call.api.api.family);
}

/** Types or calls of Vulkan, EGL or GL in the function or the function around it. */
export function usesGraphics(fn: FunctionFacts): boolean {
  const types = [...fn.params, ...fn.locals].map((each) => each.type);
  if (types.some((type) => /\b(vk::|Vk[A-Z]|EGL[A-Z]|GLuint)/.test(type))) return true;
  if (fn.calls.some((call) => (call.api ? /^(vulkan|egl|gl|vma)$/.test(call.api.api.family) : /^vk[A-Z]/.test(call.name)))) return true;
  return fn.parent !== undefined && usesGraphics(fn.parent);
}

/** The function compares a CUDA UUID with Vulkan's `deviceUUID`, or asks for either beside a device of the other API. */
export function matchesDevices(fn: FunctionFacts): boolean {
  return comparisonsIn(fn).some(({ event, sides }) =>
    sides.some((side) => fieldsOf(event, side).some(({ name }) => /^(deviceUUID|device_uuid|deviceLUID)$/.test(name))),
  );
}

const ordinalName =
  /(^|_)(cuda|cu|nv)_?(device|dev|gpu|ordinal|index|idx|id|device_?(id|index|idx|ordinal|number))$|ordinal|^cuda_?(dev|device|gpu|idx|id)|cudaDevice|^device_id$|cudaIndex|deviceOrdinal/i;

/** The path holds a CUDA ordinal: CUDA gave it in this function, or its name says so. */
export function isCudaOrdinal(fn: FunctionFacts, path: Path): boolean {
  const name = lastName(path);
  if (/nvml|egl|vk|vulkan|drm|smi|adapter/i.test(name)) return false;
  return ordinalName.test(name) || fn.calls.some((call) => isCudaCall(call) && givesOrdinal(call) && samePath(call.api!.path('ordinal'), path));
}

function givesOrdinal(call: Call): boolean {
  return call.api!.api.params.some((param) => param.name === 'ordinal' && param.out);
}

/** Names of an expression's index, for `devices[cuda_ordinal]`: the text between the last brackets. */
export function indexOf(path: Path): { readonly array: Path; readonly index: string } | undefined {
  const at = path.steps.findLastIndex((step) => /^\[[A-Za-z_]\w*\]$/.test(step));
  if (at < 0) return undefined;
  return { array: { ...path, steps: path.steps.slice(0, at) }, index: path.steps[at]!.slice(1, -1) };
}

/** The variable of a name as the function sees it. */
export function variablePath(fn: FunctionFacts, name: string): Path {
  const isParam = fn.params.some((param) => param.name === name);
  return { root: name, kind: isParam ? 'param' : 'local', steps: [] };
}

/** `props.name` of a `cudaDeviceProp`, or what cuDeviceGetName wrote. */
export function isCudaName(file: FileFacts, fn: FunctionFacts, at: Event, expr: Expr): boolean {
  return [...walk(resolved(at, expr)), ...walk(expr)].some((part) => {
    if (part.kind === 'call') return /^(get_device_name|cuDeviceGetName)$/.test(part.name);
    if (part.kind !== 'path') return false;
    if (lastName(part.path) === 'name' && isCudaProperties(file, fn, part.path)) return true;
    return fn.calls.some((call) => /^(cuDeviceGetName)$/.test(call.api?.name ?? '') && samePath(call.api!.path('name'), part.path));
  });
}

/** The struct around the last field is a `cudaDeviceProp`. */
export function isCudaProperties(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  const owner = {
    ...path,
    steps: path.steps.slice(
      0,
      path.steps.findLastIndex((step) => step.startsWith('.')),
    ),
  };
  const type = typeOfPath(file, fn, owner);
  if (type && /^(cudaDeviceProp|hipDeviceProp_t|cudaDeviceProp_t)$/.test(type)) return true;
  return fn.calls.some(
    (call) => isCudaCall(call) && /GetDeviceProperties/.test(call.api!.name) && samePath(pathOf(call.api!.arg('properties')), owner),
  );
}
