// CUDA events of a file, in C and Python: where they are created, recorded, waited for, handed on.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { isWithin, pathKey, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { functionId } from '../flow/function-id';
import { ownerOf, rangeOf } from '../flow/owner-types';
import { resolveCallee } from '../flow/program';
import { typeOfPath } from '../flow/visible';
import { fileQuery } from '../memo/query';
import { makesEvent, pythonEventUse } from './python-events';

export type EventAction = 'create' | 'record' | 'wait' | 'host wait' | 'destroy' | 'other';

export interface EventUse {
  readonly action: EventAction;
  readonly call: Call;
  readonly path: Path;
  readonly fn: FunctionFacts;
  /** The stream argument of a record or wait as written. */
  readonly stream: Expr | undefined;
}

export interface EventObject {
  readonly id: string;
  readonly uses: readonly EventUse[];
  /** Something else may record or wait for it: unknown callees, copies, returns. */
  readonly escapes: boolean;
}

/**
 * What a path means in the whole file: a local of its function, a field of a class or struct, a global. Elements of an array are one
 * object. Undefined for parameters and captured variables, whose origin is elsewhere.
 */
export function eventId(file: FileFacts, fn: FunctionFacts, path: Path, copies = 3): string | undefined {
  const element = file.language === 'python' || copies === 0 ? undefined : rangeOf(file, fn, path);
  if (element) return eventId(file, fn, element, copies - 1);
  const steps = path.steps.filter((step) => step.startsWith('.'));
  if (path.kind === 'captured') return undefined;
  if (path.kind === 'this' && steps.length === 1) return fn.className && `${fn.className}${steps[0]}`;
  if (steps.length === 0) return path.kind === 'param' ? undefined : path.kind === 'local' ? `${functionId(fn)} ${path.root}` : `::${path.root}`;
  const owner = typeOfPath(file, fn, { ...path, steps: path.steps.slice(0, path.steps.lastIndexOf(steps.at(-1)!)) });
  const known = owner && ownerOf(file, owner)?.name;
  return known ? `${known}${steps.at(-1)}` : undefined;
}

export const eventObjects = fileQuery((file): readonly EventObject[] => {
  const uses = file.functions.flatMap((fn) => fn.calls.flatMap((call) => eventUse(call, file) ?? madeBy(file, call) ?? []));
  const byId = new Map<string, EventUse[]>();
  for (const use of uses) {
    const id = eventId(file, use.fn, use.path);
    if (id) byId.set(id, [...(byId.get(id) ?? []), use]);
  }
  return [...byId].map(([id, own]) => ({ id, uses: own, escapes: escapes(file, id, own) }));
});

/** `done = make_event()`: a function of the file that creates one and gives it back. */
function madeBy(file: FileFacts, call: Call): EventUse | undefined {
  const isMade = !call.api && call.result !== undefined && makesOne(file, call);
  return isMade ? { action: 'create', call, path: call.result!, fn: call.fn, stream: undefined } : undefined;
}

/** A call of such a function, whose event may come in a smart pointer: `return std::shared_ptr<CUevent_st>(event, destroy)`. */
export function makesOne(file: FileFacts, call: Call): boolean {
  const maker = resolveCallee(file, call);
  const uses = maker?.calls.flatMap((each) => eventUse(each, file) ?? []) ?? [];
  const create = uses.find((use) => use.action === 'create' && use.path.kind === 'local');
  const isGiven = (value: Expr | undefined) => samePath(pathOf(value), create?.path) || samePath(pathOf(firstOf(value)), create?.path);
  return (
    maker?.events.some((event) => event.kind === 'return' && isGiven(event.value)) === true &&
    !uses.some((use) => use.action === 'record' || use.action === 'other')
  );
}

/** What a smart pointer is made of. */
function firstOf(value: Expr | undefined): Expr | undefined {
  const bare = value && stripCasts(value);
  if (bare?.kind === 'init') return bare.entries[0]?.value;
  return bare?.kind === 'call' && !bare.api && (bare.form === 'construct' || /ptr|event|^[A-Z]/i.test(bare.name)) ? bare.args[0] : undefined;
}

