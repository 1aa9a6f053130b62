// Descriptors in zero-filled structs that reach a clean-up which closes everything that is not negative.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path, Test, Variable } from '../facts/index';
import { addressOf, expressionsOf, extend, isWithin, mentions, pathKey, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { dominates } from '../flow/order';
import { resolveCallee } from '../flow/program';
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
    const hit = base && closes.find(({ path, close }) => strictlyInside(path, base) && reachesUnset(file, event, path, close));
    return hit ? [{ at: event, field: hit.path, close: hit.close }] : [];
  });
}

function strictlyInside(path: Path, base: Path): boolean {
  return isWithin(path, base) && path.steps.length > base.steps.length;
}

// Where the clean-up is

function closesIn(file: FileFacts, fn: FunctionFacts): GuardedClose[] {
  return fn.calls.flatMap((call) => {
    if (call.api?.does('close')) return guardedClose(call) ?? [];
    const callee = call.api ? undefined : resolveCallee(file, call);
    return callee && callee !== fn ? closesOfHelper(call, callee) : [];
  });
}

export function guardedClose(call: Call): GuardedClose | undefined {
  const path = pathOf(call.api!.arg('fd'));
  if (!path || path.steps.length === 0) return undefined;
  const guards = call.fn.events.filter((event): event is Test => event.kind === 'test' && dominates(event, call));
  if (!guards.some((test) => isSentinelTest(test.expr, path))) return undefined;
  // A second condition on the same struct may well say that the descriptor is set.
  const others = guards.filter((test) => !isSentinelTest(test.expr, path) && !testedCall(test) && isFlagOf(test, path, call));
  return others.length === 0 ? { path, close: call } : undefined;
}

function isFlagOf(test: Test, path: Path, close: Call): boolean {
  const leads = test.fn.blocks[test.block]!.edges.filter((edge) => edge.when !== undefined && leadsTo(test.fn, edge.to, close.block));
  const reads = [...walk(test.expr)].some((part) => part.kind === 'path' && part.path.root === path.root && part.path.steps.length > 0);
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

/** Closes inside a helper, as paths of the caller. */
function closesOfHelper(call: Call, callee: FunctionFacts): GuardedClose[] {
  return callee.calls.flatMap((inner) => {
    const found = inner.api?.does('close') ? guardedClose(inner) : undefined;
    const param = found && callee.params.findIndex((each) => each.name === found.path.root);
    const given = param === undefined || param < 0 ? undefined : pathOf(call.args[param]);
    return found && given ? [{ path: extend(given, ...found.path.steps.filter((step) => step !== '*')), close: call }] : [];
  });
}

// Where the zeros come from

/** The struct (or pointer to it) that an event fills with zeros. */
export function zeroed(file: FileFacts, event: Event): Path | undefined {
  if (event.kind === 'call') return /^(std::)?(memset|bzero|ZeroMemory)$/.test(event.name) && fillsZero(event) ? pathOf(event.args[0]) : undefined;
  if (event.kind !== 'assign' || event.op !== '=' || !event.value) return undefined;
  const value = stripCasts(event.value);
  const target = pathOf(event.target);
  if (value.kind === 'call') return zeroAllocators.test(value.name) ? target : undefined;
  return value.kind === 'init' && isZeroInit(file, value, event.declares?.type) ? target : undefined;
}

const zeroAllocators = /calloc$|mallocz$|zalloc$|alloc0$|^g_new0$|talloc_zero|^kzalloc|allocz$|^CALLOC/i;

function fillsZero(call: Call): boolean {
  const fill = call.args[1];
  return call.name !== 'memset' || (fill?.kind === 'number' && fill.value === 0);
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
  const isSetInLoop = (event: Event) => event.kind === 'assign' && event.id > from.id && event.id < close.id && sets(event.target, field);
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
  if (event.kind === 'assign') return sets(event.target, field) ? 'set' : undefined;
  if (event.kind === 'escape') return event.paths.some((path) => path.root === field.root) ? 'set' : undefined;
  if (event.kind !== 'call') return undefined;
  if (event.args.some((arg) => sameField(addressOf(arg), field))) return failsInto(file, event, field, close) ? 'reached' : 'set';
  return maySet(file, event, field) ? 'set' : undefined;
}

/** The call that was to set the descriptor failed, and the clean-up follows. */
function failsInto(file: FileFacts, call: Call, field: Path, close: Event): boolean {
  const test = testOf(call);
  const side = test && failedSide(file, test);
  if (!test || side === undefined) return false;
  const isSet = (event: Event) => event.kind === 'assign' && sets(event.target, field);
  for (const event of eventsOnSide(test, side, isSet)) if (event === close) return true;
  return false;
}

export function sets(target: Expr, field: Path): boolean {
  const path = pathOf(target);
  return path !== undefined && path.root === field.root && (sameField(path, field) || isWithin(field, path));
}

/** Equal but for array indices: a loop sets all elements. */
function sameField(a: Path | undefined, b: Path): boolean {
  const plain = (path: Path) => pathKey(path).replace(/\[[^\]]*\]/g, '[]');
  return a !== undefined && plain(a) === plain(b);
}

/** Somebody who is given the struct may set the descriptor, unless the file shows that he does not. */
export function maySet(file: FileFacts, call: Call, field: Path): boolean {
  if (call.api || /^(f?printf|memcpy|memset|free|sizeof)$/.test(call.name)) return false;
  const given = [call.receiver, ...call.args].some((arg) => arg && [...walk(arg)].some((part) => part.kind === 'path' && holds(part.path, field)));
  if (!given) return false;
  const callee = resolveCallee(file, call);
  const name = field.steps.findLast((step) => step.startsWith('.'));
  return !callee || callee.events.some((event) => mentionsField(event, name!));
}

function holds(path: Path, field: Path): boolean {
  return path.root === field.root && path.steps.length < field.steps.length && isWithin(field, path);
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
      const hit = closes.find(({ path }) => path.root === 'this' && path.steps[0] === `.${field.name}` && path.steps.slice(1).every(isIndex));
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
