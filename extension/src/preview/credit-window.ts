/**
 * How many pictures may be under way at once: as many as the way to the eye holds while none waits for another, and one more, which is being
 * made. More would only wait in line, and what is drawn would be older; fewer would leave a long way empty. Times are milliseconds of any one
 * monotonic clock.
 */
const LEAST = 2;
/** A way of 100 ms, at 50 pictures a second. */
const MOST = 6;
/** The shortest time on the way counts for one to two of these. */
const SPAN_MS = 10_000;
/** When none has gone alone for so long, one must: the way is seen only without a line on it, and a panel that has just started sees a slow one. */
const PROBE_MS = 2000;
const RATE_MS = 1000;

interface UnderWay {
  at: number;
  alone: boolean;
}

export class CreditWindow {
  #underWay: UnderWay[] = [];
  #drawnAt: number[] = [];
  #spanBegan = Number.NEGATIVE_INFINITY;
  #now = 0;
  #aloneAt = 0;
  #shortest = { before: Number.POSITIVE_INFINITY, now: Number.POSITIVE_INFINITY };

  /** Pictures that are to be under way, the one in the engine included. */
  get size(): number {
    const { before, now } = this.#shortest;
    const way = Math.min(before, now);
    if (way === Number.POSITIVE_INFINITY) return LEAST;
    if (this.#now - this.#aloneAt > PROBE_MS) return 1;
    const held = (this.#drawnAt.length * way) / RATE_MS;
    return Math.min(Math.max(Math.round(held) + 1, LEAST), MOST);
  }

  /** Pictures that were sent and are not drawn yet. */
  get underWay(): number {
    return this.#underWay.length;
  }

  sent(now: number): void {
    this.#underWay.push({ at: now, alone: this.#underWay.length === 0 });
  }

  /** The oldest on their way have arrived. */
  drawn(count: number, now: number): void {
    this.#now = now;
    if (now - this.#spanBegan >= SPAN_MS) {
      this.#spanBegan = now;
      this.#shortest = { before: this.#shortest.now, now: Number.POSITIVE_INFINITY };
    }
    for (const { at, alone } of this.#underWay.splice(0, count)) {
      if (alone) {
        this.#shortest.now = Math.min(this.#shortest.now, now - at);
        this.#aloneAt = now;
      }
      this.#drawnAt.push(now);
    }
    this.#drawnAt = this.#drawnAt.filter((at) => now - at < RATE_MS);
  }

  /** What is on its way will not arrive. */
  forget(): void {
    this.#underWay = [];
  }
}
