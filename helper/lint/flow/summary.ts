// Ownership effects of a function as data: what a caller has to know, and all that another file would have to carry.
import type { FunctionFacts, Path } from '../facts/index';
import type { ResultKind } from '../knowledge/index';
import type { State, Step, Value } from './state';

/** Something a caller can name: `this` or a parameter, and steps into it. */
export interface Place {
  readonly root: 'this' | number;
  readonly steps: string;
}

export type SummaryValue =
  | { readonly k: 'num'; readonly n: number }
  | { readonly k: 'sym'; readonly s: string }
  | { readonly k: 'some' }
  | { readonly k: 'status'; readonly ok: boolean; readonly result: ResultKind }
  /** The object that the caller knows under a place. */
  | { readonly k: 'place'; readonly place: Place }
  /** An object acquired inside. */
  | { readonly k: 'new'; readonly state: string; readonly history: readonly Step[] };

/** One way in which a call can go. */
export interface Outcome {
  readonly returned: SummaryValue | undefined;
  /** Values of parameters without which the call does not go this way. */
  readonly requires: readonly { readonly param: number; readonly n: number }[];
  readonly moves: readonly { readonly place: Place; readonly state: string; readonly history: readonly Step[]; readonly escaped: boolean }[];
  readonly binds: readonly { readonly place: Place; readonly value: SummaryValue }[];
  /** Given to unknown code: whatever lies there escapes. */
  readonly handed: readonly Place[];
}

/** What a call tells about the function that it means. */
export interface Question {
  readonly machine: string;
  readonly name: string;
  /** The number of arguments given. */
  readonly arity: number;
  /** The class of the receiver. */
  readonly receiver: string | undefined;
  /** `Interop` of `Interop::take(fd)`, which may be a class or a namespace. */
  readonly scope: string | undefined;
  /** The class that the call is written in: its methods may be meant. */
  readonly within: string | undefined;
  /** Python: the dotted module that the function was imported from. C-family code has none. */
  readonly module: string | undefined;
}

export interface EffectQuestion extends Question {
  /** The path of the file that asks: functions near to it are preferred. */
  readonly from: string;
  /** Asked in an arm that is only for Windows. */
  readonly windows: boolean;
}

/** What a function of another file does. */
export interface Effects {
  /** Names of its parameters. */
  readonly params: readonly string[];
  readonly outcomes: readonly Outcome[];
}

/** Knows functions that are defined in other files. Equal answers are identical. */
export interface EffectSource {
  effectsOf(question: EffectQuestion): Effects | undefined;
  /** Names of functions that have effects on the objects of a machine. */
  namesFor(machine: string): ReadonlySet<string>;
}

/** More ways than this tell a caller nothing useful. */
const maxOutcomes = 8;

/** Undefined: the function cannot be summarised, so its arguments escape. */
export function summarise(fn: FunctionFacts, exits: readonly State[], neutral: ReadonlySet<string>): readonly Outcome[] | undefined {
  const handed = handedPlaces(fn, exits);
  const byKey = new Map<string, Outcome>();
  for (const state of exits) {
    const outcome = { ...outcomeOf(fn, state, neutral), handed };
    byKey.set(keyOf(outcome), outcome);
  }
  const outcomes = withoutFirstTimes(byKey);
  if (outcomes.length > maxOutcomes) return undefined;
  return distinguishable(outcomes) ? outcomes : undefined;
}

function keyOf(outcome: Omit<Outcome, 'handed'>): string {
  const moves = outcome.moves.map((move) => [move.place, move.state, move.escaped]);
  const binds = outcome.binds.map((bind) => [bind.place, bind.value.k === 'new' ? ['new', bind.value.state] : bind.value]);
  return JSON.stringify([outcome.returned?.k === 'new' ? 'new' : outcome.returned, outcome.requires, moves, binds]);
}

/**
 * `if (fd_ < 0) export(&fd_); *out = fd_;`: the way that makes the object goes without saying where another way finds it in the same
 * place and does the same with it.
 */
function withoutFirstTimes(byKey: ReadonlyMap<string, Outcome>): readonly Outcome[] {
  return [...byKey.values()].filter((made) => {
    const found = keyOfFound(made);
    return found === undefined || !byKey.has(found);
  });
}

/** The key of an outcome as if the object made was in its field before. */
function keyOfFound(made: Outcome): string | undefined {
  const kept = made.binds.find(({ place, value }) => place.root === 'this' && value.k === 'new');
  if (!kept) return undefined;
  const asFound = (value: SummaryValue): SummaryValue => (value.k === 'new' ? { k: 'place', place: kept.place } : value);
  return keyOf({
    ...made,
    returned: made.returned && asFound(made.returned),
    binds: made.binds.flatMap((bind) => (bind === kept ? [] : [{ ...bind, value: asFound(bind.value) }])),
  });
}

