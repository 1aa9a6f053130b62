// OpenGL contexts: which call makes which one current, and which code runs on another thread.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathOf, stripCasts, walk } from '../facts/paths';
import { typeOfPath } from '../flow/visible';
import { fileQuery } from '../memo/query';
import { fromFunctions } from '../memo/table';
import { isNullValue, reachedCalls } from './releases';

/** The C name of a call; Python's window libraries are known by how their C functions are called. */
function glName(call: Call): string {
  if (/(^|\.)glfw\.make_context_current$/.test(call.callee)) return 'glfwMakeContextCurrent';
  if (/(^|\.)glfw\.get_current_context$/.test(call.callee)) return 'glfwGetCurrentContext';
  return call.api && call.api.spelling !== 'python' ? call.api.name : call.name;
}

export interface MadeCurrent {
  readonly call: Call;
  /** Undefined when no context is current afterwards. */
  readonly context: Path | undefined;
  readonly isNone: boolean;
}

const makers = /^(eglMakeCurrent|glXMakeCurrent|glXMakeContextCurrent|wglMakeCurrent|glfwMakeContextCurrent|SDL_GL_MakeCurrent|eglReleaseThread)$/;

/** What a call makes current, when it is one of the calls that do. */
export function madeCurrent(call: Call): MadeCurrent | undefined {
  const name = glName(call);
  if (!makers.test(name)) return undefined;
  if (name === 'eglReleaseThread') return { call, context: undefined, isNone: true };
  const written = call.api && call.api.spelling !== 'python' ? call.api.arg('context') : call.args.at(-1);
  const isNone = written === undefined || isNullValue(written);
  return { call, context: isNone ? undefined : pathOf(written), isNone };
}

/** A call that needs a current context on its thread. */
export function needsContext(call: Call): boolean {
  const name = glName(call);
  if (/^gl[A-Z]\w+$/.test(name) && !/^gl[XM]ake|^glfw/.test(name) && !call.receiver) return true;
  return /^(cuda|cu|hip)Graphics(GLRegister\w+|UnregisterResource|MapResources|UnmapResources)$/.test(call.api?.name ?? '');
}

export interface ThreadStart {
  /** The event that starts the thread. */
  readonly at: Event;
  readonly body: FunctionFacts;
  /** A path of the body in terms of the starter. */
  outer(path: Path): Path | undefined;
}

const starters =
  /^(thread|jthread|std::thread|std::jthread|async|pthread_create|thrd_create|SDL_CreateThread\w*|g_thread_(?:try_)?new|CreateThread|_beginthread(?:ex)?|Thread|start_new_thread|QThread::create)$/;

/** Functions and lambdas of the file that `fn` runs on another thread. */
const threadsIn = fromFunctions(threadsOf);

export function threadsOf(file: FileFacts, fn: FunctionFacts): ThreadStart[] {
  return fn.events.flatMap((event): ThreadStart[] => {
    const given =
      event.kind === 'call' ? startArguments(file, event) : event.kind === 'assign' ? assignedThread(file, fn, event.target, event.value) : [];
    const body = given.map((arg) => bodyOf(file, fn, arg)).find((each) => each !== undefined);
    if (!body) return [];
    const behind = given.slice(given.findIndex((arg) => bodyOf(file, fn, arg) === body) + 1);
    // A name stands between the function and its argument.
    const rest = event.kind === 'call' && event.name.startsWith('SDL_') ? behind.slice(-1) : behind;
    return [{ at: event, body, outer: (path) => outerPath(body, rest, path) }];
  });
}

function startArguments(file: FileFacts, call: Call): readonly Expr[] {
  const bare = call.callee.replace(/^new /, '');
  const isStart = starters.test(call.name) || starters.test(bare) || /^std::j?thread$/.test(bare);
  return isStart || addsThread(file, call) ? [...call.args, ...call.keywords.values()] : [];
}

/** Types are asked for last: they lie in other functions, and who asks depends on those. */
function addsThread(file: FileFacts, call: Call): boolean {
  const object = /^(emplace_back|push_back)$/.test(call.name) ? call.receiver && pathOf(call.receiver) : undefined;
  return object !== undefined && /\bj?thread\b/.test(typeOfPath(file, call.fn, object) ?? '');
}

/** `worker_([this] { loop(); })` in a list of initialisers. */
function assignedThread(file: FileFacts, fn: FunctionFacts, target: Expr, value: Expr | undefined): readonly Expr[] {
  if (!value || value.kind === 'call') return [];
  const given = value.kind === 'init' ? value.entries.map((entry) => entry.value) : value.kind === 'other' ? value.operands : [value];
  if (!given.some(mayBeBody)) return [];
  const path = pathOf(target);
  return path && /^(std::)?j?thread$/.test(typeOfPath(file, fn, path) ?? '') ? given : [];
}

function mayBeBody(arg: Expr): boolean {
  const bare = stripCasts(arg);
  return bare.kind === 'lambda' || pathOf(bare) !== undefined;
}

function bodyOf(file: FileFacts, fn: FunctionFacts, arg: Expr): FunctionFacts | undefined {
  const bare = stripCasts(arg);
  if (bare.kind === 'lambda') return bare.fn;
  const path = pathOf(bare);
  if (!path) return undefined;
  const name = (path.steps.at(-1) ?? path.root).replace(/^\./, '').split('::').at(-1)!;
  const isOwn = path.kind === 'this' && path.steps.length === 1;
  if (path.steps.length > 0 && !isOwn) return undefined;
  const candidates = file.functionsNamed(name).filter((each) => each.kind !== 'lambda' && (!isOwn || each.className === fn.className));
  return candidates.length === 1 && (path.kind === 'global' || isOwn || candidates[0]!.parent === fn) ? candidates[0] : undefined;
}

/** Captured names and fields are the same outside; parameters are what the start hands over. */
function outerPath(body: FunctionFacts, given: readonly Expr[], path: Path): Path | undefined {
  const position = body.params.findIndex((param) => param.name === path.root);
  if (position < 0) {
    const source = path.kind === 'local' ? copiedFrom(body, path) : undefined;
    return source ? outerPath(body, given, source) : path.kind === 'local' ? undefined : path;
  }
  const arg = given[position];
  const inner = arg?.kind === 'call' && /^(std::)?c?ref$/.test(arg.callee) ? arg.args[0] : arg;
  const outer = pathOf(inner);
  return outer && { ...outer, steps: [...outer.steps, ...path.steps] };
}

/** `struct app *app = data;`: a pointer that is another name of a parameter all along. */
function copiedFrom(body: FunctionFacts, path: Path): Path | undefined {
  const set = body.events.filter((event): event is Assign => event.kind === 'assign' && pathOf(event.target)?.root === path.root);
  const [only] = set;
  const source = set.length === 1 && only?.declares?.type.match(/[*&]$|^auto/) ? pathOf(only.value) : undefined;
  return source?.kind === 'param' ? { ...source, steps: [...source.steps, ...path.steps] } : undefined;
}

/** The names of functions that run on threads which the file starts, with all that they call. */
export const threadFunctions = fileQuery((file): ReadonlySet<FunctionFacts> => {
  const found = new Set<FunctionFacts>();
  for (const { body } of threadsIn(file)) {
    found.add(body);
    for (const { call } of reachedCalls(file, body)) found.add(call.fn);
  }
  return found;
});

/** The expression reads a variable of this name. */
export function readsName(expr: Expr, name: string): boolean {
  return [...walk(expr)].some((part) => part.kind === 'path' && part.path.root === name);
}
