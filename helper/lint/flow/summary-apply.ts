// Applies the outcomes of a known callee at a call.
import type { Call, Expr, Path } from '../facts/index';
import { addressOf, declarationOf, extend, pathOf } from '../facts/paths';
import { bareType } from '../knowledge/index';
import { escapeKey, trackPath } from './effects';
import { callsBehind, evaluate } from './evaluate';
import type { State, Step, Tracked, Value } from './state';
import type { Effects, Outcome, Place, SummaryValue } from './summary';

/** What the machine has to say about objects of a callee. */
export interface Followed {
  onMove(before: Tracked, to: string): void;
  /** The first state of something unknown at `source` that the callee copied to `target`. */
  track(target: Path, source: Path): string | undefined;
}

export function applyOutcomes(call: Call, state: State, known: Effects, followed: Followed): State[] {
  const { params } = known;
  const possible = feasible({ call, params, decides: false, followed }, state, known.outcomes);
  const decides = possible.length > 1;
  const behind = [...call.args, ...call.keywords.values()].flatMap((arg) => callsBehind(evaluate(arg, state)));
  return possible.map((outcome, i) => {
    const next = i === possible.length - 1 ? state : state.clone();
    applyOutcome({ call, params, decides, followed }, next, outcome);
    // Something that depends on the status it was given, nobody knows how.
    const isClear = outcome.returned?.k === 'status' || (outcome.returned !== undefined && !decides);
    if (behind.length > 0 && !isClear) next.results.set(call.id, { k: 'taint', calls: behind });
    return next;
  });
}

/** Outcomes that the arguments allow; ways that need a special argument only when it is known to be that. */
function feasible(site: Site, state: State, outcomes: readonly Outcome[]): readonly Outcome[] {
  const allows = (outcome: Outcome, strict: boolean) =>
    outcome.requires.every(({ param, n }) => {
      const value = evaluate(argumentAt(site, param), state);
      return value?.k === 'num' ? value.n === n : !strict && value?.k !== 'obj';
    });
  const certain = outcomes.filter((outcome) => allows(outcome, true));
  return certain.length > 0 ? certain : outcomes.filter((outcome) => allows(outcome, false));
}

interface Site {
  readonly call: Call;
  /** Names of the callee's parameters. */
  readonly params: readonly string[];
  /** The outcome decides the state of objects, so doubt about it spoils them. */
  readonly decides: boolean;
  readonly followed: Followed;
}

function applyOutcome(site: Site, state: State, outcome: Outcome): void {
  const ids = new Map<Place, number>();
  for (const move of outcome.moves) {
    const id = objectAt(site, state, move.place, move.state, move.history);
    if (id === undefined) continue;
    ids.set(move.place, id);
    if (move.escaped) state.escape(id);
  }
  const values = outcome.binds.map((bind) => import_(site, state, bind.value, pathAt(site, bind.place)));
  for (const [i, bind] of outcome.binds.entries()) {
    const key = keyAt(site, state, bind.place);
    if (key) state.bind(key, values[i]);
  }
  for (const place of outcome.handed) escapePlace(site, state, place);
  if (outcome.returned?.k === 'status' && outcome.returned.ok && outcome.moves.length > 0) bindMade(site, state);
  const returned = outcome.returned && import_(site, state, outcome.returned, site.call.result);
  if (returned) state.results.set(site.call.id, returned);
}

/** What a helper that succeeded has written through `&memory` is there: a check of it for null beside the status is no second way to fail. */
function bindMade({ call }: Site, state: State): void {
  for (const path of call.args.flatMap((arg) => addressOf(arg) ?? [])) {
    const key = state.resolve(path);
    const type = path.kind === 'local' ? bareType(declarationOf(call.fn, path)?.type ?? '') : '';
    if (isHandleType(type) && state.keysInside(key).every((each) => isNull(state.bindings.get(each)))) state.bind(key, { k: 'some', inside: true });
  }
}

/** `CUexternalMemory`, `cudaExternalSemaphore_t`, `VkDeviceMemory`. */
function isHandleType(type: string): boolean {
  return (
    /^(CU[a-z]\w+|(cuda|hip)[A-Z]\w+_t|Vk[A-Z]\w+)$/.test(type) &&
    !/^(CUresult|CUdeviceptr|cudaError_t|hipError_t|VkResult|VkBool32|VkDeviceSize)$/.test(type)
  );
}

