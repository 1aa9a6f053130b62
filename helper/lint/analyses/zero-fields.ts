// Descriptors that start as 0 in a struct which other code of the file cleans up, and in constructors.
import type { Assign, ClassFacts, Event, Expr, FileFacts, FunctionFacts, Path, Variable } from '../facts/index';
import { expressionsOf, extend, lastName, mentions, pathOf, stripCasts, walk } from '../facts/paths';
import { dominates, reachesWithout } from '../flow/order';
import { elementType, ownerOf, rangeOf } from '../flow/owner-types';
import { typeOfPath } from '../flow/visible';
import { functionTable } from '../memo/table';
import { type GuardedClose, guardedClose, maySet, setBy, startsAtZero, type ZeroSentinel, zeroed } from './zero-sentinels';

/** Objects that a function fills with zeros and hands on as they are, while another function closes their descriptor when it is not negative. */
export function zeroObjects(file: FileFacts): ZeroSentinel[] {
  return file.subjects.flatMap((fn) => {
    if (fn.degraded || fn.className !== undefined) return [];
    return fn.events.flatMap((event) => zeroObject(file, fn, event) ?? []);
  });
}

function zeroObject(file: FileFacts, fn: FunctionFacts, event: Event): ZeroSentinel | undefined {
  const object = zeroed(file, event);
  const type = object?.kind === 'local' && object.steps.length === 0 ? typeOfPath(file, fn, object) : undefined;
  const owner = type === undefined ? undefined : file.classNamed(type);
  for (const field of owner?.fields ?? []) {
    const [found] = closes.of(file, `${owner!.name}.${field.name}`);
    if (!found || found.close.fn === fn || isSetToNone(file, field.name, found.close.fn)) continue;
    if (goesOnUnset(file, event, object!, field.name)) return { at: event, field: found.path, close: found.close };
  }
  return undefined;
}

/** Somebody else than the clean-up writes -1 into such a field. */
export function isSetToNone(file: FileFacts, name: string, cleanup: FunctionFacts): boolean {
  return nones.of(file, name).some((event) => event.fn !== cleanup);
}

const nones = functionTable<string, Assign>((_, fn) =>
  fn.events.flatMap((event) => {
    const path = event.kind === 'assign' && event.value?.kind === 'number' && event.value.value < 0 ? pathOf(event.target) : undefined;
    return path && path.steps.length > 0 && event.kind === 'assign' ? [[lastName(path), event] as const] : [];
  }),
);

/** Structs that start with `fd` as 0 and that are closed when it is not negative, where some object gets there before its descriptor is set. */
export function zeroFields(file: FileFacts): ZeroSentinel[] {
  if (file.language === 'c') return [];
  return file.subjectClasses.flatMap((each) => each.fields.flatMap((field) => sentinelOf(file, each, field) ?? []));
}

/** Guarded closes by `struct.field`, those of the struct's own methods apart. */
const closes = functionTable<string, GuardedClose>((file, fn) => guardedCloses(fn).flatMap((found) => namedByField(file, fn, found) ?? []));

/** What a function closes that it has not itself set before: only that may still be as it began. */
export function guardedCloses(fn: FunctionFacts): GuardedClose[] {
  const found = fn.calls.flatMap((call) => (call.api?.does('close') ? (guardedClose(call) ?? []) : []));
  return found.filter(({ path, close }) => !fn.events.some((event) => event.id < close.id && setBy(event, path) && dominates(event, close)));
}

function namedByField(file: FileFacts, fn: FunctionFacts, found: GuardedClose): (readonly [string, GuardedClose])[] | undefined {
  const { path } = found;
  const at = path.steps.findLastIndex((step) => step.startsWith('.'));
  if (at < 0 || (path.kind === 'this' && at === 0)) return undefined;
  const type = typeOfPath(file, fn, { ...path, steps: path.steps.slice(0, at) });
  const owner = type && ownerOf(file, type)?.name;
  return owner ? [[`${owner}${path.steps[at]}`, found]] : undefined;
}

function sentinelOf(file: FileFacts, owner: ClassFacts, field: Variable): ZeroSentinel | undefined {
  if (!/^int\b/.test(field.type) || owner.constructorElsewhere) return undefined;
  const constructors = owner.methods.filter((method) => method.kind === 'constructor');
  const start = constructors.length > 0 ? zeroedBy(constructors, field) : field.init && startsAtZero(field.init) ? field : undefined;
  if (!start) return undefined;
  const own = constructors.length > 0 ? owner.methods.flatMap(guardedCloses).find(({ path }) => isMember(path, field)) : undefined;
  const [other] = closes.of(file, `${owner.name}.${field.name}`);
  const found = own ?? (other && isLeftUnset(file, other, owner, field) ? other : undefined);
  return found && { at: start, field: found.path, close: found.close };
}

function isMember(path: Path, field: Variable): boolean {
  return path.kind === 'this' && path.steps.length === 1 && path.steps[0] === `.${field.name}`;
}

