// Runs rules over the versions of a text: a rule runs again only for functions and classes that have changed, or of whose surroundings
// something has changed that it read the last time.
import type { RawFinding, Rule } from '../rules/rule';
import type { KeptFile, Memory, Owned } from './memory';
import { noting, type Reader, Reads } from './reads';

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

type Crashes = Map<string, string>;

/** What one rule said, of one subject or of the whole file. */
class Outcome implements Reader {
  findings: readonly RawFinding[] = [];
  crash: string | undefined;
  isGood = true;
  readonly #reads: Reads;

  constructor(
    memory: Memory,
    private readonly subject?: Subject,
  ) {
    this.#reads = new Reads(memory, this, subject?.of);
  }

  /** False for a rule that turns out to run by subject. */
  take(file: SubjectFile, rule: Rule): boolean {
    try {
      this.findings = noting(this.#reads, () => file.withSubject(this.subject?.of, () => rule.run(file)));
    } catch (error) {
      if (error instanceof AsksForSubjects) {
        bySubject.add(rule);
        return false;
      }
      this.crash = error instanceof Error ? error.message : String(error);
    }
    return true;
  }

  /** It says nothing, and nothing but the subject could make it. */
  get isEmpty(): boolean {
    return this.#reads.isEmpty && this.findings.length === 0 && this.crash === undefined;
  }

  outdated(): void {
    this.isGood = false;
    if (this.subject) this.subject.isGood = false;
  }

  drop(): void {
    this.#reads.drop();
  }
}

type Said = readonly [Rule, Outcome];

const nothing: readonly never[] = [];

/** A function or class, and what the rules said of it. */
class Subject implements Owned {
  isGood = false;
  /** All that were run. */
  rules: ReadonlySet<Rule> = new Set();
  /** Of the rules that found something or read more than the subject. */
  readonly outcomes = new Map<Rule, Outcome>();
  /** Those that found something, or crashed. */
  said: readonly Said[] = nothing;
  #isForgotten = false;

  /** @param gone it is forgotten; should it come back, as a function does that an edit made another class's, it starts anew */
  constructor(
    readonly of: object,
    private readonly gone: () => void,
  ) {}

  run(file: SubjectFile, memory: Memory, rules: ReadonlySet<Rule>): void {
    for (const rule of rules) {
      const before = this.outcomes.get(rule);
      // A rule without outcome read nothing that could have changed.
      if (this.rules.has(rule) && before?.isGood !== false) continue;
      before?.drop();
      const outcome = new Outcome(memory, this);
      outcome.take(file, rule);
      if (outcome.isEmpty) this.outcomes.delete(rule);
      else this.outcomes.set(rule, outcome);
    }
    this.rules = rules;
    this.isGood = true;
    this.#collect();
  }

  #collect(): void {
    const said = [...this.outcomes].filter(([, { findings, crash }]) => findings.length > 0 || crash !== undefined);
    this.said = said.length > 0 ? said : nothing;
  }

  /** Rules that are not wanted any more are run again when they are. */
  narrow(rules: ReadonlySet<Rule>): void {
    for (const [rule, outcome] of this.outcomes) {
      if (rules.has(rule)) continue;
      outcome.drop();
      this.outcomes.delete(rule);
    }
    this.#collect();
  }

  forget(): void {
    for (const outcome of this.outcomes.values()) outcome.drop();
    this.outcomes.clear();
    this.#isForgotten = true;
    this.gone();
  }

  isOf(one: object): boolean {
    return this.of === one && !this.#isForgotten;
  }
}

export class RuleRuns {
  readonly #subjects = new WeakMap<object, Subject>();
  /** In the order of the file. */
  #ordered: readonly Subject[] = nothing;
  readonly #whole = new Map<Rule, Outcome>();
  #rules: ReadonlySet<Rule> = new Set();

  run(file: SubjectFile, memory: Memory, rules: readonly Rule[], crashes: Crashes): RawFinding[] {
    const found = rules.flatMap((rule) => (bySubject.has(rule) ? [] : this.#runWhole(file, memory, rule, crashes)));
    const narrow = rules.filter((rule) => bySubject.has(rule));
    if (narrow.length !== this.#rules.size || narrow.some((rule) => !this.#rules.has(rule))) this.#rules = new Set(narrow);
    this.#ordered = file.allSubjects.map((each, i) => (this.#ordered[i]?.isOf(each) ? this.#ordered[i]! : this.#subjectOf(each, memory)));
    for (const subject of this.#ordered) {
      if (subject.rules !== this.#rules) subject.narrow(this.#rules);
      if (!subject.isGood || subject.rules !== this.#rules) subject.run(file, memory, this.#rules);
      for (const [rule, outcome] of subject.said) take(rule, outcome, found, crashes);
    }
    return found;
  }

  #subjectOf(of: object, memory: Memory): Subject {
    let known = this.#subjects.get(of);
    if (!known) {
      known = new Subject(of, () => this.#subjects.delete(of));
      this.#subjects.set(of, known);
      memory.own(of, known);
    }
    return known;
  }

  #runWhole(file: SubjectFile, memory: Memory, rule: Rule, crashes: Crashes): readonly RawFinding[] {
    let known = this.#whole.get(rule);
    if (!known?.isGood) {
      known?.drop();
      known = new Outcome(memory);
      if (!known.take(file, rule)) {
        known.drop();
        this.#whole.delete(rule);
        return [];
      }
      this.#whole.set(rule, known);
    }
    const found: RawFinding[] = [];
    take(rule, known, found, crashes);
    return found;
  }
}

function take(rule: Rule, { findings, crash }: Outcome, found: RawFinding[], crashes: Crashes): void {
  found.push(...findings);
  if (crash !== undefined) crashes.set(rule.meta.id, crash);
}