function isNull(value: Value | undefined): boolean {
  return value?.k === 'num' && value.n === 0;
}

/** Moves the object at a place, or begins to track it there. The steps inside the callee stay in the history. */
function objectAt(site: Site, state: State, place: Place, to: string, history: readonly Step[]): number | undefined {
  const value = valueAt(site, state, place);
  const via = site.decides ? site.call.id : undefined;
  const inside = history.map((step) => ({ ...step }));
  const steps: Step[] = [...inside, { state: to, at: site.call }];
  if (value?.k === 'obj') {
    const object = state.objects.get(value.id);
    if (!object || object.escaped) return value.id;
    site.followed.onMove(object, to);
    state.objects.set(value.id, { ...object, state: to, via, history: [...object.history, ...steps] });
    return value.id;
  }
  const key = keyAt(site, state, place);
  if (value || !key) return undefined;
  const id = site.call.id * 16 + (typeof place.root === 'number' ? place.root + 1 : 0);
  const argument = typeof place.root === 'number' ? argumentAt(site, place.root) : undefined;
  const origin = place.steps === '' ? pathOf(argument) : undefined;
  state.objects.set(id, { id, state: to, via, origin, escaped: false, history: steps });
  state.bindings.set(key, { k: 'obj', id });
  return id;
}

/** The callee copied something of which the caller knows nothing yet: both names mean one object from now on. */
function found(site: Site, state: State, place: Place, target: Path | undefined): Value | undefined {
  const source = pathAt(site, place);
  const first = source && site.followed.track(target ?? source, source);
  return first === undefined ? undefined : { k: 'obj', id: trackPath(source!, first, site.call, state) };
}

function escapePlace(site: Site, state: State, place: Place): void {
  const value = valueAt(site, state, place);
  if (value?.k === 'obj') state.escape(value.id);
  const key = keyAt(site, state, place);
  if (key) escapeKey(key, state);
}

function argumentAt(site: Site, param: number): Expr | undefined {
  const name = site.params[param];
  return (name !== undefined ? site.call.keywords.get(name) : undefined) ?? site.call.args[param];
}

function receiverOf({ call }: Site): Path | undefined {
  return call.receiver ? pathOf(call.receiver) : { root: 'this', kind: 'this', steps: [] };
}

/** The place as the caller would write it. */
function pathAt(site: Site, place: Place): Path | undefined {
  const base = place.root === 'this' ? receiverOf(site) : pathOf(argumentAt(site, place.root));
  return base && extend(base, ...place.steps.split(/(?=[.[*])/).filter((step) => step !== ''));
}

/** The caller's key of a place in the callee. */
function keyAt(site: Site, state: State, place: Place): string | undefined {
  if (place.root === 'this') {
    const receiver = receiverOf(site);
    return receiver && state.resolve(receiver) + place.steps;
  }
  const argument = argumentAt(site, place.root);
  const value = evaluate(argument, state);
  if (value?.k === 'addr') return value.key + place.steps.replace(/^\*/, '');
  const path = pathOf(argument);
  return path && state.resolve(path) + place.steps;
}

function valueAt(site: Site, state: State, place: Place): Value | undefined {
  if (place.root !== 'this' && place.steps === '') return evaluate(argumentAt(site, place.root), state);
  const key = keyAt(site, state, place);
  return key ? state.lookup(key) : undefined;
}

function import_(site: Site, state: State, value: SummaryValue, target: Path | undefined): Value | undefined {
  switch (value.k) {
    case 'status':
      return { ...value, call: site.call.id };
    case 'place':
      return valueAt(site, state, value.place) ?? found(site, state, value.place, target);
    case 'new': {
      const id = site.call.id * 16 + 15;
      const history = [...value.history, { state: value.state, at: site.call }];
      state.objects.set(id, { id, state: value.state, via: site.decides ? site.call.id : undefined, origin: undefined, escaped: false, history });
      return { k: 'obj', id };
    }
    default:
      return value;
  }
}
