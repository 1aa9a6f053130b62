// What ends objects of a GPU API: which call, which thing, and what the destructor of a class comes to in the end.
import type { Call, ClassFacts, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { extend, isWithin, pathOf, stripCasts } from '../facts/paths';
import { ownerOf } from '../flow/owner-types';
import { resolveCallee } from '../flow/program';
import { bareType } from '../knowledge/index';
import { perName } from '../per-name';
import { splitTemplate } from '../text/words';

export const isGpuFamily = (family: string): boolean => gpu.test(family);

const gpu = /^(cuda-driver|cuda-runtime|hip|vulkan|vma|gl|egl|cuvid)$/;

/** The call ends an object or memory of a GPU API. */
export function endsGpuObject(call: Call): boolean {
  const { api } = call;
  if (!api || !gpu.test(api.api.family)) return false;
  const ends = api.does('destroy') || api.does('free') || api.does('unregister');
  return ends && !isNullArgument(endedArgument(call));
}

/** The call makes an object or memory of a GPU API. */
export function makesGpuObject(call: Call): boolean {
  const { api } = call;
  if (!api || !gpu.test(api.api.family)) return false;
  return api.does('create') || api.does('alloc') || api.does('import') || api.does('register') || api.does('map');
}

/** Parameters that name what the object belongs to, when something else is ended. */
const owners = /^(device|instance|allocator|display|pool|swapchain|count|flags|stream)$/;

/** The argument that names what is ended: the last one that names no owner, else the first. */
function endedArgument(call: Call): Expr | undefined {
  const params = call.api!.api.params.filter((param) => call.api!.arg(param.name) !== undefined);
  const named = params.filter((param) => !owners.test(param.name));
  const chosen = /^vma/.test(call.api!.name)
    ? (named[0] ?? params[0])
    : (named.at(-1) ?? params.find((param) => param.name !== 'allocator') ?? params[0]);
  const own = /^vkDestroyDevice$|^vkDestroyInstance$/.test(call.api!.name) ? params[0] : chosen;
  const ofPool = /^vkDestroy\w*Pool$/.test(call.api!.name) ? params.find((param) => param.name === 'pool') : undefined;
  const ofSwapchain = call.api!.name === 'vkDestroySwapchain' ? params.find((param) => param.name === 'swapchain') : undefined;
  const param = ofPool ?? ofSwapchain ?? own;
  return param && call.api!.arg(param.name);
}

function isNullArgument(arg: Expr | undefined): boolean {
  return arg?.kind === 'null' || (arg?.kind === 'number' && arg.value === 0);
}

/** The path of what a call ends: `x` for `destroy(x)`, `destroy(&x)`, `destroy(std::exchange(x, nullptr))`; of a call that no table knows the first. */
export function endedPath(call: Call): Path | undefined {
  return handlePath(call.api ? endedArgument(call) : call.args[0]);
}

function handlePath(arg: Expr | undefined): Path | undefined {
  const bare = arg && stripCasts(arg);
  if (bare?.kind === 'call' && /^(std::)?exchange$/.test(bare.callee)) return pathOf(bare.args[0]);
  if (bare?.kind === 'call' && bare.receiver && /^(release|get|take|handle|native|detach)$/i.test(bare.name)) return pathOf(bare.receiver);
  return pathOf(bare);
}

/** Output arguments of a call: what it writes. */
export function writtenBy(call: Call): Path[] {
  const out = call.api?.api.params.filter((param) => param.out).flatMap((param) => call.api!.path(param.name) ?? []) ?? [];
  return call.result ? [...out, call.result] : out;
}

/** The event gives the path (or what holds it) another value. */
export function writes(event: Event, path: Path): boolean {
  if (event.kind === 'assign') return event.target.kind === 'path' && isWithin(path, event.target.path);
  if (event.kind !== 'call') return false;
  if (writtenBy(event).some((each) => isWithin(path, each))) return true;
  const swapped = /^(std::)?(exchange|swap)$/.test(event.callee) ? event.args : [];
  return swapped.some((arg) => isWithin(path, pathOf(arg) ?? { root: '', kind: 'global', steps: [] }));
}

/** Null, zero or `{}`. */
export function isNullValue(value: Expr): boolean {
  const bare = stripCasts(value);
  if (bare.kind === 'null' || (bare.kind === 'number' && bare.value === 0)) return true;
  if (bare.kind === 'init') return bare.entries.length === 0 || bare.entries.every((entry) => isNullValue(entry.value));
  return bare.kind === 'path' && /^(VK_NULL_HANDLE|EGL_NO_\w+|CU_\w*NULL\w*|GL_NONE|nil|Nil)$/.test(bare.path.root);
}

/**
 * All calls that a function makes, helpers that the file shows included, with paths as the outermost function sees them. `site` is the
 * event in that function.
 */
export interface Reached {
  readonly call: Call;
  readonly site: Call;
  /** A path of the inner function in terms of the outer one; undefined when it names something of the inner function alone. */
  outer(path: Path | undefined): Path | undefined;
}

export function* reachedCalls(file: FileFacts, fn: FunctionFacts, depth = 4, left = { calls: mostInCallees }): Generator<Reached> {
  for (const call of fn.calls) {
    yield { call, site: call, outer: (path) => path };
    const callee = depth > 0 && left.calls > 0 && !call.api ? resolveCallee(file, call) : undefined;
    if (!callee || callee === fn) continue;
    left.calls -= callee.calls.length;
    const translate = translation(call, callee);
    for (const inner of reachedCalls(file, callee, depth - 1, left)) {
      yield { call: inner.call, site: call, outer: (path) => translate(inner.outer(path)) };
    }
  }
}

/** Of what is reached: generated functions that call each other have more ways than can be walked. No more are entered then. */
const mostInCallees = 10_000;

/** Paths of the callee as the caller knows them. */
export function translation(call: Call, callee: FunctionFacts): (path: Path | undefined) => Path | undefined {
  return (path) => {
    if (!path) return undefined;
    if (path.kind === 'global') return path;
    if (path.kind === 'this') {
      const object = call.receiver && pathOf(call.receiver);
      return object && object.kind !== 'this' ? extend(object, ...path.steps) : object ? extend(object, ...path.steps) : path;
    }
    const position = callee.params.findIndex((param) => param.name === path.root);
    const given = position >= 0 ? pathOf(call.args[position]) : undefined;
    return given && extend(given, ...path.steps);
  };
}

/** The class that a type holds by value or owns: through smart pointers, optionals, containers and arrays. */
export const ownedClass = perName((type: string): string | undefined => {
  const text = plainType(type);
  if (/[*&]\s*$/.test(text)) return undefined;
  const held = heldIn(text);
  return held === undefined ? bareType(text).split('::').at(-1) : ownedClass(held);
});

function plainType(type: string): string {
  return type.replace(/\b(const|static|inline|volatile|struct|class|mutable|constexpr|constinit|thread_local)\b/g, ' ').trim();
}

/** `T` of `std::vector<T>`, `std::map<K, T>`; undefined for what is no container or pointer that owns. */
function heldIn(text: string): string | undefined {
  const wrapped =
    /^(?:std::|absl::|boost::)?(?:unique_ptr|shared_ptr|optional|vector|array|deque|list|unordered_map|map|pair)\s*<(.*)>(?:\[.*\])?$/.exec(
      text,
    )?.[1];
  if (wrapped === undefined) return undefined;
  const parts = splitTemplate(wrapped).filter((part) => !/^\d+$/.test(part));
  return /map|pair/.test(text.slice(0, text.indexOf('<'))) ? parts[1] : parts[0];
}

const libraryOwners =
  /^(?:vk::Unique[A-Z]\w*|vk::raii::[A-Z]\w*|thrust::device_vector<.*>|thrust::device_ptr<.*>|rmm::device_(?:buffer|uvector|vector)\b.*|cv::cuda::GpuMat|cudf::\w+)$/;

/** The call that frees, and where the destructor comes to it; neither for types of libraries. */
export interface Freed {
  readonly call: Call | undefined;
  readonly site?: Call;
}

/** What the end of a value of this type does to a GPU API: the call, the library type, or nothing that the file shows. */
export function freedWith(file: FileFacts, type: string, depth = 4): Freed | undefined {
  const text = type.replace(/\b(const|static|inline)\b/g, ' ').trim();
  if (/[*&]\s*$/.test(text) || depth === 0) return undefined;
  if (libraryOwners.test(text)) return { call: undefined };
  const deleter = /^(?:std::)?unique_ptr\s*<(.*)>$/.exec(text)?.[1];
  const custom = deleter && splitTemplate(deleter)[1];
  if (custom) {
    return frees(
      file,
      (file.classNamed(bareType(custom)) ?? ownerOf(file, custom))?.methods.find((fn) => /^operator/.test(fn.name)),
    );
  }
  const held = heldIn(plainType(text));
  if (held !== undefined) return freedWith(file, held, depth);
  const owned = ownedClass(text);
  const known = owned ? file.classNamed(owned) : undefined;
  return known && freedWithClass(file, known, depth);
}

function freedWithClass(file: FileFacts, each: ClassFacts, depth: number): Freed | undefined {
  const own = frees(file, each.destructor);
  if (own) return own;
  for (const field of each.fields) {
    const found = field.isStatic ? undefined : freedWith(file, field.type, depth - 1);
    if (found) return found;
  }
  for (const base of each.bases) {
    const known = file.classNamed(bareType(base));
    const found = known && known !== each ? freedWithClass(file, known, depth - 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

function frees(file: FileFacts, fn: FunctionFacts | undefined): Freed | undefined {
  if (!fn) return undefined;
  for (const { call, site } of reachedCalls(file, fn)) if (endsGpuObject(call)) return { call, site };
  return undefined;
}
