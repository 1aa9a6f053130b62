import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Language, Parser, type TreeCursor } from 'web-tree-sitter';
import { Grammars } from '../../../helper/lint/syntax/grammars';
import type { Node } from '../../../helper/lint/syntax/node';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file));
const files = {
  cuda: 'node_modules/tree-sitter-cuda/tree-sitter-cuda.wasm',
  python: 'node_modules/tree-sitter-python/tree-sitter-python.wasm',
} as const;
const grammars = await Grammars.load({
  runtime: read('node_modules/web-tree-sitter/web-tree-sitter.wasm'),
  cuda: read(files.cuda),
  python: read(files.python),
});

/** What web-tree-sitter's own cursor says of a tree. */
function told(cursor: TreeCursor): unknown[] {
  const { nodeType, nodeIsNamed, startIndex, endIndex, currentFieldName } = cursor;
  let broken = nodeType === 'ERROR' || cursor.nodeIsMissing;
  const children: unknown[][] = [];
  if (cursor.gotoFirstChild()) {
    do children.push(told(cursor));
    while (cursor.gotoNextSibling());
    cursor.gotoParent();
    broken ||= children.some((child) => child[5]);
  }
  return [nodeType, nodeIsNamed, startIndex, endIndex, currentFieldName ?? undefined, broken, children];
}

const plain = ({ type, named, start, end, field, broken, children }: Node): unknown[] => {
  return [type, named, start, end, field, broken, children.map(plain)];
};

async function both(grammar: 'cuda' | 'python', text: string) {
  const parser = new Parser();
  parser.setLanguage(await Language.load(read(files[grammar])));
  return { own: plain(grammars.parse(grammar, text) as Node), theirs: told(parser.parse(text)!.walk()) };
}

describe('the cursor reads what the one of web-tree-sitter reads', () => {
  const texts: Record<string, readonly ['cuda' | 'python', string]> = {
    'a real file': ['cuda', read('native/src/files/read_exr.cpp').toString()],
    'a kernel and its launch': ['cuda', '__global__ void k(int *p) { p[0] = 1; }\nvoid f(int *p) { k<<<1, dim3(2)>>>(p); }'],
    'what is missing and what is wrong': ['cuda', 'int f( { return 1 }\nvoid g() { if (x { y(; }\n#if A\nint z\n'],
    'letters of more than one unit': ['cuda', '// Ünïcödé 🎉\nconst char *s = "🎉";\nint after;'],
    'renamed symbols': ['cuda', 'struct A { A(); ~A(); A &operator=(const A &) = delete; int n : 3; };\ntemplate <class T> void A::f<T>(T &&t) {}'],
    Python: ['python', 'class A:\n    def f(self, x=1, *rest):\n        with open(x) as y:\n            return [f"{z!r}" for z in y if not z]\n'],
    'broken Python': ['python', 'def f(:\n  x = (1,\nclass'],
    nothing: ['cuda', ''],
  };
  for (const [name, [grammar, text]] of Object.entries(texts)) {
    it(name, async () => {
      const { own, theirs } = await both(grammar, text);
      expect(own).toEqual(theirs);
    });
  }
});
