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
 * Safe: the comment, or the one name in it, goes.
 *
 * ## What it cannot see
 * Code that none of the analysed preprocessor arms contains, and rules that did not run: for these it says nothing.
 */
import { cFamily, defineStageRule, type Edit } from '../rule';

interface Data {
  readonly id: string;
  readonly edits: readonly Edit[];
}

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

  message({ id }) {
    return `This suppression of ${id} suppresses nothing and would hide the next finding of that rule. Remove it.`;
  },

  fix({ data: { id, edits } }) {
    return edits.length > 0 ? { title: `Remove the unused suppression of ${id}`, edits } : undefined;
  },
});
