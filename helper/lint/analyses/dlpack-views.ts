// Views of memory and the functions that end them: DLPack deleters, the deleters of torch::from_blob, capsules of pybind11 and nanobind.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { extend, lastName, pathOf, samePath, stripCasts } from '../facts/paths';
import { definitionsAt } from '../flow/definitions';
import { callsNamed } from '../flow/program';
import { isManaged } from './dlpack';

/** A view made in a function: where its pixels, and what its deleter is given, come from. */
export interface View {
  readonly fn: FunctionFacts;
  readonly at: Event;
  readonly deleter: FunctionFacts;
  /** What the view's `data` is. */
  readonly data: Expr | undefined;
  /** What the deleter gets: `manager_ctx`, or the pointer itself. */
  readonly context: Expr | undefined;
}

export function viewsIn(file: FileFacts, fn: FunctionFacts): View[] {
  return fn.events.flatMap((event) => {
    const whole = wholeView(file, event);
    if (whole) return whole;
    if (event.kind === 'assign') return managedView(file, event) ?? [];
    return event.kind === 'call' ? (wrappedView(file, event) ?? []) : [];
  });
}

/** `DLManagedTensor{{data, device, ...}, context, deleter}`, also behind `new` and with the names of the fields. */
function wholeView(file: FileFacts, event: Event): View | undefined {
  const written = event.kind === 'assign' ? event.value : event.kind === 'call' && event.form === 'new' ? event.args[0] : undefined;
  const init = written && stripCasts(written);
  if (init?.kind !== 'init' || init.entries.length !== 3) return undefined;
  const type = init.type ?? (event.kind === 'assign' ? event.declares?.type : undefined);
  if (!/\bDLManagedTensor\b/.test(type ?? '')) return undefined;
  const [tensor, context, deleter] = init.entries.map(({ value }) => value);
  const found = functionOf(file, deleter!);
  const data = tensor?.kind === 'init' ? tensor.entries[0]?.value : undefined;
  return found && { fn: event.fn, at: event, deleter: found, data, context };
}

/** `mt->deleter = ...`, and the `data` and `manager_ctx` that the same function sets. */
function managedView(file: FileFacts, event: Assign): View | undefined {
  const target = event.target.kind === 'path' ? event.target.path : undefined;
  if (target?.steps.at(-1) !== '.deleter' || !event.value) return undefined;
  const owner = { ...target, steps: target.steps.slice(0, -1) };
  const deleter = functionOf(file, event.value);
  if (!deleter) return undefined;
  const field = (...steps: string[]) => lastValue(event.fn, extend(owner, ...steps));
  const data = field('.dl_tensor', '.data') ?? tensorData(file, event.fn);
  return { fn: event.fn, at: event, deleter, data, context: field('.manager_ctx') };
}

function lastValue(fn: FunctionFacts, path: Path): Expr | undefined {
  const found = fn.events.findLast((event) => event.kind === 'assign' && event.op === '=' && samePath(pathOf(event.target), path));
  return found?.kind === 'assign' ? found.value : undefined;
}

/** `DLTensor& t = mt->dl_tensor; t.data = ...`: the only tensor of the function. */
function tensorData(file: FileFacts, fn: FunctionFacts): Expr | undefined {
  const written = fn.events.filter((event): event is Assign => event.kind === 'assign' && pathOf(event.target)?.steps.at(-1) === '.data');
  const [only] = written;
  const owner = only && pathOf(only.target);
  return written.length === 1 && owner && !isManaged(file, fn, owner) ? only.value : undefined;
}

const wrappers = /^(from_blob|capsule|shared_ptr)$/;

