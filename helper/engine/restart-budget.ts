/** How often a helper may crash before it stays down: a process that always crashes must not be restarted for ever. */
export class RestartBudget {
  readonly #now: () => number;
  #crashes: number[] = [];

  constructor(
    readonly maxCrashes = 5,
    readonly windowMs = 3 * 60_000,
    now: () => number = Date.now,
  ) {
    this.#now = now;
  }

  /** Counts a crash. True: it may start again. */
  crash(): boolean {
    const now = this.#now();
    this.#crashes = [...this.#crashes.filter((at) => now - at < this.windowMs), now];
    return this.#crashes.length < this.maxCrashes;
  }

  /** The user asked for a restart. */
  reset(): void {
    this.#crashes = [];
  }
}
