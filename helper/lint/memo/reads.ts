// What a computation read of a file. As long as all of it is as it was, the outcome is what it was. Nobody asks whether that is so: what
// changes tells those who read it, so that a keystroke costs what it changes, not what there is.
import type { FunctionFacts } from '../facts/index';
import type { Memory } from './memory';

/** Whose outcome depends on what was read. */
export interface Reader {
  /** Something that was read is different now. */
  outdated(): void;
}

/** Something that can be read and can change. */
export class Cell {
  #readers: Reads | Set<Reads> | undefined;

  add(reads: Reads): void {
    if (this.#readers === undefined) this.#readers = reads;
    else if (this.#readers instanceof Set) this.#readers.add(reads);
    else if (this.#readers !== reads) this.#readers = new Set([this.#readers, reads]);
  }

  remove(reads: Reads): void {
    if (this.#readers === reads) this.#readers = undefined;
    else if (this.#readers instanceof Set) this.#readers.delete(reads);
  }

  /** To be called when it has changed. */
  tell(): void {
    if (this.#readers instanceof Set) for (const reads of [...this.#readers]) reads.reader.outdated();
    else this.#readers?.reader.outdated();
  }

  get isRead(): boolean {
    return this.#readers instanceof Set ? this.#readers.size > 0 : this.#readers !== undefined;
  }
}

export class Reads {
  #cells: Cell | Set<Cell> | undefined;
  #last: FunctionFacts | undefined;
  #hasAll = false;

  /** @param own what is computed for a function needs no note of having read it */
  constructor(
    private readonly memory: Memory,
    readonly reader: Reader,
    private readonly own?: object,
  ) {}

  note(cell: Cell): void {
    if (this.#cells === cell) return;
    if (this.#cells instanceof Set) {
      if (this.#cells.has(cell)) return;
      this.#cells.add(cell);
    } else this.#cells = this.#cells === undefined ? cell : new Set([this.#cells, cell]);
    cell.add(this);
  }

  body(fn: FunctionFacts): void {
    if (fn === this.own || fn === this.#last || this.#hasAll) return;
    this.#last = fn;
    this.note(this.memory.bodyOf(fn));
  }

  /** Who knows all functions knows each. */
  all(): void {
    this.#hasAll = true;
  }

  /** Nothing but the function itself was read. */
  get isEmpty(): boolean {
    return this.#cells === undefined;
  }

  /** Nobody needs to be told any more. */
  drop(): void {
    if (this.#cells instanceof Set) for (const cell of this.#cells) cell.remove(this);
    else this.#cells?.remove(this);
    this.#cells = undefined;
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

/** All functions of the file were read. */
export function noteFunctions(cell: Cell): void {
  current?.all();
  current?.note(cell);
}

export function noteCell(cell: Cell): void {
  current?.note(cell);
}

/** Whether anybody takes notes. */
export function isNoting(): boolean {
  return current !== undefined;
}
