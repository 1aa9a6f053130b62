// What a computation read of a file. As long as all of it is as it was, the outcome is what it was.
import type { FileFacts, FunctionFacts } from '../facts/index';

/** The parts of a file that are told apart; some are told apart by name as well. */
export type Part =
  | 'functions'
  | 'functions named'
  | 'classes'
  | 'class'
  | 'shape of class'
  | 'place of class'
  | 'fields of class'
  | 'methods of class'
  | 'globals'
  | 'global'
  | 'imports'
  | 'directives'
  | 'text'
  | 'elsewhere'
  | 'names elsewhere';

/** A file that is kept over the versions of its text. */
export interface KeptFile extends FileFacts {
  /** Counts the versions. */
  readonly version: number;
  /** Identical over versions as long as the part is. */
  partOf(part: Part, name: string): unknown;
  /** The function is one of the present version: it has not changed, though it may have moved. */
  stillHas(fn: FunctionFacts): boolean;
  /** What has changed since a version, where that is remembered. */
  changesSince(version: number): readonly Changes[] | undefined;
}

/** What one version of a file has changed. */
export interface Changes {
  /** Functions of the version before that are gone. */
  readonly gone: ReadonlySet<FunctionFacts>;
  /** Names that other functions have now. */
  readonly names: ReadonlySet<string>;
}

/** The remembered outcome of a query, which may be checked for being up to date. */
export interface Answer {
  valueIn(file: KeptFile): unknown;
}

export class Reads {
  #last: FunctionFacts | undefined;
  #parts: Map<Part, Map<string, unknown>> | undefined;
  #bodies: Set<FunctionFacts> | undefined;
  #answers: Map<Answer, unknown> | undefined;
  /** The last version in which all of it was as it was read. */
  #version = -1;

  /** @param own what is computed for a function needs no note of having read it */
  constructor(private readonly own?: object) {}

  body(fn: FunctionFacts): void {
    if (fn === this.own || fn === this.#last || this.#parts?.has('functions')) return;
    this.#last = fn;
    this.#bodies ??= new Set();
    this.#bodies.add(fn);
  }

  part(part: Part, name: string, value: unknown): void {
    this.#parts ??= new Map();
    const names = this.#parts.get(part);
    if (names) names.set(name, value);
    else this.#parts.set(part, new Map([[name, value]]));
    // Who knows all functions knows each.
    if (part === 'functions') this.#bodies = undefined;
  }

  answer(answer: Answer, value: unknown): void {
    this.#answers ??= new Map();
    this.#answers.set(answer, value);
  }

  /** Nothing but the function itself was read. */
  get isEmpty(): boolean {
    return !this.#parts && !this.#bodies && !this.#answers;
  }

  add(other: Reads): void {
    for (const [part, names] of other.#parts ?? []) for (const [name, value] of names) this.part(part, name, value);
    for (const fn of other.#bodies ?? []) this.body(fn);
    for (const [answer, value] of other.#answers ?? []) this.answer(answer, value);
  }

  /** They are those of this version. */
  heldIn({ version }: KeptFile): this {
    this.#version = version;
    return this;
  }

  /** An edit mostly changes one function: what has changed is looked up in what was read, not the other way round. */
  hold(file: KeptFile): boolean {
    if (this.#version === file.version) return true;
    const changes = file.changesSince(this.#version);
    const isHeld = changes ? changes.every((each) => this.#survives(each)) : this.#functionsHold(file);
    if (!isHeld) return false;
    for (const [part, names] of this.#parts ?? []) {
      if (part === 'functions named') continue;
      for (const [name, value] of names) if (file.partOf(part, name) !== value) return false;
    }
    for (const [answer, value] of this.#answers ?? []) if (answer.valueIn(file) !== value) return false;
    this.#version = file.version;
    return true;
  }

  #survives({ gone, names }: Changes): boolean {
    const named = this.#parts?.get('functions named');
    if (this.#bodies) for (const fn of gone) if (this.#bodies.has(fn)) return false;
    if (named) for (const name of names) if (named.has(name)) return false;
    return true;
  }

  #functionsHold(file: KeptFile): boolean {
    for (const fn of this.#bodies ?? []) if (!file.stillHas(fn)) return false;
    for (const [name, value] of this.#parts?.get('functions named') ?? []) if (file.partOf('functions named', name) !== value) return false;
    return true;
  }
}

let current: Reads | undefined;

/** Runs with everything read noted in `reads`, or nothing at all where that is undefined. */
export function noting<T>(reads: Reads | undefined, run: () => T): T {
  const outer = current;
  current = reads;
  try {
    return run();
  } finally {
    current = outer;
  }
}

export function noteBody(fn: FunctionFacts): void {
  current?.body(fn);
}

export function notePart(part: Part, name: string, value: unknown): void {
  current?.part(part, name, value);
}

export function noteAnswer(answer: Answer, value: unknown): void {
  current?.answer(answer, value);
}
