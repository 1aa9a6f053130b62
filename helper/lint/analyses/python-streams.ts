// Python: which stream is current where, by `with torch.cuda.stream(s)`, `with wp.ScopedStream(s)`, `with s:` of CuPy.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { mentions, pathKey, pathOf, stripCasts } from '../facts/paths';
import { assignmentsTo } from '../flow/calls';
import { valueAt } from '../flow/definitions';

export interface StreamScope {
  /** Key of the stream as it is named. */
  readonly key: string;
  readonly stream: Expr;
  readonly begin: Event;
  readonly end: Event;
}

/** The `with` blocks of a function that make a side stream current; those that set the stream that is current anyway are left out. */
export function streamScopes(fn: FunctionFacts, file?: FileFacts): StreamScope[] {
  return fn.events.flatMap((begin) => {
    if (begin.kind !== 'scopeBegin') return [];
    const stream = streamOf(begin.context) ?? (file && cupyStream(file, begin, begin.context));
    const path = pathOf(stream);
    const end = fn.events.find((event) => event.kind === 'scopeEnd' && event.context === begin.context);
    if (!stream || !path || !end || isAmbient(begin, stream)) return [];
    return [{ key: pathKey(path), stream, begin, end }];
  });
}

function streamOf(context: Expr): Expr | undefined {
  if (context.kind === 'call')
    return /^(torch\.cuda\.stream|torch\.cuda\.StreamContext|warp\.ScopedStream)$/.test(context.callee) ? context.args[0] : undefined;
  return undefined;
}

/** `with s:` of a CuPy stream that does not wait for the default stream by itself, made in this function or in the file. */
function cupyStream(file: FileFacts, at: Event, context: Expr): Expr | undefined {
  const path = pathOf(context);
  if (!path || context.kind !== 'path') return undefined;
  const values = assignmentsTo(file, pathKey(path))
    .filter(({ fn, target }) => (path.kind !== 'local' || fn === at.fn) && isSameVariable(pathOf(target), path))
    .map(({ value }) => stripCasts(value));
  const isNonBlocking = (value: Expr) => {
    const flag = value.kind === 'call' && value.callee === 'cupy.cuda.Stream' ? (value.keywords.get('non_blocking') ?? value.args[1]) : undefined;
    return flag?.kind === 'bool' && flag.value;
  };
  return values.length > 0 && values.every(isNonBlocking) ? context : undefined;
}

/** A module's variable is local to the module's body and global elsewhere. */
function isSameVariable(a: Path | undefined, b: Path): boolean {
  return a !== undefined && pathKey(a) === pathKey(b) && (b.kind !== 'global' || a.kind !== 'param');
}

function isAmbient(at: Event, stream: Expr): boolean {
  const value = valueAt(at, stream);
  return value !== undefined && value !== 'zero' && value.kind === 'call' && /(current_stream|default_stream|get_stream)$/.test(value.callee);
}

/** The innermost side stream at an event, or undefined where the ambient stream is current. */
export function scopeAt(scopes: readonly StreamScope[], event: Event): StreamScope | undefined {
  return scopes.filter((scope) => scope.begin.id < event.id && event.id < scope.end.id).at(-1);
}

/** Names that get their value from GPU work inside a scope. */
export function producedIn(fn: FunctionFacts, scope: StreamScope): { path: Path; at: Event }[] {
  const made: Path[] = [];
  return fn.events.flatMap((event) => {
    if (event.kind !== 'assign' || event.id < scope.begin.id || event.id > scope.end.id || !event.value) return [];
    const path = pathOf(event.target);
    if (!path || event.op !== '=' || !(makesTensor(event.value) || computesWith(event.value, made))) return [];
    made.push(path);
    const filled = isEmptyArray(event.value) ? fn.calls.find((call) => fills(call, path) && call.id > event.id && call.id < scope.end.id) : event;
    return filled ? [{ path, at: filled }] : [];
  });
}

/** Memory without content: nothing has to be waited for until something fills it. */
function isEmptyArray(value: Expr): boolean {
  return value.kind === 'call' && /^(empty|empty_like|empty_strided)$/.test(value.name);
}

function fills(call: Call, path: Path): boolean {
  return isKernelLaunch(call) && call.args.some((arg) => mentions(arg, path));
}

/** `kernel((64, 64), (16, 16), (a, b))` of CuPy. */
export function isKernelLaunch({ args, receiver, api }: Call): boolean {
  return !api && !receiver && args.length >= 3 && args.slice(0, 3).every((arg) => arg.kind === 'init');
}

/** `y + 1` of something that was made here. */
function computesWith(value: Expr, made: readonly Path[]): boolean {
  return value.kind === 'binary' && /^[-+*/@]$/.test(value.op) && made.some((path) => mentions(value, path));
}

/** The value is certainly computed on the GPU: an operation of Torch, a copy that does not block, a matrix product. */
function makesTensor(value: Expr): boolean {
  if (value.kind === 'binary') return value.op === '@' || (/^[-+*/]$/.test(value.op) && [value.left, value.right].some(makesTensor));
  return value.kind === 'call' && isTensorCall(value);
}

export function isTensorCall(call: Call): boolean {
  if (
    /^(torch|cupy)\.(?!cuda\b|device|Generator|is_|get_|set_|utils|no_grad|manual_seed|dtype|finfo|from_|as_|tensor$|numel|load|save|jit|compile|distributed|profiler)\w+(\.\w+)*$/.test(
      call.callee,
    )
  )
    return true;
  if (/^(to|cuda)$/.test(call.name)) return call.keywords.get('non_blocking')?.kind === 'bool' || call.name === 'cuda';
  return (
    /^(clone|copy_|matmul|mm|bmm|sum|mean|softmax|argmax|forward)$/.test(call.name) ||
    /(^|[._])(model|net|encoder|decoder|backbone)$/.test(call.callee)
  );
}
