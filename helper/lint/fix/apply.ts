// Applies fixes to a text. Positions are offsets into that text.
import type { Edit, Fix, FixSafety } from '../rules/rule';

/** The text after `edits`, which must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const isCrLf = text.includes('\r\n');
  const sorted = [...edits].sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  let at = 0;
  let result = '';
  for (const { span, text: inserted } of sorted) {
    result += text.slice(at, span.start) + (isCrLf ? inserted.replace(/\r?\n/g, '\r\n') : inserted);
    at = span.end;
  }
  return result + text.slice(at);
}

const order: readonly FixSafety[] = ['safe', 'suggestion', 'display-only'];

/** True when `fix` has edits and is at least as safe as `limit`. */
export function isApplicable(fix: Required<Fix> | undefined, limit: 'safe' | 'suggestion'): fix is Required<Fix> {
  return fix !== undefined && fix.edits.length > 0 && order.indexOf(fix.safety) <= order.indexOf(limit);
}

/**
 * The edits of as many fixes as fit together, first come first served; a fix is taken whole or not at all. Equal edits count once. What one
 * fix takes away no other may take elsewhere: a statement would be moved to two places.
 */
export function compatibleEdits<F extends Fix>(fixes: readonly F[]): { readonly edits: readonly Edit[]; readonly taken: readonly F[] } {
  const edits: Edit[] = [];
  const taken: F[] = [];
  for (const fix of fixes) {
    const fresh = fix.edits.filter((edit) => !edits.some((other) => equal(edit, other)));
    const takesAgain = fresh.length > 0 && fix.edits.some((edit) => edit.span.end > edit.span.start && !fresh.includes(edit));
    if (takesAgain || fresh.some((edit) => edits.some((other) => overlaps(edit, other)))) continue;
    edits.push(...fresh);
    taken.push(fix);
  }
  return { edits, taken };
}

function equal(a: Edit, b: Edit): boolean {
  return a.span.start === b.span.start && a.span.end === b.span.end && a.text === b.text;
}

/** Two insertions at one place, or an insertion at the rim of a replacement, depend on their order: they count as overlapping. */
function overlaps(a: Edit, b: Edit): boolean {
  return a.span.start <= b.span.end && b.span.start <= a.span.end;
}
