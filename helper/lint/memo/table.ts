// What the functions of a file have to say under keys: each function is asked once, and when one changes only its keys are gone over.
import type { FileFacts, FunctionFacts } from '../facts/index';
import { sameList } from '../same-list';
import type { Changes, Follower, Memory } from './memory';
import { fileQuery, memoryOf } from './query';
import { Cell, noteCell, noting, type Reader, Reads } from './reads';

export interface FunctionTable<K, V> {
  /** What all functions say under a key, in their order. Identical as long as it is equal. */
  of(file: FileFacts, key: K): readonly V[];
  /** The keys under which anything is said. */
  keys(file: FileFacts): ReadonlySet<K>;
}

/** `const callsByName = functionTable((file, fn) => fn.calls.map((call) => [call.name, call]))` */
export function functionTable<K, V>(entriesOf: (file: FileFacts, fn: FunctionFacts) => Iterable<readonly [K, V]>): FunctionTable<K, V> {
  const tables = new WeakMap<FileFacts, Table<K, V>>();
  const tableOf = (file: FileFacts) => {
    let known = tables.get(file);
    if (!known) {
      known = new Table(file, (fn) => entriesOf(file, fn));
      tables.set(file, known);
    }
    return known;
  };
  return { of: (file, key) => tableOf(file).of(key), keys: (file) => tableOf(file).keys() };
}

/** What holds for a function, asked for all of a file: `const comparesUuids = functionsWhere((file, fn) => ...)`. */
export function functionsWhere(test: (file: FileFacts, fn: FunctionFacts) => boolean): (file: FileFacts) => readonly FunctionFacts[] {
  const table = functionTable<true, FunctionFacts>((file, fn) => (test(file, fn) ? [[true, fn]] : []));
  return (file) => table.of(file, true);
}

/** Whether it holds for any function of a file: who asks only that need not be told when it holds for others than before. */
export function holdsForAny(test: (file: FileFacts, fn: FunctionFacts) => boolean): (file: FileFacts) => boolean {
  const where = functionsWhere(test);
  return fileQuery((file) => where(file).length > 0);
}

/** Everything that the functions of a file have of one kind, in their order. */
export function fromFunctions<V>(valuesOf: (file: FileFacts, fn: FunctionFacts) => readonly V[]): (file: FileFacts) => readonly V[] {
  const table = functionTable<true, V>((file, fn) => valuesOf(file, fn).map((value) => [true, value]));
  return (file) => table.of(file, true);
}

const nothing: readonly never[] = [];

/** What is said under one key. */
class List<V> extends Cell {
  values: readonly V[] = nothing;
  readonly #said = new Map<FunctionFacts, V[]>();

  say(fn: FunctionFacts, value: V): void {
    const known = this.#said.get(fn);
    if (known) known.push(value);
    else this.#said.set(fn, [value]);
  }

  unsay(fn: FunctionFacts): void {
    this.#said.delete(fn);
  }

  /** Puts the functions into their order. True when the values are others now. */
  settle(): boolean {
    const said = [...this.#said];
    const ordered = said.length > 1 ? said.sort(([a], [b]) => a.span.start - b.span.start) : said;
    const before = this.values;
    this.values = sameList(
      before,
      ordered.flatMap(([, values]) => values),
    );
    return this.values !== before;
  }
}

/** What one function says. */
class Row<K> implements Reader {
  reads: Reads | undefined;
  keys: readonly K[] = nothing;
  error: { readonly of: unknown } | undefined;

  constructor(private readonly changed: () => void) {}

  outdated(): void {
    this.changed();
  }
}

class Table<K, V> implements Follower {
  readonly #memory: Memory | undefined;
  /** Of functions that say something or read more than themselves. */
  readonly #rows = new Map<FunctionFacts, Row<K>>();
  readonly #lists = new Map<K, List<V>>();
  readonly #keys = new Cell();
  #keySet: ReadonlySet<K> | undefined;
  /** Functions that have to be asked. */
  #due: Set<FunctionFacts>;
  #touched = new Set<K>();
  #failed: Row<K> | undefined;

  constructor(
    file: FileFacts,
    private readonly entriesOf: (fn: FunctionFacts) => Iterable<readonly [K, V]>,
  ) {
    this.#memory = memoryOf(file);
    this.#due = new Set(noting(undefined, () => file.functions));
    this.#memory?.follow(this);
  }

  of(key: K): readonly V[] {
    this.renew();
    const list = this.#memory ? this.#listOf(key) : this.#lists.get(key);
    if (list) noteCell(list);
    if (this.#failed) throw this.#failed.error!.of;
    return list?.values ?? nothing;
  }

  keys(): ReadonlySet<K> {
    this.renew();
    noteCell(this.#keys);
    if (this.#failed) throw this.#failed.error!.of;
    this.#keySet ??= new Set([...this.#lists].flatMap(([key, { values }]) => (values.length > 0 ? [key] : [])));
    return this.#keySet;
  }

  follow({ gone, added, reordered }: Changes): void {
    for (const fn of gone) {
      this.#due.delete(fn);
      this.#unsay(fn);
    }
    for (const fn of added) this.#due.add(fn);
    if (reordered) for (const key of this.#lists.keys()) this.#touched.add(key);
    if (this.#due.size + this.#touched.size > 0) this.#memory!.later(this);
  }

  renew(): void {
    if (this.#due.size + this.#touched.size === 0) return;
    const due = this.#due;
    this.#due = new Set();
    for (const fn of due) this.#ask(fn);
    const touched = this.#touched;
    this.#touched = new Set();
    for (const key of touched) this.#settle(this.#listOf(key));
    this.#noteFailure();
  }

  #settle(list: List<V>): void {
    const wasEmpty = list.values.length === 0;
    if (!list.settle()) return;
    list.tell();
    if (wasEmpty === (list.values.length === 0)) return;
    this.#keySet = undefined;
    this.#keys.tell();
  }

  #ask(fn: FunctionFacts): void {
    this.#unsay(fn);
    const row = new Row<K>(() => {
      this.#due.add(fn);
      this.#memory!.later(this);
    });
    row.reads = this.#memory && new Reads(this.#memory, row, fn);
    const keys = new Set<K>();
    try {
      for (const [key, value] of noting(row.reads, () => [...this.entriesOf(fn)])) {
        this.#listOf(key).say(fn, value);
        this.#touched.add(key);
        keys.add(key);
      }
    } catch (error) {
      row.error = { of: error };
    }
    row.keys = [...keys];
    if (keys.size > 0 || row.error || row.reads?.isEmpty === false) this.#rows.set(fn, row);
  }

  #unsay(fn: FunctionFacts): void {
    const row = this.#rows.get(fn);
    if (!row) return;
    row.reads?.drop();
    this.#rows.delete(fn);
    for (const key of row.keys) {
      this.#listOf(key).unsay(fn);
      this.#touched.add(key);
    }
    if (row === this.#failed) this.#failed = undefined;
  }

  /** One function that cannot be asked fails whoever asks for any. */
  #noteFailure(): void {
    if (this.#failed) return;
    for (const row of this.#rows.values()) if (row.error) this.#failed = row;
  }

  #listOf(key: K): List<V> {
    let list = this.#lists.get(key);
    if (!list) {
      list = new List();
      this.#lists.set(key, list);
    }
    return list;
  }
}
