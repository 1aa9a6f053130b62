/** Events a second over the last second. */
export class RateMeter {
  #times: number[] = [];

  /** `now` in milliseconds, never decreasing. */
  tick(now: number): void {
    this.#times.push(now);
    this.#forget(now);
  }

  perSecond(now: number): number {
    this.#forget(now);
    const first = this.#times[0];
    const span = first === undefined ? 0 : now - first;
    if (this.#times.length < 2 || span === 0) return this.#times.length;
    return (this.#times.length * 1000) / Math.max(span, 1000);
  }

  #forget(now: number): void {
    this.#times = this.#times.filter((time) => now - time < 1000);
  }
}
