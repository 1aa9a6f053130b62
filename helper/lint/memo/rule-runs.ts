// Runs rules over the versions of a text: a rule runs again only for functions and classes that have changed, or of whose surroundings
// something has changed that it read the last time.
import type { RawFinding, Rule } from '../rules/rule';
import { type KeptFile, noting, Reads } from './reads';

/** A file whose subjects can be narrowed down to one. */
export interface SubjectFile extends KeptFile {
  /** Functions and classes. */
  readonly allSubjects: readonly object[];
  /** Runs with one subject only; `undefined`: whoever asks for subjects is interrupted. */
  withSubject<T>(subject: object | undefined, run: () => T): T;
}

/** Thrown by a file at a rule that asks for subjects when there are none to give. */
export class AsksForSubjects extends Error {}

/** Rules that have asked for subjects are run for one at a time. */
const bySubject = new WeakSet<Rule>();

interface Outcome {
  readonly findings: readonly RawFinding[];
  readonly crash: string | undefined;
  readonly reads: Reads;
}

interface Subject {
  /** All that were run. */
  readonly rules: ReadonlySet<Rule>;
  /** Of the rules that found something or read more than the subject. */
  readonly outcomes: Map<Rule, Outcome>;
  readonly reads: Reads;
}

type Crashes = Map<string, string>;

export class RuleRuns {
  readonly #subjects = new WeakMap<object, Subject>();
  readonly #whole = new Map<Rule, Outcome>();
  #rules: ReadonlySet<Rule> = new Set();

  run(file: SubjectFile, rules: readonly Rule[], crashes: Crashes): RawFinding[] {
    const found = rules.flatMap((rule) => (bySubject.has(rule) ? [] : this.#runWhole(file, rule, crashes)));
    const narrow = rules.filter((rule) => bySubject.has(rule));
    if (narrow.length !== this.#rules.size || narrow.some((rule) => !this.#rules.has(rule))) this.#rules = new Set(narrow);
    for (const subject of file.allSubjects) for (const outcome of this.#outcomesOf(file, subject)) take(outcome, found, crashes);
    return found;
  }

  #runWhole(file: SubjectFile, rule: Rule, crashes: Crashes): readonly RawFinding[] {
    let known = this.#whole.get(rule);
    if (!known?.reads.hold(file)) {
      known = runOn(file, undefined, rule);
      if (!known) return [];
      this.#whole.set(rule, known);
    }
    const found: RawFinding[] = [];
    take([rule, known], found, crashes);
    return found;
  }

  #outcomesOf(file: SubjectFile, subject: object): Iterable<[Rule, Outcome]> {
    const known = this.#subjects.get(subject);
    if (known?.rules === this.#rules && known.reads.hold(file)) return known.outcomes;
    const outcomes = new Map<Rule, Outcome>();
    const reads = new Reads(subject);
    for (const rule of this.#rules) {
      const before = known?.outcomes.get(rule);
      // A rule without outcome read nothing that could have changed.
      const isGood = known?.rules.has(rule) && (!before || before.reads.hold(file));
      const outcome = isGood ? before : runOn(file, subject, rule);
      if (!outcome || (outcome.reads.isEmpty && outcome.findings.length === 0 && outcome.crash === undefined)) continue;
      outcomes.set(rule, outcome);
      reads.add(outcome.reads);
    }
    this.#subjects.set(subject, { rules: this.#rules, outcomes, reads: reads.heldIn(file) });
    return outcomes;
  }
}

function take([rule, { findings, crash }]: [Rule, Outcome], found: RawFinding[], crashes: Crashes): void {
  found.push(...findings);
  if (crash !== undefined) crashes.set(rule.meta.id, crash);
}

/** Undefined for a rule that turns out to run by subject. */
function runOn(file: SubjectFile, subject: object | undefined, rule: Rule): Outcome | undefined {
  const reads = new Reads(subject);
  try {
    const findings = noting(reads, () => file.withSubject(subject, () => rule.run(file)));
    return { findings, crash: undefined, reads: reads.heldIn(file) };
  } catch (error) {
    if (!(error instanceof AsksForSubjects))
      return { findings: [], crash: error instanceof Error ? error.message : String(error), reads: reads.heldIn(file) };
    bySubject.add(rule);
    return undefined;
  }
}
