import { countWhere } from '../sorted';
import { editBetween } from './edit';

/** Maps offsets to 1-based lines and columns (UTF-16 code units). `\n`, `\r\n` and lone `\r` end a line. */
export class LineIndex {
  readonly #starts: readonly number[];

  /** @param before of an earlier version of the text: only what differs is looked through */
  constructor(
    private readonly text: string,
    before?: LineIndex,
  ) {
    this.#starts = before ? startsAfter(before.#starts, before.text, text) : [0, ...startsIn(text, 1, text.length)];
  }

  at(offset: number): { line: number; column: number } {
    const line = Math.max(1, countUpTo(this.#starts, offset));
    return { line, column: offset - this.#starts[line - 1]! + 1 };
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Where a 1-based line begins; behind the last one, where the text ends. */
  startOf(line: number): number {
    return this.#starts[line - 1] ?? this.text.length + 1;
  }

  /** The text of a 1-based line without its end. */
  line(number: number): string {
    const start = this.#starts[number - 1];
    if (start === undefined) return '';
    return this.text.slice(start, this.#starts[number] ?? this.text.length).replace(/[\r\n]+$/, '');
  }
}

/** How many of the rising numbers are no greater than another. */
function countUpTo(numbers: readonly number[], most: number): number {
  return countWhere(numbers, (each) => each <= most);
}

/** A line begins here, behind the end of another. */
function isStart(text: string, at: number): boolean {
  const c = text.charCodeAt(at - 1);
  return c === 10 || (c === 13 && text.charCodeAt(at) !== 10);
}

/** Both ends included. */
function startsIn(text: string, from: number, to: number): number[] {
  const starts: number[] = [];
  for (let at = Math.max(1, from); at <= to; at++) if (isStart(text, at)) starts.push(at);
  return starts;
}

/** Whether a line begins at a place depends on the characters before and behind it. */
function startsAfter(before: readonly number[], old: string, text: string): number[] {
  const { start, oldEnd, newEnd } = editBetween(old, text);
  const kept = countUpTo(before, start - 1);
  const starts = before.slice(0, Math.max(1, kept));
  for (const at of startsIn(text, start, newEnd)) starts.push(at);
  const by = newEnd - oldEnd;
  for (let i = Math.max(1, countUpTo(before, oldEnd)); i < before.length; i++) starts.push(before[i]! + by);
  return starts;
}
