/** One line on a terminal's stderr that counts the files of a long run; nothing elsewhere. */
import process from 'node:process';

const firstAfterMs = 500;
const everyMs = 100;

export class Progress {
  readonly #started = performance.now();
  #last = 0;
  #shown = false;
  #done = 0;

  constructor(
    private readonly total: number,
    private readonly stream: Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean } = process.stderr,
  ) {}

  step(findings: number): void {
    this.#done++;
    const now = performance.now();
    if (!this.stream.isTTY || now - this.#started < firstAfterMs || now - this.#last < everyMs) return;
    this.#last = now;
    this.#shown = true;
    const percent = Math.floor((this.#done / Math.max(1, this.total)) * 100);
    this.stream.write(`\r\u001b[2K${percent} %, ${this.#done} of ${this.total} files, ${findings} finding${findings === 1 ? '' : 's'}`);
  }

  /** Before anything else is written to the terminal. */
  clear(): void {
    if (this.#shown) this.stream.write('\r\u001b[2K');
    this.#shown = false;
  }
}
