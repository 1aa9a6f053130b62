/**
 * # suppression/unknown-rule
 *
 * ## What it does
 * Reports a suppression comment that names a rule which does not exist, or none at all.
 *
 * ## Why is this bad
 * It suppresses nothing, although it looks as if somebody had looked at the fault and excused it.
 *
 * ## Example
 * ```cpp
 * #include <cuda.h>
 * #include <unistd.h>
 * void import_memory(CUexternalMemory* memory, int fd) {
 *     CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {};
 *     desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
 *     desc.handle.fd = fd;
 *     cuImportExternalMemory(memory, &desc);
 *     close(fd);  // seamscope-disable-line fd/use-after-transfered -- the stand-in driver of this test duplicates
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda.h>
 * #include <unistd.h>
 * void import_memory(CUexternalMemory* memory, int fd) {
 *     CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {};
 *     desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
 *     desc.handle.fd = fd;
 *     cuImportExternalMemory(memory, &desc);
 *     close(fd);  // seamscope-disable-line fd/use-after-transfer -- the stand-in driver of this test duplicates
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion: the rule with the most similar name, where one is similar.
 *
 * ## What it cannot see
 * Comments that do not begin with `seamscope-disable-` and one of `line`, `next-line`, `file`, `begin`, `end`.
 */
import { cFamily, defineStageRule, type Edit } from '../rule';

interface Data {
  readonly written: string | undefined;
  readonly meant: string | undefined;
  readonly edit: Edit | undefined;
}

export const rule = defineStageRule<Data>({
  meta: {
    id: 'suppression/unknown-rule',
    summary: 'A suppression comment names no rule that exists.',
    severity: 'warning',
    tier: 'A',
    precision: 'certain',
    fix: 'suggestion',
    languages: [...cFamily, 'objc', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'the text itself',
  },

  message({ written, meant }) {
    if (written === undefined) return 'This suppression names no rule, so it suppresses nothing. Name the rules that it excuses.';
    const advice = meant === undefined ? 'See the table of rules for the names.' : `Did you mean ${meant}?`;
    return `There is no rule ${written}, so this comment suppresses nothing. ${advice}`;
  },

  fix({ data: { meant, edit } }) {
    return edit && { title: `Change to ${meant}`, edits: [edit] };
  },
});
