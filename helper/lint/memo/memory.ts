// What is remembered of one file over the versions of its text: who read what of it, and what has to be brought up to date.
import type { FileFacts, FunctionFacts } from '../facts/index';
import { Cell, isNoting, noteCell, noteFunctions } from './reads';

/** The parts of a file that are told apart; some are told apart by name as well. */
export type Part =
  | 'functions'
  | 'functions named'
  | 'functions of class'
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
  | 'token'
  | 'elsewhere'
  | 'names elsewhere';

/** A file that is kept over the versions of its text. */
export interface KeptFile extends FileFacts {
  /** Undefined for a file that is looked at once: it has nothing to remember. */
  readonly memory: Memory | undefined;
}

/** What one version of a file has changed. */
export interface Changes {
  /** Functions of the version before that are gone. */
  readonly gone: Iterable<FunctionFacts>;
  readonly added: Iterable<FunctionFacts>;
  /** Functions that stayed have another order. */
  readonly reordered: boolean;
  /** Parts in which something may be different. */
  readonly parts: Iterable<Part>;
  /** Identical over versions as long as the part is. */
  partOf(part: Part, name: string): unknown;
}

/** Something remembered that is brought up to date in time, so that who read it is told whether it has changed. */
export interface Renewable {
  renew(): void;
}

/** Something remembered of a function, class or other subject. */
export interface Owned {
  /** The subject is gone. */
  forget(): void;
}

/** Follows the functions of a file. */
export interface Follower extends Renewable {
  follow(changes: Changes): void;
}

class PartCell extends Cell {
  constructor(public value: unknown) {
    super();
  }
}

export class Memory {
  readonly #parts = new Map<Part, Map<string, PartCell>>();
  readonly #bodies = new Map<FunctionFacts, Cell>();
  readonly #owned = new Map<object, Owned[]>();
  readonly #followers: Follower[] = [];
  readonly #due: Renewable[] = [];

  note(part: Part, name: string, value: unknown): void {
    if (!isNoting()) return;
    let cells = this.#parts.get(part);
    if (!cells) {
      cells = new Map();
      this.#parts.set(part, cells);
    }
    let cell = cells.get(name);
    if (!cell) {
      cell = new PartCell(value);
      cells.set(name, cell);
    }
    if (part === 'functions') noteFunctions(cell);
    else noteCell(cell);
  }

  bodyOf(fn: FunctionFacts): Cell {
    let cell = this.#bodies.get(fn);
    if (!cell) {
      cell = new Cell();
      this.#bodies.set(fn, cell);
    }
    return cell;
  }

  /** What is owned is forgotten with its subject. */
  own(subject: object, owned: Owned): void {
    const known = this.#owned.get(subject);
    if (known) known.push(owned);
    else this.#owned.set(subject, [owned]);
  }

  follow(follower: Follower): void {
    this.#followers.push(follower);
  }

  /** It has to be brought up to date before anybody trusts what was not told to be outdated. */
  later(renewable: Renewable): void {
    this.#due.push(renewable);
  }

  forget(subject: object): void {
    for (const each of this.#owned.get(subject) ?? []) each.forget();
    this.#owned.delete(subject);
  }

  /** Tells everybody whom a new version of the file concerns. The file must be in that version. */
  change(changes: Changes): void {
    for (const fn of changes.gone) {
      this.forget(fn);
      this.#bodies.get(fn)?.tell();
      this.#bodies.delete(fn);
    }
    for (const follower of this.#followers) follower.follow(changes);
    for (const part of changes.parts)
      this.#parts.get(part)?.forEach((cell, name) => {
        const now = changes.partOf(part, name);
        if (now === cell.value) return;
        cell.value = now;
        cell.tell();
      });
    for (let next = this.#due.pop(); next; next = this.#due.pop()) next.renew();
  }
}
