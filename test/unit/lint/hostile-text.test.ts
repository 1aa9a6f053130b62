// Long lines and rows of one thing, as machines write them: the time to read them grows with their length and not faster. A pattern that tries every
// beginning, or reads a row in more ways than one, takes minutes here.
import { describe, expect, it } from 'vitest';
import { opaqueEffects } from '../../../helper/lint/effects/file-effects';
import { facts, lintText } from './harness';

/** Ends that never come are seen by the time limit, which is ten times what the slowest machine needs. */
const guardMs = 120_000;

const inFunction = (text: string) => `#include <cuda.h>\nvoid f(int a) {\n    ${text}\n    cuInit(a);\n}\n`;

describe('patterns', () => {
  it.each([
    [
      'a row of slashes below a macro without semicolon',
      `#include <cuda.h>\nvoid f(int a) {\n    BEGIN(a)\n    ${'/'.repeat(300)}\n#pragma x\n    cuInit(a);\n}\n`,
    ],
    ['a row of slashes as the first argument', inFunction(`g(.a = 1, ${'/'.repeat(300)}\n 2);`)],
    ['a row of comments as the first argument', inFunction(`g(.a = 1, ${'/* a */'.repeat(60)} 2);`)],
    [
      'a condition of the preprocessor in thousands of parentheses',
      `#include <cuda.h>\n#if ${'('.repeat(20_000)}\n#endif\nvoid f() { cuInit(0); }\n`,
    ],
    [
      'a condition of the preprocessor that is denied thousands of times',
      `#include <cuda.h>\n#if ${'!'.repeat(20_000)}A\n#endif\nvoid f() { cuInit(0); }\n`,
    ],
    ['calls of calls with angle brackets', inFunction(`x = a${' < a'.repeat(4000)}${'(a)'.repeat(200)};`)],
    ['arguments with designators that are never closed', inFunction(`x${'(.a = b'.repeat(10_000)};`)],
    ['a string that is never closed, full of quotes', inFunction(`x = "${'\\"a'.repeat(30_000)};`)],
    ['a word of capitals behind a literal', inFunction(`g("x" ${'A'.repeat(50_000)});`)],
  ])('read in one way only: %s', { timeout: guardMs }, (_name, text) => {
    expect(lintText('a.cpp', text)).toEqual([]);
  });

  it('follow a module of thousands of calls', { timeout: guardMs }, () => {
    expect(lintText('a.py', `import torch\n${'x = torch.add(1, 2)\n'.repeat(6000)}`)).toEqual([]);
  });

  it.each([
    ['mapped and unmapped', 'm.map()\nglBegin(q)\nm.unmap()\n'],
    ['recorded and waited for', 'e.record(s)\ns.wait_event(e)\ntorch.cuda.synchronize()\n'],
  ])('follow a module of what is %s thousands of times', { timeout: guardMs }, (_, rows) => {
    expect(lintText('a.py', `import torch, cupy\n${rows.repeat(2000)}`)).toEqual([]);
  });

  it('follows hundreds of functions that all call each other through one', { timeout: guardMs }, () => {
    const each = Array.from({ length: 500 }, (_, i) => `void put${i}(int fd) {\n  put(${i}, fd);\n  put(${i + 1}, fd);\n  close(fd);\n}\n`);
    const cases = each.map((_, i) => `    case ${i}:\n      put${i}(fd);\n      break;\n`).join('');
    expect(lintText('a.cpp', `void put(int n, int fd) {\n  switch (n) {\n${cases}  }\n}\n${each.join('')}VkResult none();\n`)).toEqual([]);
  });

  it('follows a descriptor through hundreds of blocks that two arms begin', { timeout: guardMs }, () => {
    const arms = Array.from({ length: 400 }, (_, i) => `#ifdef A${i}\ncudaFree(0); if (g) {\n#else\nif (!g) {\n#endif\n close(g); }\n`);
    expect(lintText('a.cpp', `#include <cuda_runtime.h>\nvoid f(int fd) {\nint g = dup(fd);\n${arms.join('')}}\n`)).toHaveLength(1);
  });

  it('reads tens of thousands of lines that are commented out, and what is said in them', { timeout: guardMs }, () => {
    const row = '# old(x)\n'.repeat(20_000);
    const text = `import torch\ndef f(x):\n    a = torch.add(x, 1)\n${row}    # seamscope-disable-next-line fd/leak -- old\n${row}    return torch.add(a, x)\n`;
    expect(lintText('a.py', text).map((found) => [found.ruleId, found.line])).toEqual([['suppression/unused', 20_004]]);
    expect(facts('a.py', text).functions.find((fn) => fn.name === 'f')!.calls).toHaveLength(2);
  });

  it.each(['a', 'A', '_', ' ', 'virtual ', 'a(', '('])('find definitions in a row of %j', { timeout: guardMs }, (unit) => {
    const text = `virtual ${unit.repeat(100_000 / unit.length)}; void f() {}; struct S { virtual int v(int); int ~S() override; };`;
    expect(opaqueEffects(text, 'cpp', (name) => /^(f|v|~S)$/.test(name))).toMatchObject({ functions: [{ name: 'f' }], virtual: ['v', '~S'] });
  });
});