/** `from_blob(data, sizes, deleter)`, `py::capsule(data, deleter)`. */
function wrappedView(file: FileFacts, call: Call): View | undefined {
  const name = call.name.replace(/<.*$/, '').split('::').at(-1)!;
  if (!wrappers.test(name) || (name !== 'from_blob' && !/\b(py|nb|pybind11|nanobind)::capsule/.test(call.callee + call.name))) return undefined;
  const given = call.args.slice(1).map((arg) => functionOf(file, arg));
  const deleter = given.find((fn) => fn !== undefined);
  return deleter && { fn: call.fn, at: call, deleter, data: call.args[0], context: call.args[0] };
}

/** The function that a lambda or a function's name means, when the file shows it. */
export function functionOf(file: FileFacts, value: Expr): FunctionFacts | undefined {
  const bare = stripCasts(value);
  if (bare.kind === 'lambda') return bare.fn;
  if (bare.kind === 'unary' && (bare.op === '+' || bare.op === '&')) return functionOf(file, bare.operand);
  if (bare.kind !== 'path' || bare.path.kind === 'local' || bare.path.kind === 'param') return undefined;
  const named = file.functionsNamed(lastName(bare.path).split('::').at(-1)!);
  return named.length === 1 ? named[0] : undefined;
}

/** `named`: only names say that it is borrowed. */
export type Origin = 'borrowed' | 'named' | 'owned' | 'unknown';

const allocation =
  /^(new|malloc|calloc|realloc|aligned_alloc|posix_memalign|cudaMalloc\w*|cuMemAlloc\w*|hipMalloc\w*|make_\w+|alloc\w*|\w*_alloc|\w*[aA]llocate\w*)$/;
const owning = /own|adopt|take|steal|consume|transfer|give|alloc|fresh|clone|copy|make_owned/i;
const borrowing =
  /view|frame|pixel|render|borrow|shared|mapped|wrap|alias|external|interop|image|surface|texture|output|peek|swapchain|slot|backbuffer|vram/i;

const accessors = /^(get_?)?((device|gpu|cuda|dev|raw|mutable|base)_?)?(data|ptr|pointer|address|buffer)$/i;

/** Whose memory is this? `borrowed` and `owned` need evidence in the function that makes the view. */
export function originOf(file: FileFacts, at: Event, written: Expr | undefined, depth = 4): Origin {
  if (!written || depth === 0) return 'unknown';
  const value = stripCasts(written);
  if (value.kind === 'call') return originOfCall(file, at, value, depth);
  if (value.kind === 'unary' && value.op === '&') return 'borrowed';
  if (value.kind === 'binary' && value.op === '+') return originOf(file, at, value.left, depth);
  if (value.kind !== 'path') return 'unknown';
  return originOfPath(file, at, value.path, depth);
}

function originOfCall(file: FileFacts, at: Event, call: Call, depth: number): Origin {
  if (call.form === 'new' || call.api?.does('alloc') || allocation.test(call.name)) return 'owned';
  if (/^(release|exchange|move|detach|take)$/.test(call.name)) return 'owned';
  if (/^(data|get|ptr|data_ptr|mutable_data_ptr|begin)$/.test(call.name)) return originOfContent(at.fn, pathOf(call.receiver));
  // What a project calls its own accessors tells less than the library's names do.
  if (accessors.test(call.name) && call.receiver) return originOfContent(at.fn, pathOf(call.receiver)) === 'borrowed' ? 'named' : 'unknown';
  return depth > 1 && /^(launder|raw_pointer_cast)$/.test(call.name) && call.args[0] ? originOf(file, at, call.args[0], depth - 1) : 'unknown';
}

/** What a container or smart pointer gives a look at; one that lets go of it in the same function hands it over. */
function originOfContent(fn: FunctionFacts, owner: Path | undefined): Origin {
  if (!owner || owner.kind === 'global' || owner.kind === 'captured') return 'unknown';
  const isReleased = fn.calls.some(
    (call) => /^(release|detach|take|move)$/.test(call.name) && samePath(pathOf(call.receiver ?? call.args[0]), owner),
  );
  return isReleased ? 'owned' : 'borrowed';
}

