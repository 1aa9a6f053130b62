// What is kept of a text over its versions is what a look through the whole text gives: comments, directives, lines, words.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Directive } from '../../../helper/lint/facts/index';
import { nothingExtra } from '../../../helper/lint/knowledge/extra';
import { Knowledge } from '../../../helper/lint/knowledge/index';
import { FileContext } from '../../../helper/lint/lower/context';
import { LoweredFile } from '../../../helper/lint/lower/file-facts';
import { allComments, CommentMemo } from '../../../helper/lint/suppress/comments';
import { DirectiveMemo, directivesOf } from '../../../helper/lint/text/directives';
import { LineIndex } from '../../../helper/lint/text/lines';
import { ViewMemo, viewOf } from '../../../helper/lint/text/views';
import { Random } from '../../fuzz/random';

const root = path.resolve(import.meta.dirname, '../../..');
const texts = ['test/fixtures/lint/suppression', 'test/fixtures/lint/annotation', 'test/fixtures/lint/fd', 'native/src'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(cpp|hpp|h|c|cu)$/.test(file))
    .sort()
    .map((file) => readFileSync(path.join(root, folder, file), 'utf8')),
);

const pieces = [
  ...['/*', '*/', '//', '"', "'", '\\', '\\\n', '\n', '\r\n', '\r', '\n}\n', '}', '{', '#', '#define Q 1\n', '#define Q \\\n', '#undef Q\n', '/*/'],
  ...['R"(', ')"', 'R"x(', ')x"', 'BAR"(', "1'0", '// NOLINT(seamscope-fd-leak)\n', '/* seamscope: closes(fd) */', '#include <a.h>\n', 'x', ' '],
];

function edited(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const removed = random.chance(0.6) ? 0 : random.below(random.chance(0.2) ? 400 : 4);
  return text.slice(0, at) + (random.chance(0.8) ? random.pick(pieces) : '') + text.slice(at + removed);
}

/** Edits that add up, and now and then the whole of another text. */
function* versions(random: Random): Generator<string> {
  for (const text of texts) {
    let now = random.chance(0.5) ? text : text.replace(/\n/g, '\r\n');
    yield now;
    for (let i = 0; i < 25; i++) {
      now = random.chance(0.1) ? text : edited(now, random);
      yield now;
    }
  }
}

const placed = (all: readonly Directive[]) => all.map(({ span, ...rest }) => ({ ...rest, start: span.start, end: span.end }));

it('comments', () => {
  const random = new Random(3, 1);
  const memo = new CommentMemo();
  for (const text of versions(random)) {
    const [kept, fresh] = [memo.of(text), allComments(text, 'cpp')];
    const [a, b] = [random.below(text.length + 1), random.below(text.length + 1)];
    const range = [Math.min(a, b), Math.max(a, b)] as const;
    expect(kept.marked, text).toEqual(fresh.marked);
    expect(kept.between(...range), text).toEqual(fresh.between(...range));
    expect(kept.between(0, text.length), text).toEqual(fresh.between(0, text.length));
  }
});

it('directives', () => {
  const memo = new DirectiveMemo();
  for (const text of versions(new Random(3, 2))) expect(placed(memo.of(text)), text).toEqual(placed(directivesOf(text)));
});

it('directives that only move are the same list', () => {
  const memo = new DirectiveMemo();
  const text = 'void f() {\n}\n#define A 1\nvoid g() {\n}\n#define B 2\n';
  const before = memo.of(text);
  expect(memo.of(text.replace('f() {', 'f() {\n    x();'))).toBe(before);
});

it('lines', () => {
  const random = new Random(3, 3);
  let kept: LineIndex | undefined;
  for (const text of versions(random)) {
    kept = new LineIndex(text, kept);
    const fresh = new LineIndex(text);
    const starts = (index: LineIndex) => Array.from({ length: index.count + 1 }, (_, i) => index.startOf(i + 1));
    expect(starts(kept)).toEqual(starts(fresh));
  }
});

it('views', () => {
  const memo = new ViewMemo(false);
  for (const text of versions(new Random(3, 4))) expect(memo.of(text)).toBe(viewOf(text, false));
});

it('words', () => {
  const file = new LoweredFile({ path: 'a.mm', language: 'objc', arm: undefined }, true);
  const wanted = [/^fd_?$/, /^Q$/, /^seamscope/, /^close$/, /^vkGet/];
  for (const text of versions(new Random(3, 5))) {
    file.renew(new FileContext(text, 'objc', new Knowledge(nothingExtra)), [], undefined);
    const fresh = new LoweredFile({ path: 'a.mm', language: 'objc', arm: undefined }, false);
    fresh.renew(new FileContext(text, 'objc', new Knowledge(nothingExtra)), [], undefined);
    const found = (of: LoweredFile) => wanted.map((word) => of.hasToken('word', word));
    expect(found(file), text).toEqual(found(fresh));
  }
});
