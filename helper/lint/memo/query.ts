// Questions about a file that are answered once, and again only when what the answer was made of has changed. Caches that outlive a call
// belong here: a cache of one's own would not know when it is out of date.
import type { FileFacts, FunctionFacts } from '../facts/index';
import { type Answer, type KeptFile, noteAnswer, noting, Reads } from './reads';

/** Asks about the whole file: `const eventsOf = fileQuery((file) => ...)`. */
export function fileQuery<T>(compute: (file: FileFacts) => T): (file: FileFacts) => T {
  const stores = new WeakMap<FileFacts, Remembered<T>>();
  return (file) => {
    let known = stores.get(file);
    if (!known) {
      known = new Remembered(undefined, () => compute(file));
      stores.set(file, known);
    }
    return known.ask(file as KeptFile);
  };
}

/** Asks about one function of a file. It must not ask itself the same in a circle. */
export function functionQuery<T>(compute: (file: FileFacts, fn: FunctionFacts) => T): (file: FileFacts, fn: FunctionFacts) => T {
  const stores = new WeakMap<FileFacts, WeakMap<FunctionFacts, Remembered<T>>>();
  return (file, fn) => {
    let store = stores.get(file);
    if (!store) {
      store = new WeakMap();
      stores.set(file, store);
    }
    let known = store.get(fn);
    if (!known) {
      known = new Remembered(fn, () => compute(file, fn));
      store.set(fn, known);
    }
    return known.ask(file as KeptFile);
  };
}

class Remembered<T> implements Answer {
  #value: { readonly of: T } | undefined;
  #reads: Reads | undefined;
  #checked = -1;

  constructor(
    private readonly own: FunctionFacts | undefined,
    private readonly compute: () => T,
  ) {}

  ask(file: KeptFile): T {
    const value = this.valueIn(file);
    noteAnswer(this, value);
    return value;
  }

  valueIn(file: KeptFile): T {
    if (this.#checked !== file.version || !this.#value) {
      if (!this.#value || !this.#reads?.hold(file)) this.#renew(file);
      this.#checked = file.version;
    }
    return this.#value!.of;
  }

  #renew(file: KeptFile): void {
    const reads = new Reads(this.own);
    const value = noting(reads, this.compute);
    this.#reads = reads.heldIn(file);
    if (!this.#value || !isSame(this.#value.of, value)) this.#value = { of: value };
  }
}

/** Equal outcomes keep their identity, so that what was made of them stays good too. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, i) => Object.is(each, b[i]));
  if (a instanceof Set && b instanceof Set) return a.size === b.size && [...a].every((each) => b.has(each));
  return false;
}