/** The zero that each constructor writes, `: fd_(0)` too, where none does anything else to the field. */
function zeroedBy(constructors: readonly FunctionFacts[], field: Variable): Event | undefined {
  const path: Path = { root: 'this', kind: 'this', steps: [`.${field.name}`] };
  const writes = constructors.map((method) => method.events.filter((event) => expressionsOf(event).some((expr) => mentions(expr, path))));
  const isZero = (events: readonly Event[]) =>
    events.length > 0 &&
    events.every((event) => event.kind === 'assign' && event.op === '=' && event.value !== undefined && startsAtZero(event.value));
  return writes.every(isZero) ? writes[0]![0] : undefined;
}

function isLeftUnset(file: FileFacts, found: GuardedClose, owner: ClassFacts, field: Variable): boolean {
  return isHeldUnset(file, found) || makers.of(file, owner.name).some((fn) => handsOnUnset(file, fn, owner, field.name));
}

/** Functions that declare an empty object, by its type: asked of each function, so that a key costs the one that it changes. */
const makers = functionTable<string, FunctionFacts>((_file, fn) =>
  fn.degraded ? [] : [...new Set(fn.events.flatMap((event) => emptyType(event) ?? []))].map((type) => [type, fn]),
);

function emptyType(event: Event): string | undefined {
  return event.kind === 'assign' && event.declares && startsEmpty(event.value) ? event.declares.type : undefined;
}

/** A class has such structs as members, closes them at its end, and its constructors do nothing to them. */
function isHeldUnset(file: FileFacts, { path, close }: GuardedClose): boolean {
  const holder = holderOf(file, close.fn, path);
  const owner = holder && close.fn.className ? file.classNamed(close.fn.className) : undefined;
  const member = owner?.fields.find((each) => holder!.steps[0] === `.${each.name}`);
  if (!owner || !member || member.init || owner.constructorElsewhere) return false;
  // A list holds what was put into it, and nothing before.
  const isArray = /^(std::)?array</.test(member.type) || /\[/.test(member.type) || elementType(member.type) === member.type;
  const field: Path = { root: 'this', kind: 'this', steps: [`.${member.name}`] };
  const setsIt = (event: Event) => event.kind === 'assign' && mentions(event.target, field);
  const constructors = owner.methods.filter((method) => method.kind === 'constructor');
  const isGiven = (event: Event) => event.kind === 'call' && event.args.some((arg) => mentions(arg, field));
  return isArray && !constructors.some((method) => method.events.some((event) => setsIt(event) || isGiven(event)));
}

/** The member of `this` that a closed descriptor lies in: by name, or through the variable of a loop. */
function holderOf(file: FileFacts, fn: FunctionFacts, path: Path): Path | undefined {
  const source = rangeOf(file, fn, path) ?? path;
  return source.kind === 'this' ? source : undefined;
}

function handsOnUnset(file: FileFacts, fn: FunctionFacts, owner: ClassFacts, name: string): boolean {
  return fn.events.some((event) => {
    const object = event.kind === 'assign' && emptyType(event) === owner.name ? pathOf(event.target) : undefined;
    return object !== undefined && goesOnUnset(file, event, object, name);
  });
}

/** A new object goes into a list, to the caller or to a clean-up on a way on which nothing has set its descriptor. */
function goesOnUnset(file: FileFacts, made: Event, object: Path, name: string): boolean {
  const field = extend(object, `.${name}`);
  const isSet = (each: Event) => !handsOn(each, object) && setsField(file, each, field);
  return made.fn.events.some((each) => each.id > made.id && handsOn(each, object) && reachesWithout(made, each, isSet));
}

function startsEmpty(value: Expr | undefined): boolean {
  return value === undefined || (value.kind === 'init' && value.entries.length === 0);
}

const takers = /^(push_back|emplace_back|push_front|emplace_front|emplace|insert|push|insert_or_assign|try_emplace)$/;
const enders = /^_?(release|destroy|close|clean_?up|free|dispose|reset|shut_?down|tear_?down)/i;

/** The object as a whole is stored, given back or ended. */
function handsOn(event: Event, object: Path): boolean {
  const isWhole = (expr: Expr) =>
    [...walk(expr)].some((part) => part.kind === 'path' && part.path.root === object.root && part.path.steps.length === 0);
  if (event.kind === 'return') return event.value !== undefined && isWhole(event.value);
  if (event.kind === 'assign') return !event.declares && event.value !== undefined && pathOf(event.value)?.steps.length === 0 && isWhole(event.value);
  return event.kind === 'call' && (takers.test(event.name) || enders.test(event.name)) && event.args.some((arg) => isWhole(stripCasts(arg)));
}

function setsField(file: FileFacts, event: Event, field: Path): boolean {
  if (event.kind === 'assign') return setBy(event, field);
  if (event.kind === 'escape') return event.paths.some((path) => path.root === field.root);
  return event.kind === 'call' && (event.args.some((arg) => mentions(arg, field)) || maySet(file, event, field));
}
