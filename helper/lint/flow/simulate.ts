// Property simulation of one function (after ESP): a set of states per block, merged where the property-relevant part is equal, capped,
// and given up when it grows too large. Giving up means silence.
import type { Call, Event, FileFacts, FunctionFacts, Test } from '../facts/index';
import { type Condition, conditionOf } from './conditions';
import { applyAssign, applyBuiltin, applyKnownCall, applyUnknownCall, escapeExpr, escapeKey, trackReturned } from './effects';
import { assume, callsBehind, evaluate, truth } from './evaluate';
import type { Machine, Violation } from './machine';
import type { State } from './state';
import type { Effects } from './summary';
import { applyOutcomes, type Followed } from './summary-apply';

export const maxStates = 64;
const maxSteps = 20_000;
/** Long straight code is no explosion: each event may be looked at this often on top. */
const stepsPerEvent = 4;

export interface SimulationResult {
  /** States in which the function returns. */
  readonly exits: readonly State[];
  readonly violations: readonly Violation[];
  /** The analysis gave up: nothing may be concluded. */
  readonly degraded: boolean;
}

export interface Callees {
  /** The possible outcomes of a call to a function that is known, `undefined` when it is not. */
  outcomes(call: Call, state: State): Effects | undefined;
}

class GaveUp extends Error {}

function repeatedTests(fn: FunctionFacts, file: FileFacts): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const event of fn.events) {
    if (event.kind !== 'test' || event.expr.kind === 'other') continue;
    const { text } = rememberedAs(event, file);
    (seen.has(text) ? repeated : seen).add(text);
  }
  return repeated;
}

/** The key of a test's outcome among the bindings. */
function rememberedAs({ expr }: Test, file: FileFacts): Condition {
  const { text, isTurned } = conditionOf(expr, (of) => file.source(of));
  return { text: `?${text}`, isTurned };
}

export function simulate(fn: FunctionFacts, machine: Machine, entry: readonly State[], file: FileFacts, callees: Callees): SimulationResult {
  if (fn.degraded) return { exits: [], violations: [], degraded: true };
  const run = new Run(fn, machine, file, callees);
  try {
    run.from(entry);
    return { exits: run.exits, violations: run.violations, degraded: false };
  } catch (error) {
    if (error instanceof GaveUp) return { exits: [], violations: [], degraded: true };
    throw error;
  }
}

class Run {
  readonly exits: State[] = [];
  readonly violations: Violation[] = [];
  readonly #arrived: Map<string, State>[];
  readonly #queue: { block: number; key: string }[] = [];
  /** Tests that are written more than once: only these can be correlated. */
  readonly #repeated: ReadonlySet<string>;
  #stepsLeft: number;

  constructor(
    private readonly fn: FunctionFacts,
    private readonly machine: Machine,
    private readonly file: FileFacts,
    private readonly callees: Callees,
  ) {
    this.#arrived = fn.blocks.map(() => new Map());
    this.#repeated = repeatedTests(fn, file);
    this.#stepsLeft = maxSteps + stepsPerEvent * fn.events.length;
  }

