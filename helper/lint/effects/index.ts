// The effects of the functions of a workspace by name. Where it cannot be told which function a call means, nothing is known.
import type { EffectQuestion, EffectSource, Effects } from '../flow/summary';
import type { DefinedFunction, FileEffects } from './file-effects';
import { isModule, nearest } from './places';

interface Definition {
  readonly file: string;
  readonly fn: DefinedFunction;
}

const nothing: readonly Definition[] = [];
/** Above this, answers are forgotten; that costs whoever has one a second look. */
const maxInterned = 5000;

export class EffectIndex implements EffectSource {
  readonly #files = new Map<string, FileEffects>();
  readonly #byName = new Map<string, readonly Definition[]>();
  /** How many files declare a method of this name virtual. */
  readonly #virtual = new Map<string, number>();
  /** By machine, then by name: how many definitions have effects. */
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #names = new Map<string, ReadonlySet<string>>();
  readonly #answers = new Map<string, Map<string, Effects | undefined>>();
  /** By content, so that equal answers are identical. */
  readonly #interned = new Map<string, Effects>();

  /** @returns names of functions of which something else may be known now */
  set(file: string, effects: FileEffects | undefined): ReadonlySet<string> {
    const before = this.#files.get(file);
    const changed = changedNames(before, effects);
    const known = [...changed].filter((name) => this.has(name));
    this.#remove(file, before, changed);
    this.#add(file, effects, changed);
    for (const name of changed) this.#answers.delete(name);
    if (effects) this.#files.set(file, effects);
    else this.#files.delete(file);
    return new Set([...known, ...[...changed].filter((name) => this.has(name))]);
  }