/** Outcomes that differ in effects must differ in what they return, or a caller could not tell them apart either. */
function distinguishable(outcomes: readonly Outcome[]): boolean {
  const effects = (outcome: Outcome) => keyOf({ ...outcome, returned: undefined, requires: [] });
  const byReturn = new Map<string, string>();
  for (const outcome of outcomes) {
    const returned = JSON.stringify([outcome.returned?.k === 'new' ? 'new' : outcome.returned, outcome.requires]);
    const known = byReturn.get(returned);
    if (known !== undefined && known !== effects(outcome)) return false;
    byReturn.set(returned, effects(outcome));
  }
  // An unknown result may be any of the known ones.
  const free = outcomes.filter((outcome) => outcome.requires.length === 0);
  const unknownReturn = free.some((outcome) => outcome.returned === undefined);
  return !unknownReturn || new Set(free.map(effects)).size <= 1;
}

function handedPlaces(fn: FunctionFacts, exits: readonly State[]): Place[] {
  const keys = new Set(exits.flatMap((state) => [...state.handed]));
  return [...keys].flatMap((key) => {
    const root = rootOf(key);
    const param = fn.params.findIndex((each) => each.name === root);
    if (root !== 'this' && param < 0) return [];
    return [{ root: root === 'this' ? ('this' as const) : param, steps: key.slice(root.length) }];
  });
}

function rootOf(key: string): string {
  return /^[^.[*]+/.exec(key)?.[0] ?? key;
}

function outcomeOf(fn: FunctionFacts, state: State, neutral: ReadonlySet<string>): Omit<Outcome, 'handed'> {
  const moves = [...state.objects.values()].flatMap((object) => {
    const place = object.origin && placeOf(fn, object.origin);
    if (!place || (neutral.has(object.state) && !object.escaped)) return [];
    return [{ place, state: object.state, history: object.history, escaped: object.escaped }];
  });
  const binds = [...state.bindings].flatMap(([key, value]) => {
    const place = placeOfKey(fn, key);
    const portable = place && portableValue(fn, state, value);
    if (!place || !portable || (portable.k === 'place' && samePlace(portable.place, place))) return [];
    return [{ place, value: portable }];
  });
  return { returned: returnedValue(fn, state), requires: requirementsOf(fn, state), moves, binds };
}

/** A handle that a successful call wrote is no null pointer: that tells a caller which way it went. */
function returnedValue(fn: FunctionFacts, state: State): SummaryValue | undefined {
  return state.returned?.k === 'some' ? { k: 'some' } : portableValue(fn, state, state.returned);
}

function requirementsOf(fn: FunctionFacts, state: State): Outcome['requires'] {
  return fn.params.flatMap((each, param) => {
    const value = state.bindings.get(`^${each.name}`);
    return value?.k === 'num' ? [{ param, n: value.n }] : [];
  });
}

function samePlace(a: Place, b: Place): boolean {
  return a.root === b.root && a.steps === b.steps;
}

export function placeOf(fn: FunctionFacts, path: Path): Place | undefined {
  const steps = path.steps.join('');
  if (path.root === 'this') return { root: 'this', steps };
  const param = fn.params.findIndex((each) => each.name === path.root);
  return param >= 0 ? { root: param, steps } : undefined;
}

/** A binding that outlives the call: a field, or something behind a pointer or reference parameter. */
function placeOfKey(fn: FunctionFacts, key: string): Place | undefined {
  const root = rootOf(key);
  const steps = key.slice(root.length);
  if (root === 'this') return steps === '' ? undefined : { root: 'this', steps };
  const index = fn.params.findIndex((each) => each.name === root);
  const isReference = /&$/.test(fn.params[index]?.type ?? '');
  return index >= 0 && (isReference || steps.startsWith('*') || (steps !== '' && /[*&]$/.test(fn.params[index]!.type)))
    ? { root: index, steps }
    : undefined;
}

function portableValue(fn: FunctionFacts, state: State, value: Value | undefined): SummaryValue | undefined {
  if (!value) return undefined;
  if (value.k === 'status') return { k: 'status', ok: value.ok, result: value.result };
  if (value.k === 'obj') {
    const object = state.objects.get(value.id);
    const place = object?.origin && placeOf(fn, object.origin);
    if (place) return { k: 'place', place };
    return object && !object.escaped ? { k: 'new', state: object.state, history: object.history } : undefined;
  }
  return value.k === 'num' || value.k === 'sym' || (value.k === 'some' && !value.inside) ? value : undefined;
}
