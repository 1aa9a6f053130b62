// A text in pieces that end with a line that begins with `}`, so about one function each. What was worked out for a piece is kept over the
// versions of the text as long as the piece stays, wherever it lies then.
import { countWhere } from '../sorted';
import { detached } from './detached';
import { editBetween } from './edit';

/** The end of the piece that begins at `start`; it depends on the text up to there alone. */
export function endOfPiece(text: string, start: number): number {
  const brace = text.indexOf('\n}', start);
  const end = brace < 0 ? -1 : text.indexOf('\n', brace + 1);
  return end < 0 ? text.length : end + 1;
}

/** The same of a text without braces: a piece ends with two empty lines. */
export function endOfIndented(text: string, start: number): number {
  const gap = text.indexOf('\n\n\n', start);
  return gap < 0 ? text.length : gap + 3;
}

/** Pieces that others stand for now. */
export interface Change {
  /** The first of them. */
  readonly from: number;
  readonly removed: number;
  readonly added: number;
  /** Where they began and ended. */
  readonly start: number;
  readonly oldEnd: number;
}

const nothing: Change = { from: 0, removed: 0, added: 0, start: 0, oldEnd: 0 };

export class ChunkMemo<T> {
  #text = '';
  /** Where each piece ends. */
  readonly #ends: number[] = [];
  readonly #values: T[] = [];
  #change = nothing;

  /**
   * @param compute must depend on the piece alone
   * @param isOpen the piece does not end where it was cut, and needs the next one
   */
  constructor(
    private readonly compute: (piece: string) => T,
    private readonly isOpen: (value: T) => boolean = () => false,
    private readonly endOf: (text: string, start: number) => number = endOfPiece,
  ) {}

  /** The list is the same one for each version, brought up to date. */
  of(text: string): readonly T[] {
    const { start, oldEnd, newEnd } = editBetween(this.#text, text);
    if (text === this.#text) {
      this.#change = nothing;
      return this.#values;
    }
    const by = newEnd - oldEnd;
    // The last piece ends with its text, whatever it ends with.
    const kept = Math.min(
      countWhere(this.#ends, (end) => end <= start),
      Math.max(0, this.#ends.length - 1),
    );
    const ends: number[] = [];
    const values: T[] = [];
    const from = this.startOf(kept);
    let removed = this.#ends.length - kept;
    for (let at = from; at < text.length; ) {
      const same = countWhere(this.#ends, (end) => end + by < at);
      if (at >= newEnd && same >= kept && same + 1 < this.#ends.length && this.#ends[same]! + by === at) {
        removed = same + 1 - kept;
        break;
      }
      at = this.#add(text, at, ends, values);
    }
    this.#change = { from: kept, removed, added: ends.length, start: from, oldEnd: this.startOf(kept + removed) };
    replaceIn(this.#ends, kept, removed, ends);
    replaceIn(this.#values, kept, removed, values);
    if (by !== 0) for (let i = kept + ends.length; i < this.#ends.length; i++) this.#ends[i]! += by;
    this.#text = text;
    return this.#values;
  }

  /** What the last text has changed. */
  get change(): Change {
    return this.#change;
  }

  /** Where a piece of the last text begins. */
  startOf(piece: number): number {
    return this.#ends[piece - 1] ?? 0;
  }

  /** The pieces that an offset from one up to another lies in: the first of them, and the one behind the last. */
  piecesAt(start: number, end: number): readonly [from: number, to: number] {
    const from = countWhere(this.#ends, (each) => each <= start);
    const to = countWhere(this.#ends, (each) => each < end);
    return [from, Math.min(to + 1, this.#ends.length)];
  }

  /** @returns where the piece ends */
  #add(text: string, start: number, ends: number[], values: T[]): number {
    let end = this.endOf(text, start);
    let value = this.compute(detached(text.slice(start, end)));
    // Twice as far each time: what never ends would be read again with every piece.
    for (let more = 1; end < text.length && this.isOpen(value); more *= 2) {
      for (let i = 0; i < more && end < text.length; i++) end = this.endOf(text, end);
      value = this.compute(detached(text.slice(start, end)));
    }
    ends.push(end);
    values.push(value);
    return end;
  }
}

function replaceIn<T>(list: T[], from: number, removed: number, added: readonly T[]): void {
  if (added.length < fewArguments) {
    list.splice(from, removed, ...added);
    return;
  }
  const behind = list.splice(from).slice(removed);
  for (const each of added) list.push(each);
  for (const each of behind) list.push(each);
}

/** More of them could be too many for a call. */
const fewArguments = 1000;
