// How much is done anew after an edit is counted, not timed: what does not depend on it must stay.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { Parser } from 'web-tree-sitter';
import { lint, ParsedDocument } from '../../../helper/lint/engine';
import { LoweredFile } from '../../../helper/lint/lower/file-facts';
import { LoweringMemo } from '../../../helper/lint/lower/memo';
import { rules } from '../../../helper/lint/rules/registry';
import { grammars } from './harness';

const fixtures = path.resolve(import.meta.dirname, '../../fixtures/lint');

const functions = (one: (i: number) => string) => Array.from({ length: 120 }, (_, i) => one(i)).join('\n');

const texts = {
  'a.cpp': functions(
    (i) => `void f${i}(CUexternalMemory m, int fd) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd};
    cuImportExternalMemory(&m, &desc);
    close(fd);
}`,
  ),
  'a.py': `import torch\n${functions((i) => `def f${i}(stream, x):\n    with torch.cuda.stream(stream):\n        y = x.to("cuda")\n    return y`)}\n`,
};

const options = { rules, preview: true, fixes: false };

afterEach(() => void vi.restoreAllMocks());

/** Number of pieces that are lowered for each version of a text. */
function lowered(name: string, versions: readonly string[]): number[] {
  const made = vi.spyOn(LoweringMemo.prototype, 'keep');
  const document = new ParsedDocument(grammars);
  const counts = versions.map((text) => {
    made.mockClear();
    lint(name, text, grammars, options, document);
    return made.mock.calls.length;
  });
  document.dispose();
  return counts;
}

it.each([
  ['a.cpp', '    close(fd);', '    int typed = 1;\n'],
  ['a.py', '    return y', '    typed = 1\n'],
] as const)('a statement in one function leaves the others as they were: %s', (name, before, typed) => {
  const text = texts[name];
  const at = text.lastIndexOf(before, text.length / 2);
  const edited = text.slice(0, at) + typed + text.slice(at);
  const [first = 0, after = 0, back = 0] = lowered(name, [text, edited, text]);
  expect(first).toBeGreaterThan(100);
  expect([after, back].map((count) => count > 0 && count <= 5)).toEqual([true, true]);
});

it('an empty line above everything moves all and makes little anew', () => {
  const text = texts['a.cpp'];
  const [, after = -1] = lowered('a.cpp', [text, `\n${text}`]);
  expect(after).toBeLessThanOrEqual(5);
});

/** How many characters are parsed for each version of a text. */
function parsed(name: string, versions: readonly string[]): number[] {
  const parse = vi.spyOn(Parser.prototype, 'parse');
  const document = new ParsedDocument(grammars);
  const counts = versions.map((text) => {
    parse.mockClear();
    lint(name, text, grammars, options, document);
    // Who hands over a function reads on in a whole text.
    return parse.mock.calls.reduce((sum, [input]) => sum + (typeof input === 'string' ? input.length : text.length), 0);
  });
  document.dispose();
  return counts;
}

it('of a declaration that is sound before and after nothing else is parsed', () => {
  const text = `namespace n {
struct S {
    int a() { return 1; }
    int b_ = 0;
};
${texts['a.cpp']}
}  // namespace n
`;
  const typed = (before: string, by: string) => text.replace(before, before + by);
  const places = [
    ['CUexternalMemory m, int fd) {', '\n    int typed = 1;'],
    ['return 1', '2'],
    ['int b', 'b'],
  ] as const;
  for (const [before, by] of places) {
    const [whole = 0, after = 0, back = 0] = parsed('a.cpp', [text, typed(before, by), text]);
    expect(whole).toBe(text.length);
    expect(Math.max(after, back)).toBeLessThan(500);
    expect(Math.min(after, back)).toBeGreaterThan(0);
  }
});

it('of a function that is broken while somebody types in it nothing else is parsed', () => {
  const text = texts['a.cpp'];
  const typed = (word: string) => text.replace('    close(fd);', `    close(fd)${word};`);
  const [whole = 0, ...keys] = parsed('a.cpp', [text, ...['v', 'va', 'val', 'va', 'v', ''].map(typed)]);
  expect(whole).toBe(text.length);
  expect(Math.max(...keys)).toBeLessThan(500);
  expect(Math.min(...keys)).toBeGreaterThan(0);
});

