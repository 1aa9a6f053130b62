// What is misspelt on the command line is answered with what was most likely meant.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { run } from '../../../helper/cli/cli';

const folder = mkdtempSync(path.join(tmpdir(), 'seamscope-misspelt-'));
const file = path.join(folder, 'a.cpp');
writeFileSync(file, '');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.restoreAllMocks());

async function complaint(...args: string[]) {
  let said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
  expect(await run(args, folder)).toBe(2);
  return said.replace(/^seamscope: /, '').trim();
}

it.each([
  [['lnit', file], 'There is no command "lnit". Did you mean lint? Try "seamscope --help".'],
  [[file], `There is no command "${file}". Did you mean "seamscope lint ${file}"? Try "seamscope --help".`],
  [['nonsense'], 'There is no command "nonsense". Try "seamscope --help".'],
  [['lint', '--formt', 'json', file], 'Unknown option --formt. Did you mean --format? Try "seamscope lint --help".'],
  [['lint', '--json', file], 'Unknown option --json. Did you mean --format json? Try "seamscope lint --help".'],
  [['lint', '--suggestion', file], 'Unknown option --suggestion. Did you mean --fix=suggestion? Try "seamscope lint --help".'],
  [['lint', '-x', file], 'Unknown option -x. A path that begins with "-" is written with "./" before it. Try "seamscope lint --help".'],
  [['lint', '--explain'], '--explain needs a value: --explain RULE. Try "seamscope lint --help".'],
  [['lint', '--baseline=', file], '--baseline needs the name of a file. Try "seamscope lint --help".'],
  [['lint', '--rule'], '--rule needs a value: --rule ID. Try "seamscope lint --help".'],
  [['preview', '--encoding'], '--encoding needs a value: --encoding jpeg|rgba|png. Try "seamscope preview --help".'],
  [['lint', '--fix=all', file], 'There is no fix "all": use --fix for the safe ones or --fix=suggestion for all. Try "seamscope lint --help".'],
  [['lint', '--fix', 'suggestion', file], 'suggestion does not exist.\n  Next step: Write --fix=suggestion: behind a blank it is a path.'],
])('%j', async (args, answer) => {
  expect(await complaint(...args)).toBe(answer);
});

it.each([
  ['fd/lek', 'fd/leak'],
  ['FD/Leak', 'fd/leak'],
  ['laek', 'fd/leak'],
  ['leak', 'fd/leak'],
  ['fd', "'fd/*'"],
  ['fd/', "'fd/*'"],
  ['syn/*', "'sync/*'"],
])('the rule %s', async (written, meant) => {
  for (const option of ['--rule', '--explain'])
    expect(await complaint('lint', option, written, file)).toBe(`There is no rule "${written}". Did you mean ${meant}? Try "seamscope lint --help".`);
});

it('a rule that resembles none', async () => {
  expect(await complaint('lint', '--rule', 'no-unused-vars', file)).toMatch(
    /^There is no rule "no-unused-vars"\. "seamscope lint --explain '\*'" lists them\./,
  );
});
