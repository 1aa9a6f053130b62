/** The range that changed between two texts, in UTF-16 code units; the ends are exclusive. */
export interface TextEdit {
  readonly start: number;
  readonly oldEnd: number;
  readonly newEnd: number;
}

/** Comparing pieces of these lengths is many times faster than comparing characters. */
const steps = [32_768, 1024, 32];

interface Compared {
  readonly before: string;
  readonly after: string;
  readonly edit: TextEdit;
}

/** Each version of a text, and of its arm and its view, is compared several times with the one before. */
let compared: readonly Compared[] = [];

/** The one changed range between two texts; empty when they are equal. */
export function editBetween(before: string, after: string): TextEdit {
  const known = compared.find((each) => each.before === before && each.after === after);
  if (known) return known.edit;
  const edit = compare(before, after);
  compared = [{ before, after, edit }, ...compared.slice(0, 1)];
  return edit;
}

function compare(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  for (const step of steps) while (start + step <= shorter && before.slice(start, start + step) === after.slice(start, start + step)) start += step;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  const most = shorter - start;
  const [oldLength, newLength] = [before.length, after.length];
  let tail = 0;
  const isSame = (from: number, to: number) => before.slice(oldLength - to, oldLength - from) === after.slice(newLength - to, newLength - from);
  for (const step of steps) while (tail + step <= most && isSame(tail, tail + step)) tail += step;
  while (tail < most && before.charCodeAt(oldLength - 1 - tail) === after.charCodeAt(newLength - 1 - tail)) tail++;
  return { start, oldEnd: oldLength - tail, newEnd: newLength - tail };
}
