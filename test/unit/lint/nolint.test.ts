// NOLINT as users of clang-tidy write it: with seamscope's names it counts; bare it does not, and the finding says so.
import { describe, expect, it } from 'vitest';
import { lintText } from './harness';

const importing = (before: string, after: string) => `void f(CUexternalMemory m, int fd) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd};
    cuImportExternalMemory(&m, &desc);
    ${before}
    close(fd);  ${after}
    // NOLINTEND
}
`;
const findings = (before: string, after = '') => lintText('a.cpp', importing(before, after));
const hint = (form: string) => `This comment names no rule, so it excuses nothing here: write ${form}(seamscope-fd-use-after-transfer): reason`;

describe('a bare NOLINT', () => {
  it.each([
    ['', '// NOLINT', 'NOLINT', 5],
    ['', '// NOLINT: the driver duplicates', 'NOLINT', 5],
    ['', '/* NOLINT(*) */', 'NOLINT', 5],
    ['// NOLINTNEXTLINE', '', 'NOLINTNEXTLINE', 4],
    ['// NOLINTNEXTLINE\n\n    // The driver duplicates.', '', 'NOLINTNEXTLINE', 4],
    ['// NOLINTBEGIN', '', 'NOLINTBEGIN', 4],
  ])('does not suppress, and the finding says what would: %s%s', (before, after, form, line) => {
    const found = findings(before, after);
    expect(found.map(({ ruleId }) => ruleId)).toEqual(['fd/use-after-transfer']);
    expect(found[0]!.related.at(-1)).toMatchObject({ line, message: hint(form) });
  });

  it.each([
    ['', '// NOLINT(bugprone-close)'],
    ['', '// NOLINT(build/include, fd/leak, fd-leak)'],
    ['', '// NOLINTED'],
    ['// NOLINT', ''],
    ['', '// NOLINTNEXTLINE'],
    ['// NOLINTNEXTLINE\n    *state = 1;', ''],
  ])('that is for another tool or another line is not mentioned: %s%s', (before, after) => {
    expect(findings(before, after)[0]!.related.map(({ message }) => message)).not.toContainEqual(expect.stringContaining('excuses nothing'));
  });

  const unmarked = (form: string) => hint(form).replace('names no rule', 'lacks seamscope- before the rule');
  it.each([
    ['', '// NOLINT(fd/use-after-transfer): the driver duplicates', 'NOLINT', 5],
    ['', '// NOLINT(bugprone-x, fd-use-after-transfer)', 'NOLINT', 5],
    ['// NOLINTNEXTLINE(fd/*)', '', 'NOLINTNEXTLINE', 4],
    ['// NOLINTBEGIN(fd/use-after-transfer)\n    // NOLINTBEGIN(bugprone-x)\n    // NOLINTEND(bugprone-x)', '', 'NOLINTBEGIN', 4],
  ])('that names the rule as other comments do does not either: %s%s', (before, after, form, line) => {
    const found = findings(before, after);
    expect(found.map(({ ruleId }) => ruleId)).toEqual(['fd/use-after-transfer']);
    expect(found[0]!.related.at(-1)).toMatchObject({ line, message: unmarked(form) });
    expect(found[0]!.fix).toBeUndefined();
  });

  it('ends no block that names rules: the block that goes on to the end is told', () => {
    const reason = '-- the stand-in driver duplicates';
    const found = lintText('a.cpp', `// NOLINTBEGIN(seamscope-fd-*) ${reason}\n// NOLINTEND\n${importing('', '')}`);
    expect(found.map(({ ruleId, line }) => [ruleId, line])).toEqual([['suppression/unknown-rule', 1]]);
  });
});

it.each(['seamscope-fd-use-after-transfer', 'seamscope-*', 'seamscope*', 'bugprone-x, seamscope-fd-*'])('NOLINT(%s) counts', (list) => {
  expect(findings('', `// NOLINT(${list}): the driver duplicates`)).toEqual([]);
});

it('what is no comment of its own is told with the right spelling, and mended', () => {
  const [, about] = findings('', '// NOLINT(seamscope-fd-use-after-transfered): the driver duplicates');
  expect(about!.message).toContain('no rule seamscope-fd-use-after-transfered, so');
  expect(about!.message).toContain('Did you mean seamscope-fd-use-after-transfer?');
  expect(about!.fix!.edits.map(({ text }) => text)).toEqual(['seamscope-fd-use-after-transfer']);
});

it('a suppression of what is found about suppressions is told that there is none', () => {
  const found = findings('// seamscope-disable-next-line suppression/without-reason -- soon', '// seamscope-disable-line fd/use-after-transfer');
  expect(found.map(({ ruleId }) => ruleId)).toEqual(['suppression/unused', 'suppression/without-reason']);
  expect(found[0]!.message).toBe('What suppression/without-reason finds is a comment to be mended: no other comment excuses it. Remove this one.');
});
