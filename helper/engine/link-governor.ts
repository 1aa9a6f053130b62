/**
 * Fits the JPEG quality of a view to its link. A credit that comes back says that a picture has been drawn; the time since it was sent is the
 * round trip. A slow link gets smaller pictures, so that it stays responsive; the rate follows by itself, because a picture needs a credit.
 */
const QUALITY_FACTORS = [1, 0.8, 0.6, 0.45, 0.3] as const;
const MIN_QUALITY = 20;
/** Round trips above this are felt as lag. */
const SLOW_MS = 300;
const FAST_MS = 120;
/** Pictures in a row that must agree: worse at once, better with patience, so that the quality does not flicker. */
const SLOW_SAMPLES = 3;
const FAST_SAMPLES = 30;

export class LinkGovernor {
  readonly #sentAt: number[] = [];
  #level = 0;
  #slow = 0;
  #fast = 0;

  /** Times are milliseconds of any one monotonic clock. */
  sent(now: number): void {
    this.#sentAt.push(now);
  }

  /** A credit came back. True when the quality changes. */
  acknowledged(now: number): boolean {
    const sentAt = this.#sentAt.shift();
    return sentAt !== undefined && this.#judge(now - sentAt);
  }

  quality(wanted: number): number {
    return Math.max(Math.min(wanted, MIN_QUALITY), Math.round(wanted * QUALITY_FACTORS[this.#level]!));
  }

  #judge(roundTripMs: number): boolean {
    this.#slow = roundTripMs > SLOW_MS ? this.#slow + 1 : 0;
    this.#fast = roundTripMs < FAST_MS ? this.#fast + 1 : 0;
    if (this.#slow >= SLOW_SAMPLES) return this.#move(1);
    return this.#fast >= FAST_SAMPLES && this.#move(-1);
  }

  #move(step: number): boolean {
    const level = Math.min(QUALITY_FACTORS.length - 1, Math.max(0, this.#level + step));
    const changed = level !== this.#level;
    this.#level = level;
    this.#slow = 0;
    this.#fast = 0;
    return changed;
  }
}
