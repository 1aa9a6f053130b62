/**
 * # suppression/unknown-rule
 *
 * ## What it does
 * Reports a suppression comment that names a rule which does not exist, or none at all; one that is misspelt itself
 * (`seamscope-disable-nextline`, or in capital letters); and one that begins or ends a block whose other half is missing.
 *
 * ## Why is this bad
 * It suppresses nothing, although it looks as if somebody had looked at the fault and excused it. A block without an end excuses the rest of the
 * file.
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
 * A suggestion: the rule or the comment with the most similar name, where one is similar. Halves of blocks have none: where the block begins or
 * ends, only its author knows.
 *
 * ## What it cannot see
 * Comments that do not begin with `seamscope-disable`, and those with another word behind it that name no rule: they may be prose.
 */
import { cFamily, defineStageRule, type Edit } from '../rule';

type Data =
  | { readonly kind: 'nameless' | 'begin' | 'end' }
  /** The name of a rule, or the comment itself. */
  | { readonly kind: 'name' | 'form'; readonly written: string; readonly meant: string | undefined; readonly edit: Edit | undefined };

const said = {
  nameless: 'This suppression names no rule, so it suppresses nothing. Name the rules that it excuses.',
  begin:
    'No comment ends the block that this one begins, so it excuses the rest of the file. End it with seamscope-disable-end and the same rule, or write seamscope-disable-file.',
  end: 'No comment begins the block that this one ends: none names the same rule. Remove it, or mend the beginning.',
};

const elsewhere = {
  name: 'See the table of rules for the names.',
  form: 'The comments are seamscope-disable-next-line, -line, -file, -begin and -end, and NOLINT, NOLINTNEXTLINE, NOLINTBEGIN and NOLINTEND.',
};

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

  message(data) {
    if (data.kind !== 'name' && data.kind !== 'form') return said[data.kind];
    const { kind, written, meant } = data;
    const advice = meant === undefined ? elsewhere[kind] : `Did you mean ${meant}?`;
    return `There is no ${kind === 'name' ? 'rule' : 'comment'} ${written}, so this comment suppresses nothing. ${advice}`;
  },

  fix({ data }) {
    return 'edit' in data && data.edit ? { title: `Change to ${data.meant}`, edits: [data.edit] } : undefined;
  },
});
