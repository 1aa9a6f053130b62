/** Milliseconds between two texts: nobody reads faster, and each costs a layout of the document. */
const INTERVAL = 100;

/** Passes on what changes with every picture so slowly that it can be read, and always the last of it. */
export class Readable<T> {
  readonly #show: (value: T) => void;
  #latest: { value: T } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(show: (value: T) => void) {
    this.#show = show;
  }

  /** `atOnce`: nothing follows it for a while. */
  next(value: T, now: number, atOnce: boolean): void {
    this.#latest = { value };
    const wait = this.#shownAt + INTERVAL - now;
    if (atOnce || wait <= 0) this.#flush(now);
    else this.#timer ??= setTimeout(() => this.#flush(now + wait), wait);
  }

  /** What was to be shown means nothing any more. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#latest = null;
  }

  #flush(now: number): void {
    const latest = this.#latest;
    this.clear();
    this.#shownAt = now;
    if (latest) this.#show(latest.value);
  }
}