/** What a call does to an event, whatever language it is written in. With the file, fields are known by what they are made of. */
export function eventUse(call: Call, file?: FileFacts): EventUse | undefined {
  return call.api?.spelling === 'python' || makesEvent(call) || !call.api ? pythonUse(call, file) : cUse(call);
}

function cUse(call: Call): EventUse | undefined {
  const action = actionOf(call);
  const path = action && call.api!.path('event');
  return path && { action, call, path, fn: call.fn, stream: call.api!.arg('stream') };
}

const roles = [
  ['create', 'create'],
  ['record', 'record'],
  ['wait', 'wait'],
  ['sync', 'host wait'],
  ['destroy', 'destroy'],
] as const;

/** What a call of the C API does to the event that it is given. */
export function actionOf({ api }: Call): EventAction | undefined {
  if (!api || !/^(cuda-driver|cuda-runtime|hip)$/.test(api.api.family) || !api.api.params.some((param) => param.name === 'event')) return undefined;
  return roles.find(([role]) => api.does(role))?.[1] ?? 'other';
}

function pythonUse(call: Call, file: FileFacts | undefined): EventUse | undefined {
  const use = pythonEventUse(call, file);
  return use && { ...use, call, fn: call.fn };
}

/** Anything but the uses above that mentions the event or hands over the object that holds it. */
export function escapes(file: FileFacts, id: string, uses: readonly EventUse[]): boolean {
  if (uses.some((use) => use.action === 'other' && !/ElapsedTime/.test(use.call.name))) return true;
  const calls = new Set<Event>(uses.map((use) => use.call));
  return file.functions.some((fn) => fn.events.some((event) => !calls.has(event) && handsOn(file, fn, event, id)));
}

function handsOn(file: FileFacts, fn: FunctionFacts, event: Event, id: string): boolean {
  if (event.kind === 'escape') return event.paths.some((path) => eventId(file, fn, path) === id);
  if (event.kind === 'call') return callHandsOn(file, event, id);
  // Who gets the whole object from a return can name the event only through a type that this file declares.
  if (event.kind === 'return') return event.value !== undefined && isEvent(file, fn, event.value, id);
  const value = event.kind === 'assign' ? event.value : undefined;
  // A loop over them names them, and what it does with the name is seen.
  if (event.kind === 'assign' && event.declares && value?.kind === 'other' && file.language !== 'python') return false;
  if (event.kind === 'assign' && isReplaced(file, event, id)) return true;
  if (event.kind === 'assign' && value?.kind === 'init') return value.entries.some((entry) => isEvent(file, fn, entry.value, id));
  return value !== undefined && holds(file, fn, value, id);
}

/** The object that holds the event comes out of a function that nobody sees: whatever happened to it there. */
function isReplaced(file: FileFacts, { fn, target, value }: Assign, id: string): boolean {
  const bare = value && stripCasts(value);
  if (bare?.kind !== 'call' || bare.form !== 'call' || bare.api || resolveCallee(file, bare)) return false;
  return !file.classNamed(bare.name) && file.language !== 'python' && holdsOwner(file, fn, target, id);
}

function callHandsOn(file: FileFacts, call: Call, id: string): boolean {
  const given = [...call.args, ...call.keywords.values()];
  if (given.some((arg) => isEvent(file, call.fn, arg, id) && !isOwnUse(file, call))) return true;
  if (call.api || call.launch || resolveCallee(file, call)) return false;
  const onSelf = !call.receiver && call.fn.className !== undefined && id.startsWith(`${call.fn.className}.`) && file.language !== 'python';
  if (onSelf && call.form === 'call' && file.functionsNamed(call.name).length === 0 && /^[a-z_]\w*$/.test(call.callee) && call.args.length === 0)
    return true;
  return [...given, ...(call.receiver ? [call.receiver] : [])].some((arg) => holdsOwner(file, call.fn, arg, id));
}

function isOwnUse(file: FileFacts, call: Call): boolean {
  const use = eventUse(call, file);
  return use !== undefined && use.action !== 'other';
}

