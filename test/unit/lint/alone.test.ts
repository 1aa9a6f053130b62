// A declaration that is read without the rest of its text is what it is in the whole: edits all over real files, each compared with a tree
// made afresh.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import type { EditableTree } from '../../../helper/lint/syntax/grammars';
import type { Node } from '../../../helper/lint/syntax/node';
import { isUnparsed, type Unparsed } from '../../../helper/lint/syntax/parser-module';
import { TreeCopy } from '../../../helper/lint/syntax/tree-copy';
import { viewOf } from '../../../helper/lint/text/views';
import { Random } from '../../fuzz/random';
import { grammars } from './harness';

const root = path.resolve(import.meta.dirname, '../../..');
const texts = ['test/fixtures/lint', 'native/src', 'snippets'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(cpp|hpp|h|c|cu)$/.test(file) && !/[\\/]fixed/.test(file))
    .sort()
    .map((file) => ({ name: file, text: viewOf(readFileSync(path.join(root, folder, file), 'utf8'), file.endsWith('.c')) })),
);

afterEach(() => void vi.restoreAllMocks());

const pieces = [
  ...['{', '}', '(', ')', ';', ',', '"', "'", '/*', '*/', '//', '<', '>', '*', '&', '::', '->', '.', '=', '+', '!', '#', '\\', '\n', '0', 'R"('],
  ...[
    'x',
    'return ',
    'int q;',
    'close(fd);',
    'if (x) ',
    'else ',
    'auto &y = ',
    'case 1:',
    'struct Q { int a; };',
    '}\nvoid g() {',
    'std::vector<int',
  ],
];

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Letters behind a statement, words and signs anywhere, words that lose letters or get some, halves of lines, new lines. */
function editOf(text: string, random: Random): Edit {
  const at = random.below(text.length);
  const line = { start: at, end: text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at) };
  switch (random.below(7)) {
    case 0:
      return { start: text.indexOf(';', at) < 0 ? at : text.indexOf(';', at), end: Math.max(at, text.indexOf(';', at)), text: 'value' };
    case 1:
      return { start: at, end: at, text: random.pick(pieces) };
    case 2: {
      const word = /[A-Za-z_]\w*|\S/.exec(text.slice(at));
      return { start: at + (word?.index ?? 0), end: at + (word ? word.index + word[0].length : 0), text: random.pick(['', 'x', 'value']) };
    }
    case 3:
      return { ...line, text: '' };
    case 4:
      return { start: line.end, end: line.end, text: `\n    ${random.pick(['int q = 0;', 'close(fd);', 'if (x) {', '}', 'foo(', 'x.', '// seen'])}` };
    case 5:
      return { start: at, end: at, text: random.pick(['a', '_', '7', ' ']) };
    default:
      return { start: at, end: Math.min(text.length, at + 1 + random.below(3)), text: '' };
  }
}

const edited = (text: string, { start, end, text: by }: Edit) => text.slice(0, start) + by + text.slice(end);

const plain = (parsed: Node | Unparsed): unknown =>
  isUnparsed(parsed)
    ? parsed.refused
    : [parsed.type, parsed.named, parsed.field, parsed.start, parsed.end, parsed.broken, parsed.children.map((child) => plain(child))];

const isBroken = (parsed: Node | Unparsed) => !isUnparsed(parsed) && parsed.broken;
const typesBelow = (parsed: Node | Unparsed) => (isUnparsed(parsed) ? [] : parsed.children.map(({ type }) => type));

/** Updates a tree, and says whether that read one declaration alone. */
function watched(): (tree: EditableTree, text: string) => [Node | Unparsed, boolean] {
  const replace = vi.spyOn(TreeCopy.prototype, 'replace');
  return (tree, text) => {
    replace.mockClear();
    const now = tree.update(text);
    return [now, replace.mock.results[0]?.value !== undefined];
  };
}

it('one edit after another, each in a text as it was', { timeout: 300_000 }, () => {
  const update = watched();
  const random = new Random(7, 1);
  const contained: string[][] = [];
  let count = 0;
  for (const { name, text } of texts) {
    const tree = grammars.open('cuda');
    for (let i = 0; i < 8; i++) {
      const before = tree.update(text);
      const now = edited(text, editOf(text, random));
      const [got, alone] = update(tree, now);
      if (!alone) continue;
      count++;
      const fresh = grammars.parse('cuda', now);
      if (isBroken(got) && !isDeepStrictEqual(plain(got), plain(fresh))) contained.push(typesBelow(got), typesBelow(before));
      else expect(plain(got), `${name}\n${now}`).toEqual(plain(fresh));
    }
    tree.dispose();
  }
  expect(count).toBeGreaterThan(texts.length);
  // The parser of the whole may take what is around into an error. Read alone it stays in its function, and all else as it was.
  expect(contained.length / 2).toBeLessThan(count / 100);
  for (let i = 0; i < contained.length; i += 2) expect(contained[i]).toEqual(contained[i + 1]);
});

it('edits that add up, through versions that are broken', { timeout: 300_000 }, () => {
  const update = watched();
  const random = new Random(7, 2);
  let count = 0;
  for (const { name, text } of texts) {
    let tree = grammars.open('cuda');
    tree.update(text);
    let sound = text;
    for (let i = 0; i < 8; i++) {
      const now = edited(sound, editOf(sound, random));
      const [got, alone] = update(tree, now);
      const fresh = grammars.parse('cuda', now);
      if (isUnparsed(fresh) || fresh.broken) continue;
      sound = now;
      if (alone) {
        count++;
        expect(plain(got), `${name}\n${now}`).toEqual(plain(fresh));
      } else if (!isDeepStrictEqual(plain(got), plain(fresh))) {
        // The parser's own recovery from errors depends on what was parsed before, and may stay in them when they are mended.
        tree.dispose();
        tree = grammars.open('cuda');
        tree.update(now);
      }
    }
    tree.dispose();
  }
  expect(count).toBeGreaterThan(texts.length / 2);
});

it.each([
  [
    'a comment that was none until its end was written',
    'int a(int *y, int x) { return x /* y; }\nint b(int x) { return x * 2; }\n',
    'x * 2',
    'x */ 2',
  ],
  ['a comment that ends in another declaration', 'int a(int *y, int x) { return x / * y; }\nint b() { /* */ return 1; }\n', '/ *', '/*'],
  ['a raw string that ends in another declaration', 'auto a() { return R"x(1)x"; }\nauto b() { return R"(2)y"; }\n', 'R"x(', 'R"y('],
  ['a definition that becomes two', 'int a() { return 1; }\nint b() { return 2; }\n', 'return 1;', 'return 1; } int c() {'],
  ['a definition that becomes a declaration', 'struct S { int a() { return 1; } };\n', '() { return 1; }', ';'],
] as const)('%s', (_, text, from, to) => {
  const tree = grammars.open('cuda');
  tree.update(text);
  const now = text.replace(from, to);
  expect(plain(tree.update(now))).toEqual(plain(grammars.parse('cuda', now)));
  tree.dispose();
});
