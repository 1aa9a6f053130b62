/** `now`, or `before` where it has the same elements. */
export function sameList<T>(before: readonly T[], now: readonly T[]): readonly T[] {
  return before.length === now.length && now.every((each, i) => each === before[i]) ? before : now;
}