function originOfPath(file: FileFacts, at: Event, path: Path, depth: number): Origin {
  const { fn } = at;
  const writer = fn.calls.findLast((call) => call.id < at.id && writes(call, path));
  if (writer) return writer.api?.does('alloc') || allocation.test(writer.name) ? 'owned' : isMapping(writer) ? 'borrowed' : 'unknown';
  if (path.root === 'this') return originOfField(file, fn, path);
  if (path.kind === 'param') return originOfParam(file, fn, path);
  if (path.kind === 'global') return freedElsewhere(file, fn, path) ? 'named' : 'unknown';
  if (path.kind !== 'local') return 'unknown';
  const { values, unknown } = definitionsAt(at, path);
  const [only] = values;
  if (only && !unknown && values.length === 1 && only.value !== 'zero') return originOf(file, only.at, only.value, depth - 1);
  return 'unknown';
}

function writes(call: Call, path: Path): boolean {
  if (call.api) return call.api.api.params.some((param) => param.out && samePath(call.api!.path(param.name), path));
  return call.args.some((arg) => arg.kind === 'unary' && arg.op === '&' && samePath(pathOf(arg.operand), path));
}

/** The pointer of an external memory's buffer is freed by who mapped it: `cuExternalMemoryGetMappedBuffer` in the driver's documentation. */
function isMapping({ api }: Call): boolean {
  return api !== undefined && !/MappedBuffer/.test(api.name) && (api.does('map') || /Mapped(Pointer|Array)|MapMemory|MapVideoFrame/.test(api.name));
}

/** Set to null afterwards: the pointer moved out. */
function isReset(fn: FunctionFacts, path: Path): boolean {
  return fn.events.some(
    (event) => event.kind === 'assign' && samePath(pathOf(event.target), path) && (event.value?.kind === 'null' || event.value?.kind === 'number'),
  );
}

/** The program frees it by its name, deleters apart. */
function freedElsewhere(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  if (isReset(fn, path)) return false;
  return file.functions.some(
    (each) => each !== fn && each.calls.some((call) => call.api?.does('free') && call.args.some((arg) => samePath(pathOf(arg), path))),
  );
}

/** The object keeps what it frees itself elsewhere; of another field only that it is one tells anything. */
function originOfField(file: FileFacts, fn: FunctionFacts, path: Path): Origin {
  if (path.steps.length > 0 && isReset(fn, path)) return 'owned';
  const frees = (call: Call) =>
    (call.form === 'delete' || call.name === 'free' || call.api?.does('free')) && call.args.some((arg) => samePath(pathOf(arg), path));
  const own = file.functionsOfClass(fn.className ?? '').filter((each) => each.kind !== 'lambda' && each !== fn);
  return path.steps.length > 0 && own.some((each) => each.calls.some(frees)) ? 'borrowed' : 'named';
}

/** A parameter's name and its function's say whether it is lent or given away. */
function originOfParam(file: FileFacts, fn: FunctionFacts, path: Path): Origin {
  const param = fn.params.find((each) => each.name === path.root);
  if (!param || /unique_ptr|&&$|shared_ptr/.test(param.type) || isReset(fn, path)) return 'unknown';
  if (owning.test(param.name) || owning.test(fn.name)) return 'owned';
  const index = fn.params.indexOf(param);
  const given = callsNamed(file, fn.name).map((call) => ({ call, arg: call.args[index] }));
  const origins = given.map(({ call, arg }) => (path.steps.length === 0 ? originOf(file, call, arg, 2) : 'unknown'));
  if (origins.includes('owned') || (fn.kind === 'lambda' && origins.length === 0)) return 'owned';
  if (origins.includes('borrowed')) return 'borrowed';
  if (origins.includes('named')) return 'named';
  if (path.steps.length > 0 && /\bconst\b|&$/.test(param.type)) return 'borrowed';
  return borrowing.test(`${fn.name} ${param.name} ${param.type} ${fn.className ?? ''}`) ? 'named' : 'unknown';
}
