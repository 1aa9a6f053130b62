// Descriptors in zero-filled structs that reach a clean-up which closes everything that is not negative.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path, Test, Variable } from '../facts/index';
import { addressOf, expressionsOf, extend, isWithin, mentions, pathKey, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { assignedBy, elementCopied, sameButIndices, unaliased } from '../flow/aliases';
import { dominates, inLoop } from '../flow/order';
import { ownerOf } from '../flow/owner-types';
import { resolveCallee } from '../flow/program';
import { typeOfPath } from '../flow/visible';
import { functionQuery } from '../memo/query';
import { eventsOnSide, failedSide, testedCall, testOf } from './failure-sides';

export interface ZeroSentinel {
  /** What fills with zeros, or the field whose initialiser is zero. */
  readonly at: Event | Variable;
  readonly field: Path;
  readonly close: Call;
}

/** A close that happens whenever the descriptor at `path` is not negative. */
export interface GuardedClose {
  readonly path: Path;
  readonly close: Call;
}

export function zeroSentinels(file: FileFacts): ZeroSentinel[] {
  return [...file.subjects.flatMap((fn) => inFunction(file, fn)), ...inClasses(file)];
}

function inFunction(file: FileFacts, fn: FunctionFacts): ZeroSentinel[] {
  if (fn.degraded) return [];
  const closes = closesIn(file, fn);
  if (closes.length === 0) return [];
  return fn.events.flatMap((event) => {
    const base = zeroed(file, event);
    const isLeft = ({ path, close }: GuardedClose) =>
      strictlyInside(path, base!) && startsUnset(file, event, base!, path) && reachesUnset(file, event, path, close);
    const hit = base && closes.find(isLeft);
    return hit ? [{ at: event, field: hit.path, close: hit.close }] : [];
  });
}

function strictlyInside(path: Path, base: Path): boolean {
  return isWithin(path, base) && path.steps.length > base.steps.length;
}

// Where the clean-up is

/** Clean-ups call others for the parts. */
const maxHelpers = 3;

type Closes = (file: FileFacts, fn: FunctionFacts) => readonly GuardedClose[];

/** Asked once a function: many may call one that calls them all. */
function closesWith(inner: Closes | undefined): Closes {
  return functionQuery((file, fn) =>
    fn.calls.flatMap((call) => {
      if (call.api?.does('close')) return guardedClose(call) ?? [];
      const callee = call.api || !inner ? undefined : resolveCallee(file, call);
      return callee && callee !== fn ? closesOfHelper(call, callee, inner!(file, callee)) : [];
    }),
  );
}

const closesIn = Array.from({ length: maxHelpers }).reduce<Closes>((inner) => closesWith(inner), closesWith(undefined));

export function guardedClose(call: Call): GuardedClose | undefined {
  const path = pathOf(call.api!.arg('fd'));
  const origin = path && (path.steps.length > 0 ? unaliased(call.fn, path) : elementCopied(call.fn, path));
  if (!path || !origin) return undefined;
  const guards = call.fn.events.filter((event): event is Test => event.kind === 'test' && dominates(event, call));
  if (!guards.some((test) => isSentinelTest(test.expr, path))) return undefined;
  // A second condition on the same struct may well say that the descriptor is set.
  const others = guards.filter((test) => !isSentinelTest(test.expr, path) && isFlagOf(test, path, call));
  return others.length === 0 ? { path: origin, close: call } : undefined;
}

function isFlagOf(test: Test, path: Path, close: Call): boolean {
  if (testedCall(test)) return false;
  const leads = test.fn.blocks[test.block]!.edges.filter((edge) => edge.when !== undefined && leadsTo(test.fn, edge.to, close.block));
  const parts = walk(test.expr);
  // How many there are says nothing about one of them.
  const counted = parts.flatMap((part) => (part.kind === 'call' && /^(s?size|length|end)$/.test(part.name) && part.receiver ? [part.receiver] : []));
  const reads = parts.some((part) => part.kind === 'path' && part.path.root === path.root && part.path.steps.length > 0 && !counted.includes(part));
  return leads.length === 1 && reads;
}

function leadsTo(fn: FunctionFacts, from: number, to: number): boolean {
  const seen = new Set([from]);
  for (const block of seen) for (const edge of fn.blocks[block]!.edges) if (edge.kind !== 'maybe') seen.add(edge.to);
  return seen.has(to);
}

/** `fd >= 0`, `fd > -1`, `fd != -1`, and the same the other way round with an early way out. */
function isSentinelTest(expr: Expr, path: Path): boolean {
  const bare = stripCasts(expr);
  if (bare.kind !== 'binary' || !samePath(pathOf(bare.left), path)) return false;
  const right = stripCasts(bare.right);
  if (right.kind !== 'number') return false;
  return right.value === 0 ? /^(>=|<)$/.test(bare.op) : right.value === -1 && /^(>|!=|==|<=)$/.test(bare.op);
}

/** Closes inside a helper, as paths of the caller; where the caller asks a flag of the struct first, it knows more than we do. */
function closesOfHelper(call: Call, callee: FunctionFacts, closes: readonly GuardedClose[]): GuardedClose[] {
  const isFlagged = (given: Path) => call.fn.events.some((test) => test.kind === 'test' && dominates(test, call) && isFlagOf(test, given, call));
  return callee.params.flatMap(({ name }, place) => {
    // Several helpers may close the same: here that is one close.
    const inside = new Map(closes.flatMap(({ path }) => (path.root === name ? [[pathKey(path), path]] : [])));
    const given = inside.size > 0 ? pathOf(call.args[place]) : undefined;
    if (!given || isFlagged(given)) return [];
    const own = unaliased(call.fn, given);
    return [...inside.values()].map((path) => ({ path: extend(own, ...path.steps.filter((step) => step !== '*')), close: call }));
  });
}

// Where the zeros come from

/** The struct (or pointer to it) that an event fills with zeros. */
export function zeroed(file: FileFacts, event: Event): Path | undefined {
  if (event.kind === 'call') return /^(std::)?(memset|bzero|ZeroMemory)$/.test(event.name) && fillsZero(event) ? pathOf(event.args[0]) : undefined;
  if (event.kind !== 'assign' || event.op !== '=' || !event.value) return undefined;
  const value = stripCasts(event.value);
  const target = pathOf(event.target);
  if (value.kind === 'call') return zeroAllocators.test(value.name) || makesZero(file, value) ? target : undefined;
  return value.kind === 'init' && isZeroInit(file, value, event.declares?.type) ? target : undefined;
}

/** `new Ring()` and `std::make_unique<Ring>()`, in contrast to `new Ring`. */
function makesZero(file: FileFacts, call: Call): boolean {
  if (call.args.length > 0) return false;
  return call.form === 'new' ? /[)}]\s*$/.test(file.source(call)) : /^(std::)?make_(unique|shared)</.test(call.callee);
}