  readonly #report = (found: Violation): void => {
    const known = this.violations.some((each) => each.kind === found.kind && each.at === found.at && each.object.id === found.object.id);
    if (!known) this.violations.push(found);
  };

  from(entry: readonly State[]): void {
    for (const state of entry) this.#arrive(this.fn.entry, state);
    for (let work = this.#queue.shift(); work; work = this.#queue.shift()) {
      const state = this.#arrived[work.block]!.get(work.key);
      if (state) this.#runBlock(work.block, state.clone());
    }
    for (const state of this.#arrived[this.fn.exit]!.values()) {
      this.machine.leave?.(state, 'return', this.fn, this.#report, this.file);
      this.exits.push(state);
    }
    for (const state of this.#arrived[this.fn.throwExit]!.values()) this.machine.leave?.(state, 'throw', this.fn, this.#report, this.file);
  }

  #arrive(block: number, state: State): void {
    const key = state.key();
    const known = this.#arrived[block]!.get(key);
    if (known) {
      if (!known.intersect(state)) return;
    } else {
      if (this.#arrived[block]!.size >= maxStates) throw new GaveUp();
      this.#arrived[block]!.set(key, state);
    }
    this.#queue.push({ block, key });
  }

  #runBlock(id: number, start: State): void {
    const block = this.fn.blocks[id]!;
    let states = [start];
    for (const event of block.events) {
      if (event.kind === 'test') break;
      states = states.flatMap((state) => this.#step(event, state));
      if (states.length > maxStates) throw new GaveUp();
    }
    const last = block.events.at(-1);
    for (const state of states) {
      this.#dropLost(state, last);
      if (last?.kind === 'test') this.#branch(id, last, state);
      else for (const edge of block.edges) if (edge.kind !== 'maybe') this.#arrive(edge.to, state.clone());
    }
  }

  #dropLost(state: State, at: Event | undefined): void {
    for (const object of state.prune()) if (at) this.machine.lost?.(object, at, this.#report);
  }

  #branch(id: number, test: Test, state: State): void {
    const value = evaluate(test.expr, state);
    const known = truth(value);
    const asked = known === undefined && value?.k !== 'taint' ? rememberedAs(test, this.file) : undefined;
    const remembered = asked && truth(state.bindings.get(asked.text));
    const answer = known ?? (remembered === undefined ? undefined : remembered !== asked!.isTurned);
    for (const edge of this.fn.blocks[id]!.edges) {
      if (edge.when === undefined || (answer !== undefined && answer !== edge.when)) continue;
      const next = state.clone();
      if (answer === undefined) this.#learn(next, test, edge.when, asked);
      if (test.joins) next.join(test.expr, edge.when);
      else next.joining.clear();
      if (value?.k === 'taint') next.doubt(callsBehind(value));
      this.#arrive(edge.to, next);
    }
  }

  /** Remembers how an unknown test came out, so that an equal test later comes out the same. */
  #learn(state: State, test: Test, outcome: boolean, asked: Condition | undefined): void {
    assume(test.expr, outcome, state);
    if (asked && this.#repeated.has(asked.text)) state.bindings.set(asked.text, { k: 'num', n: outcome !== asked.isTurned ? 1 : 0 });
  }

  #step(event: Event, state: State): State[] {
    if (--this.#stepsLeft < 0) throw new GaveUp();
    switch (event.kind) {
      case 'call':
        return this.#call(event, state);
      case 'assign':
        applyAssign(event, state, this.file, this.machine);
        if (event.target.kind === 'path') state.askAnew(state.resolve(event.target.path));
        state.joining.clear();
        return [state];
      case 'return':
        trackReturned(event, state, this.machine);
        state.returned = evaluate(event.value, state);
        state.joining.clear();
        state.leaving = event;
        return [state];
      case 'throw':
        // `throw Failure{"import", fd}`: whoever catches it has it.
        if (event.value) escapeExpr(event.value, state);
        state.leaving = event;
        return [state];
      case 'escape':
        for (const path of event.paths) escapeKey(state.resolve(path), state);
        for (const path of event.copies) escapeExpr({ kind: 'path', path, span: event.span }, state);
        return [state];
      default:
        return [state];
    }
  }

  #followed(call: Call): Followed {
    const { machine } = this;
    return {
      onMove: (before, to) => machine.moved?.(before, to, call, this.#report),
      track: (target, source) => machine.track?.(target, source),
    };
  }

  #call(call: Call, state: State): State[] {
    state.results.delete(call.id);
    const handled = this.machine.call(call, state, this.#report, this.file);
    if (handled) return handled;
    if (applyBuiltin(call, state, this.machine)) return [state];
    if (call.api) {
      applyKnownCall(call, state);
      return [state];
    }
    const known = this.callees.outcomes(call, state);
    if (known) return applyOutcomes(call, state, known, this.#followed(call));
    applyUnknownCall(call, state, this.file);
    return [state];
  }
}