it('a text that is looked at again is not parsed again', () => {
  expect(parsed('a.cpp', [texts['a.cpp'], texts['a.cpp']])[1]).toBe(0);
});

/** A text that has all that is looked for in whole texts: directives, annotations, suppressions, findings. */
const commented = `#define A 1\n// seamscope: closes(fd)\nvoid shut(int fd);\n${functions(
  (i) => `#define B${i} ${i}
void g${i}(CUexternalMemory m, int fd) {  // takes it
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd};
    cuImportExternalMemory(&m, &desc);
    close(fd);  // seamscope-disable-line fd/use-after-transfer -- as it is
}`,
)}\n`;

it('comments, directives and lines are looked for near the edit only', () => {
  const search = vi.spyOn(String.prototype, 'matchAll');
  const document = new ParsedDocument(grammars);
  const looked = [commented, commented.replace('g60(CUexternalMemory m, int fd) {', '$&\n    int typed = 1;'), commented].map((text) => {
    search.mockClear();
    lint('a.cpp', text, grammars, options, document);
    return search.mock.contexts.reduce<number>((sum, searched) => sum + String(searched).length, 0);
  });
  document.dispose();
  expect(looked[0]).toBeGreaterThan(commented.length);
  expect(Math.max(...looked.slice(1))).toBeLessThan(commented.length / 4);
});

it('rules run for the function that an edit changes, not for each', () => {
  const run = vi.spyOn(LoweredFile.prototype, 'withSubject');
  const document = new ParsedDocument(grammars);
  const runs = [commented, commented.replace('g60(CUexternalMemory m, int fd) {', '$&\n    int typed = 1;'), commented].map((text) => {
    run.mockClear();
    lint('a.cpp', text, grammars, options, document);
    return run.mock.calls.length;
  });
  document.dispose();
  expect(runs[0]).toBeGreaterThan(100 * rules.length * 0.5);
  expect(Math.max(...runs.slice(1))).toBeLessThan(2 * rules.length);
});

/** Whatever rules look for is in it. */
const everything = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.cpp'))
  .sort()
  .map((file) => readFileSync(path.join(fixtures, file), 'utf8'))
  .reduce((all, each) => (all.length + each.length < 250_000 ? `${all}\n${each}` : all), '');

it.each([
  ['a plain function', '\nint plain(int a) {\n    return a;\n}\n', '    return a;'],
  [
    'an import',
    '\nint adopt(CUexternalMemory* m, int fd) {\n    CUDA_EXTERNAL_MEMORY_HANDLE_DESC d{};\n    d.handle.fd = fd;\n    return cuImportExternalMemory(m, &d);\n}\n',
    '    return cuImport',
  ],
])('among all that rules look for, an edit of %s has few rules run again', { timeout: 60_000 }, (_, added, before) => {
  const run = vi.spyOn(LoweredFile.prototype, 'withSubject');
  const document = new ParsedDocument(grammars);
  const text = `${everything}\n${added}`;
  const at = text.lastIndexOf(before);
  const runs = [text, `${text.slice(0, at)}    int typed = 1;\n${text.slice(at)}`, text].map((each) => {
    run.mockClear();
    lint('a.cpp', each, grammars, options, document);
    return run.mock.calls.length;
  });
  document.dispose();
  expect(runs[0]).toBeGreaterThan(100 * rules.length * 0.5);
  expect(Math.min(...runs.slice(1))).toBeGreaterThan(0);
  expect(Math.max(...runs.slice(1))).toBeLessThan(3 * rules.length);
});

it('a statement in a method of Python leaves the other classes as they were', () => {
  const run = vi.spyOn(LoweredFile.prototype, 'withSubject');
  const one = (i: number) =>
    `class C${i}:\n    def __init__(self, x):\n        self.x = x\n\n    def f(self, stream):\n        return self.x.to("cuda")\n\n`;
  const text = `import torch\n\n\n${functions(one)}`;
  const document = new ParsedDocument(grammars);
  const runs = [text, text.replace('class C60:\n    def __init__(self, x):\n', '$&        y = 1\n'), text].map((each) => {
    run.mockClear();
    lint('a.py', each, grammars, options, document);
    return run.mock.calls.length;
  });
  document.dispose();
  expect(runs[0]).toBeGreaterThan(100 * 20);
  // The module, the method and its class.
  expect(Math.max(...runs.slice(1))).toBeLessThan(4 * rules.length);
});
