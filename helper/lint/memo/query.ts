// Questions about a file that are answered once, and again only when what the answer was made of has changed. Caches that outlive a call
// belong here: a cache of one's own would not know when it is out of date.
import type { FileFacts, FunctionFacts } from '../facts/index';
import type { KeptFile, Memory, Owned, Renewable } from './memory';
import { Cell, noteCell, noting, type Reader, Reads } from './reads';

/** Asks about the whole file: `const eventsOf = fileQuery((file) => ...)`. */
export function fileQuery<T>(compute: (file: FileFacts) => T): (file: FileFacts) => T {
  const stores = new WeakMap<FileFacts, Remembered<T>>();
  return (file) => {
    let known = stores.get(file);
    if (!known) {
      known = new Remembered(memoryOf(file), undefined, () => compute(file));
      stores.set(file, known);
    }
    return known.ask();
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
      const kept = store;
      known = new Remembered(
        memoryOf(file),
        fn,
        () => compute(file, fn),
        () => kept.delete(fn),
      );
      store.set(fn, known);
      memoryOf(file)?.own(fn, known);
    }
    return known.ask();
  };
}

export function memoryOf(file: FileFacts): Memory | undefined {
  return (file as KeptFile).memory;
}

type Result<T> = { readonly value: T } | { readonly error: unknown };

class Remembered<T> extends Cell implements Reader, Renewable, Owned {
  #result: Result<T> | undefined;
  #reads: Reads | undefined;
  #state: 'good' | 'outdated' | 'in work' | 'in work, outdated' = 'outdated';

  constructor(
    private readonly memory: Memory | undefined,
    private readonly subject: FunctionFacts | undefined,
    private readonly compute: () => T,
    /** The subject is gone; it may come back. */
    private readonly gone?: () => void,
  ) {
    super();
  }

  ask(): T {
    if (this.#state !== 'good') this.#compute();
    noteCell(this);
    const result = this.#result!;
    if ('error' in result) throw result.error;
    return result.value;
  }

  outdated(): void {
    if (this.#state === 'in work') this.#state = 'in work, outdated';
    if (this.#state !== 'good') return;
    this.#state = 'outdated';
    this.memory?.later(this);
  }

  /** What is asked again is answered again at once, so that who read it is told only when the answer is another. */
  renew(): void {
    if (this.#state === 'outdated' && this.#result) this.#compute();
  }

  forget(): void {
    this.#reads?.drop();
    this.#reads = undefined;
    this.#result = undefined;
    this.#state = 'outdated';
    this.gone?.();
    this.tell();
  }

  #compute(): void {
    this.#reads?.drop();
    const reads = this.memory && new Reads(this.memory, this, this.subject);
    this.#reads = reads;
    this.#state = 'in work';
    const now = attempt(() => noting(reads, this.compute));
    // Something that it had read already may have turned out to be different only afterwards.
    const isGood = this.#state === 'in work';
    this.#state = 'good';
    if (!isGood) this.outdated();
    const before = this.#result;
    if (before && isSame(before, now)) return;
    this.#result = now;
    if (before) this.tell();
  }
}

function attempt<T>(run: () => T): Result<T> {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

/** Equal outcomes keep their identity, so that what was made of them stays good too. */
function isSame<T>(before: Result<T>, now: Result<T>): boolean {
  return 'value' in before && 'value' in now && isEqual(before.value, now.value);
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, i) => Object.is(each, b[i]));
  if (a instanceof Set && b instanceof Set) return a.size === b.size && [...a].every((each) => b.has(each));
  return false;
}