  /** Some function of this name has effects. */
  has(name: string): boolean {
    for (const counts of this.#counts.values()) if (counts.has(name)) return true;
    return false;
  }

  /** Names of all functions that have effects. */
  get names(): ReadonlySet<string> {
    return new Set([...this.#counts.values()].flatMap((counts) => [...counts.keys()]));
  }

  get files(): ReadonlyMap<string, FileEffects> {
    return this.#files;
  }

  /** Files that call a function of one of these names. */
  callersOf(names: ReadonlySet<string>): string[] {
    if (names.size === 0) return [];
    return [...this.#files].flatMap(([file, { calls }]) => (callsAny(calls, names) ? [file] : []));
  }

  namesFor(machine: string): ReadonlySet<string> {
    const known = this.#names.get(machine);
    if (known) return known;
    const made = new Set(this.#counts.get(machine)?.keys());
    this.#names.set(machine, made);
    return made;
  }

  effectsOf(question: EffectQuestion): Effects | undefined {
    const { machine, name, arity, receiver, scope, within, module, from, windows } = question;
    const key = [machine, arity, receiver, scope, within, module, windows, from].join('\n');
    const answers = this.#answers.get(name) ?? new Map<string, Effects | undefined>();
    this.#answers.set(name, answers);
    if (!answers.has(key)) answers.set(key, this.#find(question));
    return answers.get(key);
  }

  /** The same index for a file that goes by another name in its own findings. */
  seenFrom(file: string): EffectSource {
    return { effectsOf: (question) => this.effectsOf({ ...question, from: file }), namesFor: (machine) => this.namesFor(machine) };
  }

  #find(question: EffectQuestion): Effects | undefined {
    const { machine, name, from } = question;
    // A method that may be overridden could be another one.
    if (question.receiver !== undefined && this.#virtual.has(name)) return undefined;
    const meant = nearest(from, candidates(question, this.#byName.get(name) ?? nothing));
    const [first, ...others] = meant;
    const outcomes = first?.fn.effects[machine];
    if (!first || !outcomes) return undefined;
    const content = JSON.stringify(outcomes);
    if (others.some(({ fn }) => JSON.stringify(fn.effects[machine]) !== content)) return undefined;
    return this.#intern({ params: first.fn.params, outcomes });
  }

  #intern(effects: Effects): Effects {
    const key = JSON.stringify(effects);
    const known = this.#interned.get(key);
    if (known) return known;
    if (this.#interned.size > maxInterned) this.#interned.clear();
    this.#interned.set(key, effects);
    return effects;
  }

  #remove(file: string, effects: FileEffects | undefined, names: ReadonlySet<string>): void {
    for (const name of effects?.virtual ?? []) if (names.has(name)) this.#count(this.#virtual, name, -1);
    for (const fn of effects?.functions ?? []) if (names.has(fn.name)) this.#countEffects(fn, -1);
    for (const name of names) {
      const rest = (this.#byName.get(name) ?? nothing).filter((each) => each.file !== file);
      if (rest.length > 0) this.#byName.set(name, rest);
      else this.#byName.delete(name);
    }
  }

  #add(file: string, effects: FileEffects | undefined, names: ReadonlySet<string>): void {
    for (const name of effects?.virtual ?? []) if (names.has(name)) this.#count(this.#virtual, name, 1);
    for (const fn of effects?.functions ?? []) {
      if (!names.has(fn.name)) continue;
      this.#countEffects(fn, 1);
      this.#byName.set(fn.name, [...(this.#byName.get(fn.name) ?? nothing), { file, fn }]);
    }
  }

  #countEffects({ name, effects }: DefinedFunction, by: number): void {
    for (const machine of Object.keys(effects)) {
      const counts = this.#counts.get(machine) ?? new Map<string, number>();
      this.#counts.set(machine, counts);
      const had = counts.has(name);
      this.#count(counts, name, by);
      if (counts.has(name) !== had) this.#names.delete(machine);
    }
  }

  #count(counts: Map<string, number>, name: string, by: number): void {
    const sum = (counts.get(name) ?? 0) + by;
    if (sum > 0) counts.set(name, sum);
    else counts.delete(name);
  }
}

function callsAny(calls: string, names: ReadonlySet<string>): boolean {
  const lines = `\n${calls}\n`;
  if (names.size > 20) return calls.split('\n').some((name) => names.has(name));
  for (const name of names) if (lines.includes(`\n${name}\n`)) return true;
  return false;
}

/** Names whose definitions differ between two versions of a file. */
function changedNames(before: FileEffects | undefined, after: FileEffects | undefined): Set<string> {
  const was = contents(before);
  const is = contents(after);
  return new Set([...was.keys(), ...is.keys()].filter((name) => was.get(name) !== is.get(name)));
}

function contents(effects: FileEffects | undefined): Map<string, string> {
  const found = new Map<string, string>();
  for (const fn of effects?.functions ?? []) found.set(fn.name, (found.get(fn.name) ?? '') + JSON.stringify(fn));
  for (const name of effects?.virtual ?? []) found.set(name, `${found.get(name) ?? ''} virtual`);
  return found;
}

function candidates(question: EffectQuestion, all: readonly Definition[]): Definition[] {
  const { arity, module, windows, from } = question;
  const fitting = all.filter(({ file, fn }) => {
    if (file === from || arity < fn.required || arity > fn.params.length) return false;
    if (fn.platform === (windows ? 'other' : 'windows')) return false;
    return module === undefined ? !isPython(file) : isPython(file) && fn.className === undefined && isModule(file, module);
  });
  return module === undefined ? inScope(question, fitting) : fitting;
}

function inScope({ receiver, scope, within }: EffectQuestion, all: readonly Definition[]): Definition[] {
  const ofClass = (name: string | undefined) => all.filter(({ fn }) => fn.className === name);
  if (receiver !== undefined) return ofClass(receiver);
  const owner = scope ?? within;
  const methods = owner === undefined ? [] : ofClass(owner);
  if (methods.length > 0) return methods;
  // What stands before `::` and is no class is a namespace.
  return scope !== undefined && all.some(({ fn }) => fn.className !== undefined) && /^[A-Z]/.test(scope) ? [] : ofClass(undefined);
}

function isPython(file: string): boolean {
  return /\.pyi?$/i.test(file);
}
