// A fix is written only where the text is better for it: it parses, what was found is gone, and no other rule finds more.
import { expect, it } from 'vitest';
import { acceptedFixes, type Mending, type Outcome } from '../../../helper/lint/fix/accept';
import { CountingParser } from '../../../helper/lint/fix/parse-errors';
import { grammars } from './harness';

const mend = (message: string, at: number): Mending => ({
  ruleId: 'a/b',
  message,
  title: '',
  edits: [{ span: { start: at, end: at }, text: 'x' }],
});
const outcome = (words: readonly string[], more: Partial<Outcome> = {}): Outcome => ({
  findings: words.map((each) => ({ ruleId: each.split(' ')[0]!, message: each.split(' ')[1]! })),
  parseErrors: 0,
  unjudged: 0,
  ...more,
});
const mends = [mend('one', 1), mend('two', 2), mend('three', 3), mend('four', 4)];
const all = mends.map(({ message }) => `a/b ${message}`);
/** What is found when all but the bad ones help. */
const left = (fixes: readonly Mending[]) => all.filter((each) => !fixes.some(({ message }) => each === `a/b ${message}`));

it.each<[string, (fixes: readonly Mending[]) => Outcome]>([
  ['mends nothing', (fixes) => outcome(left(fixes.filter(({ message }) => message !== 'three')))],
  ['no longer parses', (fixes) => outcome(left(fixes), { parseErrors: fixes.includes(mends[2]!) ? 1 : 0 })],
  ['hides a function from the rules', (fixes) => outcome(left(fixes), { unjudged: fixes.includes(mends[2]!) ? 1 : 0 })],
  ['breaks another rule', (fixes) => outcome([...left(fixes), ...(fixes.includes(mends[2]!) ? ['c/d five'] : [])])],
])('leaves out the fix that %s, and takes the others', (_, trial) => {
  expect(acceptedFixes(outcome(all), mends, trial).map(({ message }) => message)).toEqual(['one', 'two', 'four']);
});

it('tries all at once first, and takes what does not fit if the first is wrong', () => {
  let trials = 0;
  const count = (fixes: readonly Mending[]) => {
    trials++;
    return outcome(left(fixes));
  };
  expect(acceptedFixes(outcome(all), mends, count)).toHaveLength(4);
  expect(trials).toBe(1);
  const rivals = [mend('one', 1), mend('two', 1)];
  const onlyTwo = (fixes: readonly Mending[]) => outcome(left(fixes.filter(({ message }) => message !== 'one')));
  expect(acceptedFixes(outcome(all), rivals, onlyTwo).map(({ message }) => message)).toEqual(['two']);
});

it.each<['cuda' | 'python', string, number]>([
  ['cuda', 'void f() { if (a) return; else g(); }', 0],
  ['cuda', 'void f() { if (a) return; h(); else g(); }', 1],
  ['cuda', 'void f() { g( }', 1],
  ['python', 'if a:\n    b()\nm.wait()\nelif c:\n    d()\n', 1],
])('counts what does not parse: %s %j', (grammar, text, least) => {
  const parser = new CountingParser(grammars);
  parser.parse(grammar, text);
  if (least === 0) expect(parser.errors).toBe(0);
  else expect(parser.errors).toBeGreaterThanOrEqual(least);
});