const zeroAllocators = /calloc$|mallocz$|zalloc$|alloc0$|^g_new0$|talloc_zero|^kzalloc|allocz$|^CALLOC/i;

function fillsZero(call: Call): boolean {
  const fill = call.args[1];
  return call.name !== 'memset' || (fill?.kind === 'number' && fill.value === 0);
}

function startsUnset(file: FileFacts, event: Event, base: Path, field: Path): boolean {
  if (file.language === 'c' || event.kind !== 'assign') return true;
  return isZeroInside(file, typeOfPath(file, event.fn, base) ?? event.declares?.type, field.steps.slice(base.steps.length));
}

/** Nothing on the way says otherwise: C++ has default member initialisers and constructors. */
export function isZeroInside(file: FileFacts, type: string | undefined, steps: readonly string[]): boolean {
  const [name, ...more] = steps.filter((step) => step.startsWith('.'));
  if (name === undefined) return true;
  const owner = type === undefined ? undefined : ownerOf(file, type);
  const found = owner?.fields.find((each) => `.${each.name}` === name);
  const isSet = found?.init !== undefined && !startsAtZero(found.init);
  return found !== undefined && !isSet && !owner!.methods.some(({ kind }) => kind === 'constructor') && isZeroInside(file, found.type, more);
}

/** `{}` and `{0}`. In C++ default member initialisers count, so the class has to be in sight. */
function isZeroInit(file: FileFacts, value: Expr & { kind: 'init' }, declared: string | undefined): boolean {
  const isZero = value.entries.every((entry) => entry.field === undefined && entry.value.kind === 'number' && entry.value.value === 0);
  if (!isZero || value.entries.length > 1) return false;
  if (file.language === 'c') return true;
  const type = (value.type ?? declared ?? '').replace(/\b(const|struct)\b|\s/g, '');
  const owner = file.classNamed(type);
  if (!owner || owner.methods.some((method) => method.kind === 'constructor')) return false;
  return owner.fields.every((each) => !each.init || startsAtZero(each.init));
}

