import { describe, expect, it } from 'vitest';
import { ParsedDocument } from '../../../helper/lint/engine';
import type { EditableTree } from '../../../helper/lint/syntax/grammars';
import { isUnparsed, type Unparsed } from '../../../helper/lint/syntax/parser-module';
import { exhaustion, memoryFor, type Patience, withLessOf } from '../../../helper/lint/syntax/patience';
import { grammars } from './harness';

const none: Patience = { base: 0, perKiB: 0 };
const text = `#include <cuda.h>\n${'void f(int a) { cuInit(a + 1); }\n'.repeat(50)}`;

describe('patience with the parser', () => {
  it('ends when time and computing are used up, later for a longer text', () => {
    expect(exhaustion(none, 1000)()).toBe(true);
    expect(exhaustion({ base: 1e9, perKiB: 0 }, 1000)()).toBe(false);
    expect(exhaustion({ base: 0, perKiB: 1e9 }, 1024)()).toBe(false);
  });

  it('names a text that is too hard, and what to do', () => {
    const parsed = grammars.parse('cuda', text, none);
    expect(parsed).toMatchObject({ refused: expect.stringMatching(/too hard to parse.*not closed.*"ignore" in seamscope\.json/), isTooHard: true });
    expect(isUnparsed(grammars.parse('cuda', text))).toBe(false);
  });

  it('ends when a text takes memory without end, which the module never gives back', { timeout: 300_000 }, () => {
    const hard = `void f() { x = ${'a<'.repeat(50_000)}\n`;
    expect(grammars.parse('cuda', hard, { base: 1e9, perKiB: 0 })).toMatchObject({ isTooHard: true });
    expect(grammars.module.binding.HEAPU8.length).toBeLessThan(2 * memoryFor(hard.length));
    expect(isUnparsed(grammars.parse('cuda', text))).toBe(false);
  });

  it('leaves a document that was too hard as good as new', () => {
    const tree = grammars.open('cuda');
    const edited = text.replace('a + 1', 'a + 2');
    expect(isUnparsed(tree.update(text))).toBe(false);
    expect(isUnparsed(tree.update(`int x(;\n${text}`, none))).toBe(true);
    const [kept, fresh] = [tree.update(edited), grammars.parse('cuda', edited)];
    const shape = (parsed: typeof kept): unknown =>
      isUnparsed(parsed) ? parsed : [parsed.type, parsed.start, parsed.end, parsed.children.map(shape)];
    expect(shape(kept)).toEqual(shape(fresh));
    tree.dispose();
  });

  it('is less with what was too hard in the version before, in any arm, so that keys do not wait', () => {
    const answers: Unparsed[] = [];
    const asked: Patience[] = [];
    const update = (_: string, patience: Patience) => {
      asked.push(patience);
      return answers.shift() ?? { refused: 'nested' };
    };
    const usual = { base: 800, perKiB: 8 };
    const document = new ParsedDocument({ open: () => ({ update }) as unknown as EditableTree }, usual);
    const tooHard: Unparsed = { refused: 'too hard', isTooHard: true };
    answers.push(tooHard, tooHard);
    for (let version = 0; version < 3; version++) for (const arm of [0, 1]) document.parse('cuda', arm, text);
    const less = withLessOf(usual);
    expect(less).toEqual({ base: 100, perKiB: 4 });
    expect(asked).toEqual([usual, less, less, less, usual, usual]);
  });

  it('doubts a document behind a version with errors, until it is read afresh, and keeps what was too hard', () => {
    const document = new ParsedDocument(grammars);
    document.parse('cuda', 0, text);
    document.parse('cuda', 0, text.replace('a + 1', 'a + 2'));
    expect(document.isDoubtful).toBe(false);
    document.parse('cuda', 0, `int x(;\n${text}`);
    document.parse('cuda', 0, text);
    expect(document.isDoubtful).toBe(true);
    const next = document.afresh();
    expect(isUnparsed(next.parse('cuda', 0, text))).toBe(false);
    expect(next.isDoubtful).toBe(false);
    next.dispose();

    const hard = new ParsedDocument(grammars, none);
    hard.parse('cuda', 0, text);
    expect(hard.afresh().patience).toEqual(hard.patience);
  });
});
