/** Counts the files of a long run. */
import { ProgressLine, type ProgressStream } from '../progress-line';

export class Progress {
  readonly #line: ProgressLine;
  #done = 0;

  constructor(
    private readonly total: number,
    stream?: ProgressStream,
  ) {
    this.#line = new ProgressLine(stream);
  }

  step(findings: number): void {
    this.#done++;
    const percent = Math.floor((this.#done / Math.max(1, this.total)) * 100);
    this.#line.show(() => `${percent} %, ${this.#done} of ${this.total} files, ${findings} finding${findings === 1 ? '' : 's'}`);
  }

  /** Before anything else is written to the terminal. */
  clear(): void {
    this.#line.clear();
  }
}
