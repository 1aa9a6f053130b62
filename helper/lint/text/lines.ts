/** Maps offsets to 1-based lines and columns (UTF-16 code units). `\n`, `\r\n` and lone `\r` end a line. */
export class LineIndex {
  readonly #starts: number[] = [0];

  constructor(private readonly text: string) {
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === 10 || (c === 13 && text.charCodeAt(i + 1) !== 10)) this.#starts.push(i + 1);
    }
  }

  at(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.#starts[low]! + 1 };
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The text of a 1-based line without its end. */
  line(number: number): string {
    const start = this.#starts[number - 1];
    if (start === undefined) return '';
    return this.text.slice(start, this.#starts[number] ?? this.text.length).replace(/[\r\n]+$/, '');
  }
}
