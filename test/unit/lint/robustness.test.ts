// Hostile and accidental input: no crash, no hang, bounded work, no finding out of nowhere.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lint, ParsedDocument } from '../../../helper/lint/engine';
import type { Expr } from '../../../helper/lint/facts/index';
import { rules } from '../../../helper/lint/rules/registry';
import { facts, grammars, lintText } from './harness';

const metal = path.resolve(import.meta.dirname, '../../fixtures/lint/metal');

const importing = (body: string) => `void f(CUexternalMemory m, int fd, int x) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd};
${body}
}`;

describe('robustness', () => {
  it('survives unbalanced conditionals', () => {
    const found = lintText(
      'a.cpp',
      `#endif\n#else\n#if A\n#else\nbroken {{{\n#endif\n#endif\n#elif X\n${importing('    cuImportExternalMemory(&m, &desc);\n    close(fd);')}\n#if B\n#else\n}}}`,
    );
    expect(found.map((each) => each.ruleId)).toEqual(['fd/use-after-transfer']);
  });

  it('survives half-typed code and concludes nothing from a broken body', () => {
    expect(lintText('a.cpp', importing('    cuImportExternalMemory(&m, &desc);\n    if (x == {\n    close(fd);'))).toEqual([]);
    expect(lintText('a.py', 'import ovrtx\ndef f(m, e, s):\n    m.unmap(event=e.h, stream=\n')).toEqual([]);
  });

  it.each(['(a, b MY_CHECK((a', '(a*, b[)', '(, (', '(a, ...)', '((, ...)'])('survives a check with half a head: %s', (head) => {
    expect(lintText('a.cpp', `#include <cuda.h>\n#define MY_CHECK${head} do { if (a b) throw 1; } while (0)\nvoid f() {}\n`)).toEqual([]);
  });

  it('survives an assignment without anything before it', () => {
    expect(lintText('a.mm', '= info.mtlDevice; VkExportMetalDeviceInfoEXT')).toEqual([]);
    expect(lintText('a.mm', 'x = info.mtlDevice; VkExportMetalDeviceInfoEXT')).toEqual([]);
  });

  it.each(
    readdirSync(metal, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.mm?$/.test(name))
      .sort(),
  )('survives %s, ended behind any bracket, comma or operator', (name) => {
    const text = readFileSync(path.join(metal, name), 'utf8');
    const ends = [...text.matchAll(/[([{<,.=*&:]|->/g)].map((match) => match.index + match[0].length);
    for (const end of ends) expect(lint(name, text.slice(0, end), grammars, { rules, preview: true }).crashes, `${end}`).toEqual([]);
  });

  it('survives a variable that is computed from itself in a loop', () => {
    const text = 'int f(int n) {\n    int ret = 0;\n    do { n = n - 1; if (n < 0) goto out; } while (n);\nout:\n    return ret;\n}\n';
    expect(lintText('a.cu', `#include <cuda.h>\n${text}`)).toEqual([]);
  });

  it('follows lists that are linked in many places without end', () => {
    const step = (i: number) => `        if (g(${i})) node = node->next;\n        else if (h(${i})) node = head->next;\n`;
    const steps = Array.from({ length: 12 }, (_, i) => step(i)).join('');
    const text = `#include <cuda_runtime.h>\n#include <vulkan/vulkan.h>\nstruct Node { Node* next; int deviceUUID; };\nbool f(Node* head, int wanted) {\n    Node* node = head;\n    while (node) {\n${steps}        if (node->next->next->deviceUUID == wanted) return true;\n    }\n    return false;\n}\n`;
    expect(lintText('a.cpp', text)).toEqual([]);
  });

  it('compares the fields of a class of thousands', () => {
    const fields = (n: number) => Array.from({ length: n }, (_, i) => `  Buffer b${i}; int i${i};`).join('\n');
    expect(lintText('a.cpp', `#include <cuda.h>\nclass Buffer;\nclass Pools {\n${fields(1500)}\n};\n`)).toEqual([]);
  });

  it('reads `with` items that are continued by a backslash', () => {
    const text = 'import torch\ndef f(a, b):\n    with a as c, \\\n        b:\n        return torch.add(c, b)\n';
    const { events } = facts('a.py', text).functions.find((fn) => fn.name === 'f')!;
    expect(events.filter((event) => event.kind === 'scopeBegin')).toHaveLength(2);
  });

  it('survives deep nesting', () => {
    const deep = (open: string, close: string) => importing(`x = ${open.repeat(5000)}1${close.repeat(5000)};`);
    for (const text of [deep('(', ')'), deep('f(', ')'), importing('{'.repeat(3000) + '}'.repeat(3000)), importing(`${'if (x) '.repeat(3000)};`)])
      expect(lintText('a.cpp', text)).toEqual([]);
    expect(lintText('a.py', `import torch\nx = ${'['.repeat(3000)}${']'.repeat(3000)}\n`)).toEqual([]);
  });

  it('reads a comparison of thousands of links as a shallow one of its pairs', () => {
    const returned = (links: number) => {
      const file = facts('a.py', `import torch\ndef f(a):\n    torch.add(a)\n    return ${'a == '.repeat(links)}b\n`);
      return file.functions.flatMap((fn) => fn.events).find((event) => event.kind === 'return')!.value!;
    };
    expect(returned(2)).toMatchObject({
      op: '&&',
      left: { op: '==', right: { path: { root: 'a' } } },
      right: { op: '==', right: { path: { root: 'b' } } },
    });
    const depthOf = (expr: Expr): number => (expr.kind === 'binary' ? 1 + Math.max(depthOf(expr.left), depthOf(expr.right)) : 0);
    expect(depthOf(returned(4000))).toBeLessThan(20);
  });

  it('analyses a function with a million paths and more', () => {
    const branches = Array.from({ length: 40 }, (_, i) => `    if (g(${i})) x += ${i};`).join('\n');
    const found = lintText('a.cpp', importing(`    cuImportExternalMemory(&m, &desc);\n${branches}\n    close(fd);`));
    expect(found.map((each) => each.ruleId)).toEqual(['fd/use-after-transfer']);
  });

  it('gives up in silence where states explode', () => {
    const imports = Array.from(
      { length: 12 },
      (_, i) => `    CUresult r${i} = cuImportExternalMemory(&m, &desc);\n    desc.handle.fd = g(${i}) ? fd : x;`,
    ).join('\n');
    expect(() => lintText('a.cpp', importing(imports))).not.toThrow();
  });

  it('reads lines of all kinds alike', () => {
    const text = importing('    cuImportExternalMemory(&m, &desc);\n\tclose(fd);');
    const lines = (variant: string) => lintText('a.cpp', variant).map((each) => [each.line, each.column]);
    expect(lines(text)).toEqual([[4, 2]]);
    expect(lines(text.replace(/\n/g, '\r\n'))).toEqual([[4, 2]]);
  });

  it('handles recursion between functions', () => {
    const text = `void a(int fd); void b(int fd) { a(fd); } void a(int fd) { b(fd); }\n${importing('    cuImportExternalMemory(&m, &desc);\n    a(fd);')}`;
    expect(lintText('a.cpp', text)).toEqual([]);
  });

  it('reports a crashing rule and goes on', () => {
    const meta = { ...rules[0]!.meta, id: 'test/crash' };
    const crashing = {
      meta,
      run: () => {
        throw new Error('boom');
      },
    };
    const text = importing('    cuImportExternalMemory(&m, &desc);\n    close(fd);');
    const result = lint('a.cpp', text, grammars, { rules: [crashing, ...rules], preview: true });
    expect(result.crashes).toEqual([{ ruleId: 'test/crash', cause: 'boom' }]);
    expect(result.findings.length).toBe(1);
  });

  it('gives the same findings after edits as from scratch', () => {
    const document = new ParsedDocument(grammars);
    const versions = ['', '    close(fd);', '    close(fd);\n    int y = "', '    if (x) close(fd);', '    close(x);'].map((tail) =>
      importing(`    cuImportExternalMemory(&m, &desc);\n${tail}`),
    );
    for (const text of versions) {
      const edited = lint('a.cpp', text, grammars, { rules, preview: true }, document);
      expect(edited).toEqual(lint('a.cpp', text, grammars, { rules, preview: true }));
    }
    document.dispose();
  });

  it('takes names of the language it is written in for names', () => {
    const text =
      'void f(VkDevice d) { d.constructor(1); toString(d); valueOf(__proto__); X x = {.constructor = 1, .__proto__ = {2}}; hasOwnProperty(vkA()); }';
    expect(lintText('a.cpp', text)).toEqual([]);
  });

  it('lowers lambdas outside functions', () => {
    const text =
      'struct S { VkExternalMemoryHandleTypeFlagBits (*f)(int) = [](int x) { auto y = x; y = VK_X; return y; }; };\nauto g = [](VkDevice d) { d.x = 1; };';
    expect(lintText('a.cpp', text)).toEqual([]);
  });

  it('lowers every function once, in order of the source', () => {
    const file = facts('a.cpp', 'struct A { void m() { auto f = [] { return 1; }; } };\nvoid g(VkDevice d) {}');
    expect(file.functions.map((fn) => fn.qualifiedName)).toEqual(['A::m', 'lambda in m', 'g']);
  });
});
