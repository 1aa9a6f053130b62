// A text in pieces that end with a line that begins with `}`, so about one function each. What was worked out for a piece is kept over the
// versions of the text as long as the piece stays, wherever it lies then.
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

export class ChunkMemo<T> {
  #text = '';
  /** Where each piece ends. */
  #ends: readonly number[] = [];
  #values: readonly T[] = [];

  /**
   * @param compute must depend on the piece alone
   * @param isOpen the piece does not end where it was cut, and needs the next one
   */
  constructor(
    private readonly compute: (piece: string) => T,
    private readonly isOpen: (value: T) => boolean = () => false,
    private readonly endOf: (text: string, start: number) => number = endOfPiece,
  ) {}

  of(text: string): readonly T[] {
    const { start, oldEnd, newEnd } = editBetween(this.#text, text);
    const by = newEnd - oldEnd;
    // The last piece ends with its text, whatever it ends with.
    const kept = Math.min(
      countWhere(this.#ends, (end) => end <= start),
      Math.max(0, this.#ends.length - 1),
    );
    const ends = this.#ends.slice(0, kept);
    const values = this.#values.slice(0, kept);
    for (let at = ends.at(-1) ?? 0; at < text.length; ) {
      const same = countWhere(this.#ends, (end) => end + by < at);
      if (at >= newEnd && same >= kept && same + 1 < this.#ends.length && this.#ends[same]! + by === at) {
        for (let i = same + 1; i < this.#ends.length; i++) {
          ends.push(this.#ends[i]! + by);
          values.push(this.#values[i]!);
        }
        break;
      }
      at = this.#add(text, at, ends, values);
    }
    this.#text = text;
    this.#ends = ends;
    this.#values = values;
    return values;
  }

  /** Where a piece of the last text begins. */
  startOf(piece: number): number {
    return this.#ends[piece - 1] ?? 0;
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

/** How many of the rising numbers pass a test that fails for all behind the first that fails. */
function countWhere(numbers: readonly number[], test: (n: number) => boolean): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(numbers[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
