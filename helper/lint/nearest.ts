// The known name that a misspelt one most likely means.

const remembered = new WeakMap<readonly string[], Map<string, string | undefined>>();
/** A text with more misspelt names than that is none that somebody writes. */
const mostRemembered = 1000;

/** Undefined when none is similar. Asked again at each keystroke, of the same few words. */
export function nearestOf(written: string, known: readonly string[]): string | undefined {
  const found = remembered.get(known) ?? new Map<string, string | undefined>();
  remembered.set(known, found);
  if (found.size > mostRemembered) found.clear();
  if (!found.has(written)) found.set(written, nearestAmong(written, known)[0]);
  return found.get(written);
}

/** Those with the fewest changes, when they are few, the most similar first. Capital letters are no change. */
export function nearestAmong(written: string, known: readonly string[]): string[] {
  const limit = written.length > 5 ? Math.max(2, written.length / 4) : 1;
  return known
    .map((each) => ({ each, distance: distance(written.toLowerCase(), each.toLowerCase()) }))
    .filter((one) => one.distance <= limit && one.distance < one.each.length)
    .sort((a, b) => a.distance - b.distance)
    .map(({ each }) => each);
}

/** Rules and families that a name may mean which is neither, at most three. A family or the name of a rule alone is half of one. */
export function meantRules(written: string, ids: readonly string[]): string[] {
  const families = [...new Set(ids.map((id) => `${id.split('/')[0]}/*`))];
  const family = families.find((each) => each.slice(0, -2) === written.toLowerCase().replace(/\/?\**$/, ''));
  if (family !== undefined) return [family];
  const name = written.slice(written.lastIndexOf('/') + 1).toLowerCase();
  const namesakes = ids.filter((id) => id.endsWith(`/${name}`));
  if (namesakes.length > 0) return namesakes.slice(0, 3);
  const near = nearestAmong(written, [...ids, ...families]);
  if (near.length > 0 || written.includes('/')) return near.slice(0, 3);
  const parts = nearestAmong(
    name,
    ids.map((id) => id.split('/')[1]!),
  );
  return ids.filter((id) => parts.slice(0, 1).includes(id.split('/')[1]!)).slice(0, 3);
}

/** ` Did you mean a or b?`, or nothing. */
export function didYouMean(candidates: readonly string[]): string {
  return candidates.length > 0 ? ` Did you mean ${candidates.join(' or ')}?` : '';
}

/** How many letters are other ones, more, fewer, or have changed places with their neighbour. */
function distance(a: string, b: string): number {
  let above: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isTurned = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, changed, isTurned ? above[j - 2]! + 1 : changed));
    }
    above = row;
    row = next;
  }
  return row[b.length]!;
}
