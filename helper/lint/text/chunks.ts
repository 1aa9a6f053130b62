// A text in pieces that end with a line that begins with `}`, so about one function each. What was worked out for a piece is kept over the
// versions of the text, wherever the piece lies now.

import { detached } from './detached';

interface Kept<T> {
  readonly piece: string;
  readonly value: T;
}

export class ChunkMemo<T> {
  #kept = new Map<string, Kept<T>>();

  /**
   * @param compute must depend on the piece alone
   * @param isOpen the piece does not end where it was cut, and needs the next one
   */
  constructor(
    private readonly compute: (piece: string) => T,
    private readonly isOpen: (value: T) => boolean = () => false,
  ) {}

  of(text: string): T[] {
    const kept = new Map<string, Kept<T>>();
    const values: T[] = [];
    for (let start = 0; start < text.length; ) {
      let end = endOfPiece(text, start);
      let found = this.#find(text.slice(start, end), kept);
      while (end < text.length && this.isOpen(found)) {
        end = endOfPiece(text, end);
        found = this.#find(text.slice(start, end), kept);
      }
      values.push(found);
      start = end;
    }
    this.#kept = kept;
    return values;
  }

  #find(slice: string, now: Map<string, Kept<T>>): T {
    let known = now.get(slice) ?? this.#kept.get(slice);
    if (!known) {
      const piece = detached(slice);
      known = { piece, value: this.compute(piece) };
    }
    now.set(known.piece, known);
    return known.value;
  }
}

function endOfPiece(text: string, start: number): number {
  const brace = text.indexOf('\n}', start);
  const end = brace < 0 ? -1 : text.indexOf('\n', brace + 1);
  return end < 0 ? text.length : end + 1;
}
