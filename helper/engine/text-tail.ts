/** The last lines of a text stream, bounded in lines and in bytes: a process's last words. */
export class TextTail {
  readonly #maxLines: number;
  #text = '';

  constructor(maxLines = 20) {
    this.#maxLines = maxLines;
  }

  push(chunk: Uint8Array | string): void {
    this.#text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    if (this.#text.length > 2 * MAX_CHARACTERS) this.#text = this.#text.slice(-MAX_CHARACTERS);
  }

  get lines(): string[] {
    return this.#text
      .split('\n')
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
      .slice(-this.#maxLines);
  }
}

const MAX_CHARACTERS = 8192;
