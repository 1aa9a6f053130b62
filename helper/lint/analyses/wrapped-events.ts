// CUDA events in classes of the file that create one and do little else, as objects of their own: `Event done; wait(done.get())`.
import type { Call, ClassFacts, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathOf, stripCasts } from '../facts/paths';
import { ownerOf } from '../flow/owner-types';
import { declaredTypeOf } from '../flow/visible';
import { fileQuery } from '../memo/query';
import { actionOf, type EventAction, type EventObject, type EventUse, escapes, eventId, eventUse } from './cuda-events';

interface Wrapper {
  readonly owner: ClassFacts;
  readonly field: string;
  readonly create: EventUse;
}

export const wrappedEvents = fileQuery((file): readonly EventObject[] => {
  const wrappers = new Map(file.classes.flatMap((each) => wrapperOf(each) ?? []).map((each) => [each.owner.name, each]));
  if (wrappers.size === 0) return [];
  const uses = new Map<string, (EventUse | 'unknown')[]>();
  for (const fn of file.functions) {
    if (wrappers.has(fn.className ?? '')) continue;
    for (const event of fn.events) for (const { id, use } of usesIn(file, fn, event, wrappers)) uses.set(id, [...(uses.get(id) ?? []), use]);
  }
  return [...uses].map(([id, all]) => {
    const own = all.filter((use) => use !== 'unknown');
    return { id, uses: own, escapes: own.length < all.length || escapes(file, id, own) };
  });
});

/** The class has one event, creates it in its constructors and records it in none. */
function wrapperOf(owner: ClassFacts): Wrapper | undefined {
  const fields = owner.fields.filter(({ type }) => /^(cudaEvent_t|CUevent|hipEvent_t)$/.test(type));
  const [field] = fields;
  if (!field || fields.length > 1 || owner.constructorElsewhere || owner.bases.length > 0) return undefined;
  const made = owner.methods.filter((method) => method.kind === 'constructor').flatMap((method) => usesOf(method, field.name));
  const create = made.find((use) => use.action === 'create');
  return create && !made.some((use) => use.action === 'record' || use.action === 'other') ? { owner, field: field.name, create } : undefined;
}

function usesOf(method: FunctionFacts, field: string): EventUse[] {
  return method.calls.flatMap((call) => {
    const use = eventUse(call);
    return use && isField(use.path, field) ? [use] : [];
  });
}

function isField(path: Path | undefined, field: string): boolean {
  return path?.kind === 'this' && path.steps.length === 1 && path.steps[0] === `.${field}`;
}

type Found = { readonly id: string; readonly use: EventUse | 'unknown' };
type Wrappers = ReadonlyMap<string, Wrapper>;

function usesIn(file: FileFacts, fn: FunctionFacts, event: Event, wrappers: Wrappers): Found[] {
  if (event.kind === 'assign') return replaced(file, fn, event.target, event.value, wrappers);
  if (event.kind !== 'call') return [];
  const written = event.api?.arg('event');
  const object = written && objectOf(file, fn, written, wrappers);
  const action = actionOf(event);
  if (object && action)
    return [created(object), { id: object.id, use: { action, call: event, path: object.path, fn, stream: event.api!.arg('stream') } }];
  return byMethod(file, fn, event, wrappers);
}

function created({ id, path, wrapper }: WrappedEvent): Found {
  return { id, use: { ...wrapper.create, path } };
}

interface WrappedEvent {
  readonly id: string;
  readonly path: Path;
  readonly wrapper: Wrapper;
}

/** The wrapped event that an argument means: `e`, `e.get()`, `e.handle_`. */
function objectOf(file: FileFacts, fn: FunctionFacts, written: Expr, wrappers: Wrappers): WrappedEvent | undefined {
  const bare = stripCasts(written);
  const direct = named(file, fn, pathOf(bare), wrappers);
  if (direct || bare.kind !== 'call') return direct;
  const object = named(file, fn, pathOf(bare.receiver), wrappers);
  return object && isGetter(object.wrapper, bare.name) ? object : undefined;
}

function named(file: FileFacts, fn: FunctionFacts, path: Path | undefined, wrappers: Wrappers): WrappedEvent | undefined {
  if (!path) return undefined;
  const wrapper = wrapperAt(file, fn, path, wrappers);
  const inner = !wrapper && path.steps.length > 0 ? { ...path, steps: path.steps.slice(0, -1) } : undefined;
  const around = inner && wrapperAt(file, fn, inner, wrappers);
  if (around && path.steps.at(-1) !== `.${around.field}`) return undefined;
  const [object, by] = wrapper ? [path, wrapper] : [inner, around];
  const id = object && by && eventId(file, fn, object);
  return id ? { id, path: object, wrapper: by } : undefined;
}

function wrapperAt(file: FileFacts, fn: FunctionFacts, path: Path, wrappers: Wrappers): Wrapper | undefined {
  const type = declaredTypeOf(file, fn, path);
  return type === undefined ? undefined : wrappers.get(ownerOf(file, type)?.name ?? '');
}

function isGetter({ owner, field }: Wrapper, name: string): boolean {
  return owner.methods.some(
    (method) => method.name === name && method.events.some((event) => event.kind === 'return' && isField(pathOf(event.value), field)),
  );
}

/** `done.record(stream)`: what the method of the class does. What a getter gives to somebody else than the API is out of sight. */
function byMethod(file: FileFacts, fn: FunctionFacts, call: Call, wrappers: Wrappers): Found[] {
  const object = call.api ? undefined : named(file, fn, pathOf(call.receiver), wrappers);
  if (!object) return [];
  if (isGetter(object.wrapper, call.name)) return isGivenToApi(fn, call) ? [] : [{ id: object.id, use: 'unknown' }];
  const methods = object.wrapper.owner.methods.filter((method) => method.name === call.name);
  const actions = methods.flatMap((method) => usesOf(method, object.wrapper.field).map((use) => use.action));
  const action = strongest.find((each) => actions.includes(each));
  if (!action) return [{ id: object.id, use: 'unknown' }];
  return [created(object), { id: object.id, use: { action, call, path: object.path, fn, stream: call.args[0] } }];
}

/** A method that records and waits has recorded. */
const strongest: readonly EventAction[] = ['record', 'wait', 'host wait', 'destroy'];

function isGivenToApi(fn: FunctionFacts, getter: Call): boolean {
  return fn.calls.some((call) => {
    const written = call.api?.arg('event');
    return written !== undefined && stripCasts(written) === getter && actionOf(call) !== 'other';
  });
}

/** Something else is put in the event's place. */
function replaced(file: FileFacts, fn: FunctionFacts, target: Expr, value: Expr | undefined, wrappers: Wrappers): Found[] {
  const object = value && named(file, fn, pathOf(target), wrappers);
  if (!object || isFresh(object.wrapper, value)) return [];
  return [{ id: object.id, use: 'unknown' }];
}

function isFresh({ owner }: Wrapper, value: Expr): boolean {
  const bare = stripCasts(value);
  return bare.kind === 'init' ? bare.entries.length === 0 : bare.kind === 'call' && (bare.form !== 'call' || bare.name === owner.name);
}
