/** Credits of one view: how many pictures its viewer can still take. Bounded, so that no viewer can make the engine queue without end. */
export const MAX_CREDITS = 8;

export class Credits {
  #outstanding = 0;

  get outstanding(): number {
    return this.#outstanding;
  }

  /** Adds up to `wanted` credits; returns how many were really added. */
  grant(wanted: number): number {
    const added = Math.max(0, Math.min(wanted, MAX_CREDITS - this.#outstanding));
    this.#outstanding += added;
    return added;
  }

  /** False: the producer made a picture that nobody asked for. */
  spend(): boolean {
    if (this.#outstanding === 0) return false;
    this.#outstanding--;
    return true;
  }
}
