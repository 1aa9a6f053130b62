/** One line on a terminal's stderr that shows how far a long command is; nothing elsewhere. */
import process from 'node:process';

const firstAfterMs = 500;
const everyMs = 100;

export type ProgressStream = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

export class ProgressLine {
  readonly #started = performance.now();
  #last = 0;
  #shown = false;

  constructor(private readonly stream: ProgressStream = process.stderr) {}

  /** `text` is asked for when it is shown: not in the first half second, and ten times a second at most. */
  show(text: () => string): void {
    const now = performance.now();
    if (!this.stream.isTTY || now - this.#started < firstAfterMs || now - this.#last < everyMs) return;
    this.#last = now;
    this.#shown = true;
    // A line that the terminal folds could not be taken back.
    this.stream.write(`\r\u001b[2K${text().slice(0, (this.stream.columns || 80) - 1)}`);
  }

  /** Before anything else is written to the terminal. */
  clear(): void {
    if (this.#shown) this.stream.write('\r\u001b[2K');
    this.#shown = false;
  }
}