// The way from one to the other

/** Can control come from the zeroing to the close while nothing has set the descriptor? */
function reachesUnset(file: FileFacts, from: Event, field: Path, close: Event): boolean {
  // A loop over all elements counts as run.
  const isSetInLoop = (event: Event) => event.id > from.id && event.id < close.id && setBy(event, field);
  if (field.steps.some((step) => step.startsWith('[')) && from.fn.events.some(isSetInLoop)) return false;
  const follow = [{ block: from.block, index: from.index + 1 }];
  const seen = new Set<string>();
  for (const at of follow) {
    const key = `${at.block}:${at.index > 0}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const stop = walkBlock(file, from.fn, at, field, close);
    if (stop === 'reached') return true;
    if (stop === 'set') continue;
    for (const edge of from.fn.blocks[at.block]!.edges)
      if (edge.kind !== 'maybe' && !contradicts(from.fn, at.block, edge.when, field)) follow.push({ block: edge.to, index: 0 });
  }
  return false;
}

function walkBlock(
  file: FileFacts,
  fn: FunctionFacts,
  at: { block: number; index: number },
  field: Path,
  close: Event,
): 'reached' | 'set' | undefined {
  for (const event of fn.blocks[at.block]!.events.slice(at.index)) {
    const found = event === close ? 'reached' : effectOf(file, event, field, close);
    if (found) return found;
  }
  return undefined;
}

function effectOf(file: FileFacts, event: Event, field: Path, close: Event): 'reached' | 'set' | undefined {
  if (event.kind === 'assign') return setBy(event, field) ? 'set' : undefined;
  if (event.kind === 'escape') return event.paths.some((path) => path.root === field.root) ? 'set' : undefined;
  if (event.kind !== 'call') return undefined;
  if (event.args.some((arg) => isAddressOf(event, arg, field))) return failsInto(file, event, field, close) ? 'reached' : 'set';
  if (!maySet(file, event, field)) return undefined;
  return isOneOfMany(event, field) && failsInto(file, event, field, close) ? 'reached' : 'set';
}

function isAddressOf({ fn }: Call, arg: Expr, field: Path): boolean {
  const path = addressOf(arg);
  return path !== undefined && sameButIndices(unaliased(fn, path), field);
}

/** What a loop does for one element leaves those behind it as they were. */
function isOneOfMany(call: Call, field: Path): boolean {
  return inLoop(call) && field.steps.some((step) => step.startsWith('['));
}

/** The call that was to set the descriptor failed, and the clean-up follows. */
function failsInto(file: FileFacts, call: Call, field: Path, close: Event): boolean {
  const test = testOf(call);
  const side = test && failedSide(file, test);
  if (!test || side === undefined) return false;
  const isSet = (event: Event) => setBy(event, field);
  for (const event of eventsOnSide(test, side, isSet)) if (event === close) return true;
  return false;
}

/** Assigned, alone or with what is around it. */
export function setBy(event: Event, field: Path): boolean {
  const path = assignedBy(event);
  return path !== undefined && path.root === field.root && (sameButIndices(path, field) || isWithin(field, path));
}

/** Somebody who is given the struct may set the descriptor, unless the file shows that he does not. */
export function maySet(file: FileFacts, call: Call, field: Path): boolean {
  if (call.api || /^(f?printf|memcpy|memset|free|sizeof)$/.test(call.name)) return false;
  const isGiven = (part: Expr) => part.kind === 'path' && holds(unaliased(call.fn, part.path), field);
  const given = [call.receiver, ...call.args].some((arg) => arg && walk(arg).some(isGiven));
  if (!given) return false;
  const callee = resolveCallee(file, call);
  const name = field.steps.findLast((step) => step.startsWith('.'));
  return !callee || callee.events.some((event) => mentionsField(event, name!));
}

function holds(path: Path, field: Path): boolean {
  const around = { ...field, steps: field.steps.slice(0, path.steps.length) };
  return path.root === field.root && path.steps.length < field.steps.length && sameButIndices(path, around);
}

function mentionsField(event: Event, name: string): boolean {
  if (event.kind === 'assign') return pathOf(event.target)?.steps.includes(name) ?? false;
  return event.kind === 'call' && event.args.some((arg) => addressOf(arg)?.steps.includes(name) || pathOf(arg)?.steps.length === 0);
}

/** The pointer to the struct is null on this side, so there is no descriptor. */
function contradicts(fn: FunctionFacts, block: number, when: boolean | undefined, field: Path): boolean {
  const test = fn.blocks[block]!.events.at(-1);
  if (when === undefined || test?.kind !== 'test') return false;
  const bare = stripCasts(test.expr);
  if (bare.kind === 'path') return bare.path.steps.length === 0 && bare.path.root === field.root && !when;
  if (bare.kind !== 'binary' || bare.right.kind !== 'null' || pathOf(bare.left)?.root !== field.root) return false;
  return (bare.op === '==') === when;
}

// Classes: `int fd_ = 0;` and a destructor that closes what is not negative

function inClasses(file: FileFacts): ZeroSentinel[] {
  return file.subjectClasses.flatMap((each) => {
    const closes = each.methods.flatMap((method) => method.calls.flatMap((call) => (call.api?.does('close') ? (guardedClose(call) ?? []) : [])));
    return each.fields.flatMap((field) => {
      const isInside = ({ path: { root, steps } }: GuardedClose) =>
        root === 'this' && steps[0] === `.${field.name}` && (steps.slice(1).every(isIndex) || isZeroInside(file, field.type, steps.slice(1)));
      const hit = closes.find(isInside);
      if (!field.init || !startsAtZero(field.init) || !hit || setByConstructor(each.methods, field.name)) return [];
      return [{ at: field, field: hit.path, close: hit.close }];
    });
  });
}

export function startsAtZero(init: Expr): boolean {
  if (init.kind === 'init') return init.entries.every(({ field, value }) => field === undefined && startsAtZero(value));
  return init.kind === 'number' && init.value === 0;
}

function isIndex(step: string): boolean {
  return step.startsWith('[');
}

/** Assigned, filled or gone through: an array is set in many ways. */
function setByConstructor(methods: readonly FunctionFacts[], name: string): boolean {
  const constructors = methods.filter((method) => method.kind === 'constructor');
  const field: Path = { root: 'this', kind: 'this', steps: [`.${name}`] };
  const isSet = (event: Event) => expressionsOf(event).some((expr) => mentions(expr, field));
  return constructors.length > 0 && constructors.every((method) => method.events.some(isSet));
}
