/**
 * # suppression/unused
 *
 * ## What it does
 * Reports a suppression comment, or one rule named in it, under which that rule finds nothing.
 *
 * ## Why is this bad
 * The fault it once excused is gone, or the comment stands at the wrong line. Left in place it hides the next fault of that kind.
 *
 * ## Example
 * ```cpp
 * #include <unistd.h>
 * void done(int fd) {
 *     // seamscope-disable-next-line fd/use-after-transfer -- imported as dma-buf, which is not adopted
 *     close(fd);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <unistd.h>
 * void done(int fd) {
 *     close(fd);
 * }
 * ```
 *
 * ## Fix safety
 * Safe: the comment, or the one name in it, goes. A comment for the next line that stands behind the very code in which the rule finds
 * something, or one for its own line that stands above it, is a slip; to change it is a suggestion.
 *
 * ## What it cannot see
 * Code that none of the analysed preprocessor arms contains, and rules that did not run: for these it says nothing.
 */
import { cFamily, defineStageRule, type Edit } from '../rule';

type Data =
  /** own: it is about suppressions, which none excuses. */
  | { readonly kind: 'idle' | 'own'; readonly id: string; readonly edits: readonly Edit[] }
  | { readonly kind: 'misplaced'; readonly id: string; readonly written: string; readonly meant: string; readonly edit: Edit | undefined };

export const rule = defineStageRule<Data>({
  meta: {
    id: 'suppression/unused',
    summary: 'A suppression comment suppresses nothing.',
    severity: 'warning',
    tier: 'A',
    precision: 'certain',
    fix: 'safe',
    languages: [...cFamily, 'objc', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'the text itself',
  },

  message(data) {
    const { kind, id } = data;
    if (kind === 'misplaced') {
      return `This suppression of ${id} suppresses nothing: ${data.written} reaches another line than the one with the finding. Write ${data.meant}.`;
    }
    if (kind === 'own') return `What ${id} finds is a comment to be mended: no other comment excuses it. Remove this one.`;
    return `This suppression of ${id} suppresses nothing and would hide the next finding of that rule. Remove it.`;
  },

  fix({ data }) {
    if (data.kind === 'misplaced') return data.edit && { title: `Change to ${data.meant}`, edits: [data.edit], safety: 'suggestion' };
    const { id, edits } = data;
    return edits.length > 0 ? { title: `Remove the unused suppression of ${id}`, edits } : undefined;
  },
});