/** The expression is the event itself, `&event` too, or a list with it inside. */
function isEvent(file: FileFacts, fn: FunctionFacts, expr: Expr, id: string): boolean {
  const bare = stripCasts(expr);
  if (bare.kind === 'init') return bare.entries.some((entry) => isEvent(file, fn, entry.value, id));
  if (bare.kind === 'other') return bare.operands.some((part) => isEvent(file, fn, part, id));
  if (bare.kind === 'conditional') return isEvent(file, fn, bare.yes, id) || isEvent(file, fn, bare.no, id);
  const path = pathOf(bare);
  return path !== undefined && eventId(file, fn, path) === id;
}

function holds(file: FileFacts, fn: FunctionFacts, expr: Expr, id: string): boolean {
  return isEvent(file, fn, expr, id) || holdsOwner(file, fn, expr, id);
}

/** The whole object that has the event as a member: `p` where the event is `p.done`. */
function holdsOwner(file: FileFacts, fn: FunctionFacts, expr: Expr, id: string): boolean {
  const path = pathOf(expr);
  const owner = /^(\w+)\.\w+$/.exec(id)?.[1];
  if (!path || !owner) return false;
  if (path.kind === 'this' && path.steps.length === 0) return fn.className === owner;
  const type = typeOfPath(file, fn, path);
  return type !== undefined && (type === owner || ownerOf(file, type)?.name === owner);
}

/** An expression, or another use, that names the event of a use in the same function. */
export function isSameEvent(use: EventUse, other: Expr | EventUse | undefined): boolean {
  const path = other && 'action' in other ? other.path : pathOf(other);
  return path !== undefined && (pathKey(path) === pathKey(use.path) || isWithin(path, use.path));
}

const senders =
  /^(put|put_nowait|append|appendleft|push|push_back|push_front|emplace|emplace_back|send|enqueue|submit|offer|publish|post|call_soon\w*|set_(?:result|value)|try_(?:push|put|enqueue|emplace)|insert)$/;

/** The call could put something into a queue. */
export function handsOver({ name, receiver }: Call): boolean {
  return senders.test(name) && receiver !== undefined;
}

/** The event is put into a queue, returned as part of a result or stored in somebody else's object. */
export function publishes(event: Event, record: EventUse): boolean {
  if (event.kind === 'call') return handsOver(event) && argumentsOf(event).some((arg) => holdsEvent(event, arg, record));
  if (event.kind === 'return') return event.value !== undefined && bundles(event.value, record);
  // `yield data, event`
  if (event.kind === 'access') return event.expr.kind === 'other' && event.expr.operands.some((part) => bundles(part, record));
  if (event.kind !== 'assign' || event.op !== '=' || event.declares || !event.value) return false;
  const target = pathOf(event.target);
  // `*out = event` is an answer to the caller, who goes on when this function is done.
  const isAnswer = target?.kind === 'param' && target.steps.length === 1 && target.steps[0] === '*';
  return isSameEvent(record, event.value) && target !== undefined && target.steps.length > 0 && target.kind !== 'this' && !isAnswer;
}

function argumentsOf(call: Call): Expr[] {
  return [...call.args, ...call.keywords.values()];
}

/** What is asked of an event is not the event. */
const answers = /^(elapsed_time|elapsed_ms|get_elapsed_time|query|synchronize|wait)$/;

function holdsEvent(at: Event, expr: Expr, record: EventUse): boolean {
  if (expr.kind === 'call' && answers.test(expr.name)) return false;
  const made = valueAt(at, stripCasts(expr));
  if (made && made !== 'zero' && bundles(made, record)) return true;
  return [...walk(expr)].some((part) => part.kind === 'path' && isSameEvent(record, part));
}

/** A result together with the event: a tuple, a brace list, an object built of both. */
function bundles(value: Expr, record: EventUse): boolean {
  if (value.kind === 'init') return value.entries.length > 1 && value.entries.some((entry) => isSameEvent(record, entry.value));
  const isBuilt = value.kind === 'call' && /^[A-Z]|^make_/.test(value.name);
  return isBuilt && argumentsOf(value).length > 1 && argumentsOf(value).some((arg) => isSameEvent(record, arg));
}

/** The receiver, as a reader would name it. */
export function publishedBy(file: FileFacts, event: Event): string {
  if (event.kind === 'call') return event.receiver ? `${file.source(event.receiver)}.${event.name}` : event.name;
  return event.kind === 'return' ? 'return' : file.source(event.span);
}
