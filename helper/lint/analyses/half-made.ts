// Objects whose destructor believes them complete as soon as one field is set, and whose maker can give up before the others are.
import type { Assign, Call, ClassFacts, Event, FileFacts, FunctionFacts, Path, Variable } from '../facts/index';
import { extend, mentions, pathOf, samePath, walk } from '../facts/paths';
import { dominates, eventsAfter, postDominates, returnsWithout } from '../flow/order';
import { typeOfPath } from '../flow/visible';
import { type EndedField, endedFields, initialises, isRawHandle, mayInitialise } from './handle-fields';
import { isNullValue } from './releases';

export interface HalfMade {
  readonly field: Variable;
  readonly end: Call;
  readonly maker: FunctionFacts;
}

/** Handles without a value that the destructor ends behind `if (owner)`, where somebody sets the owner first and then gives up. */
export function halfMade(file: FileFacts, each: ClassFacts): HalfMade[] {
  const { destructor } = each;
  const constructors = each.methods.filter(({ kind }) => kind === 'constructor');
  // Without a constructor of its own `T()` and `make_shared<T>()` begin with zeros.
  if (!destructor || destructor.degraded || each.bases.length > 0 || each.constructorElsewhere || constructors.length === 0) return [];
  return endedFields(file, destructor).flatMap((ended): HalfMade[] => {
    const field = each.fields.find(({ name }) => name === ended.name);
    if (!field || field.init || field.isStatic || !isRawHandle(field.type) || ended.site !== ended.call) return [];
    const guards = guardsOf(each, ended);
    if (guards.length === 0 || constructors.every((fn) => initialises(file, fn, ended.path))) return [];
    const maker = [...constructors, ...file.functions].find((fn) => !fn.degraded && fn !== destructor && givesUp(file, fn, each, ended.name, guards));
    return maker ? [{ field, end: ended.call, maker }] : [];
  });
}

/** The other fields that have to be set for the end to run; none where something else decides as well, or a flag of its own. */
function guardsOf(each: ClassFacts, { call, path }: EndedField): string[] {
  const tests = call.fn.events.filter((event) => event.kind === 'test' && dominates(event, call) && !postDominates(call, event));
  const parts = tests.flatMap((test) => (test.kind === 'test' ? [...walk(test.expr)] : []));
  const asked = parts.flatMap((part) => (part.kind === 'path' && !isNullValue(part) ? [part.path] : []));
  const own = asked.filter((asks) => asks.kind === 'this' && asks.steps.length === 1);
  const isHandle = (asks: Path) =>
    !/^(bool|int|unsigned|u?int\d+_t)$/.test(each.fields.find(({ name }) => `.${name}` === asks.steps[0])?.type ?? 'bool');
  // Compared with a named constant the field is a state (`place != Place::Elsewhere`), and the constructor may go by the same.
  if (asked.length !== own.length || own.some((asks) => samePath(asks, path)) || !own.every(isHandle)) return [];
  return [...new Set(own.map((asks) => asks.steps[0]!))];
}

/** The function sets all guards of an object, and after that may end without a value in the field. */
function givesUp(file: FileFacts, fn: FunctionFacts, each: ClassFacts, name: string, guards: readonly string[]): boolean {
  const sets = fn.events.filter((event): event is Assign => event.kind === 'assign' && setsGuard(event, guards));
  return sets.some((set) => {
    const target = pathOf(set.target)!;
    const object = { ...target, steps: target.steps.slice(0, -1) };
    const isOurs = (path: Path) => guards.every((guard) => sets.some((other) => samePath(pathOf(other.target), extend(path, guard))));
    if (!isObjectOf(file, fn, each, object) || !isOurs(object)) return false;
    const isSet = (event: Event) => mayInitialise(file, event, extend(object, `.${name}`)) || isUsed(event, object);
    if (object.kind === 'this') return fn.kind === 'constructor' && returnsWithout(set, isSet);
    return [...eventsAfter(set, { blocked: isSet })].some((event) => !isSet(event) && leavesWithout(event, object));
  });
}

function setsGuard({ target, value, op }: Assign, guards: readonly string[]): boolean {
  const last = pathOf(target)?.steps.at(-1);
  return last !== undefined && guards.includes(last) && op === '=' && value !== undefined && !isNullValue(value);
}

/** `this`, or a local that is or owns such an object. */
function isObjectOf(file: FileFacts, fn: FunctionFacts, each: ClassFacts, object: Path): boolean {
  if (object.kind === 'this') return object.steps.length === 0 && fn.className === each.name;
  if (object.kind !== 'local' || object.steps.length > 0) return false;
  const made = fn.events.find((event) => event.kind === 'assign' && event.declares?.name === object.root);
  const value = made?.kind === 'assign' && made.value?.kind === 'call' ? made.value : undefined;
  const type = typeOfPath(file, fn, object) ?? '';
  const owns = new RegExp(`^(?:std::)?(?:make_)?(?:unique|shared)(?:_ptr)?<${each.name}>$`);
  return (
    type === each.name || owns.test(type) || owns.test(value?.callee.replace(/\s/g, '') ?? '') || (value?.form === 'new' && value.name === each.name)
  );
}

/** A method of the object may set what it likes. */
function isUsed(event: Event, object: Path): boolean {
  return event.kind === 'call' && !event.api && event.form === 'call' && samePath(pathOf(event.receiver), object);
}

/** A throw, a failure that a check turns into one, or a return of something else. */
function leavesWithout(event: Event, object: Path): boolean {
  if (event.kind === 'throw') return true;
  if (event.kind === 'call') return event.check?.consequence === 'throw';
  return event.kind === 'return' && !mentions(event.value, object);
}
