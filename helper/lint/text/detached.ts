/** A copy of a part of a text that does not keep the whole text alive. Joined and cut again, it gets characters of its own. */
export function detached(part: string): string {
  return ` ${part}`.slice(1);
}
