// What is copied of a tree that follows edits is what a copy of the whole tree gives. While a text is broken it may be an older reading of a
// part: then the parser does not tell all that it reads anew.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { Node } from '../../../helper/lint/syntax/node';
import { isUnparsed, type Unparsed } from '../../../helper/lint/syntax/parser-module';
import { copyTree, TreeCopy } from '../../../helper/lint/syntax/tree-copy';
import { Random } from '../../fuzz/random';
import { grammars } from './harness';

const root = path.resolve(import.meta.dirname, '../../..');
const texts = ['test/fixtures/lint/fd', 'test/fixtures/lint/dlpack', 'native/src'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(cpp|hpp)$/.test(file))
    .sort()
    .map((file) => readFileSync(path.join(root, folder, file), 'utf8')),
);

afterEach(() => void vi.restoreAllMocks());

const plain = (parsed: Node | Unparsed): unknown =>
  isUnparsed(parsed) ? parsed : [parsed.type, parsed.named, parsed.field, parsed.start, parsed.end, parsed.broken, parsed.children.map(plain)];

/** Compares each copy that follows an edit. @returns how many there were */
function compareAll(): () => number {
  const { update } = TreeCopy.prototype;
  let count = 0;
  vi.spyOn(TreeCopy.prototype, 'update').mockImplementation(function (this: TreeCopy, tree, before, edit) {
    const got = update.call(this, tree, before, edit);
    if (edit && !got.broken) {
      count++;
      expect(plain(got)).toEqual(plain(copyTree(grammars.module.binding, tree)));
    }
    return got;
  });
  return () => count;
}

const pieces = [
  '{',
  '}',
  '(',
  ')',
  ';',
  'x',
  ' v',
  '/*',
  '*/',
  '"',
  '#if 0\n',
  '#endif\n',
  'struct Q { int a; };\n',
  'namespace n {\n',
  '\n\n',
  'int q;',
];

it('after edits that add up', { timeout: 300_000 }, () => {
  const count = compareAll();
  const random = new Random(5, 1);
  for (const original of texts) {
    const tree = grammars.open('cuda');
    let text = original;
    for (let i = 0; i < 6; i++) {
      tree.update(text);
      const at = random.below(text.length + 1);
      const removed = random.chance(0.6) ? 0 : random.below(random.chance(0.2) ? 300 : 4);
      text = random.chance(0.3) ? original : text.slice(0, at) + random.pick(pieces) + text.slice(at + removed);
    }
    tree.dispose();
  }
  expect(count()).toBeGreaterThan(100);
});

it('where letters of two units lie on what the parser is handed', () => {
  const function_ = (i: number) => `/* ${'🎉'.repeat(300 + i)} */ void f${i}() { g("${'🎉'.repeat(200)}"); }\n`;
  const text = Array.from({ length: 20 }, (_, i) => function_(i)).join('');
  const tree = grammars.open('cuda');
  tree.update(text);
  for (const name of ['f0()', 'f7()', 'f19()']) {
    const edited = text.replace(`${name} {`, `${name} { /* 🎉 */`);
    expect(plain(tree.update(edited))).toEqual(plain(grammars.parse('cuda', edited)));
  }
  tree.dispose();
});
