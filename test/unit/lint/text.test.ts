import { describe, expect, it } from 'vitest';
import { armNote, selectArms } from '../../../helper/lint/text/arms';
import { blankAttributes } from '../../../helper/lint/text/attributes';
import { evaluateCondition } from '../../../helper/lint/text/conditions';
import { decode, maxBytes } from '../../../helper/lint/text/decode';
import { directivesOf } from '../../../helper/lint/text/directives';
import { LineIndex } from '../../../helper/lint/text/lines';
import { plainMacroCalls } from '../../../helper/lint/text/macro-calls';
import { bytesMayTouchSeam, mayTouchSeam } from '../../../helper/lint/text/prefilter';
import { blankStatementMacros } from '../../../helper/lint/text/statement-macros';
import { tokenize } from '../../../helper/lint/text/tokens';

const words = (text: string) => text.split(/\s+/).filter(Boolean);

describe('arms', () => {
  it('gives _WIN32 one value in the whole text', () => {
    const text = '#ifdef _WIN32\nw1\n#else\np1\n#endif\n#if !defined(_WIN32)\np2\n#else\nw2\n#endif\n#ifndef _WIN32\np3\n#endif\n';
    expect(selectArms(text).map((arm) => [words(arm.text), arm.label])).toEqual([
      [['p1', 'p2', 'p3'], 'not Windows'],
      [['w1', 'w2'], 'Windows'],
    ]);
  });

  it.each([
    ['OS_UNIX', 'OS_WINDOWS'],
    ['PLATFORM_LINUX', 'PLATFORM_WINDOWS'],
    ['__linux__', '_WIN32'],
    ['PLATFORM == PLATFORM_LINUX', 'PLATFORM == PLATFORM_WIN64'],
    ['Q_OS_UNIX', 'Q_OS_WIN'],
    ['MY_HAVE_POSIX', 'defined(MY_WIN32)'],
    ['PLATFORM != PLATFORM_WINDOWS', 'PLATFORM == PLATFORM_WINDOWS'],
  ])('never takes %s and %s to hold at once', (unix, windows) => {
    const text = `#if ${unix}\np\n#endif\n#if ${windows}\nw\n#endif\n#if defined(__APPLE__) || OS_MACOS\nm\n#endif\n`;
    expect(selectArms(text).map((arm) => words(arm.text))).toEqual([['p'], ['w']]);
  });

  it('shows what is for Windows inside of a feature in an arm of its own', () => {
    const text = '#ifdef FEATURE\n#ifdef _WIN32\nw\n#else\np\n#endif\nf\n#else\nn\n#endif\n';
    expect(selectArms(text).map((arm) => [words(arm.text), arm.label])).toEqual([
      [['p', 'f'], 'not Windows, with FEATURE'],
      [['n'], 'Windows, without FEATURE'],
      [['w', 'f'], 'Windows, with FEATURE'],
    ]);
  });

  it.each(['#include <a.h>', '#pragma once', '#error no', '#line 3', '#warning "x"', '#define B', '#undef B'])(
    'goes on behind %s inside of a condition and of an include guard',
    (directive) => {
      const text = `#ifndef GUARD_H\n#define GUARD_H\n${directive}\n#ifdef A\n${directive}\na\n#else\nn\n#endif\nb\n#endif\n`;
      const shown = selectArms(text).map((arm) => [words(arm.text.replace(/^#.*$/gm, '')), arm.label]);
      expect(shown).toEqual([
        [['a', 'b'], 'with A'],
        [['n', 'b'], 'without A'],
      ]);
    },
  );

  it.each([
    [['not Windows, with A'], 'Only where _WIN32 is not defined.'],
    [['not Windows, with A', 'Windows, with A'], 'Only where A is set.'],
    [['Windows, without A', 'Windows, with A'], 'Only where _WIN32 is defined.'],
    [['without A'], 'Only where A is not set.'],
    [['with A == B, with C'], ''],
  ])('says what the arms %j share', (labels, note) => {
    expect(armNote(labels)).toBe(note);
  });

  it('keeps every offset and line end', () => {
    const text = 'a\r\n#if 0\r\n  gone\r\n#else\r\n\tkept\r\n#endif\r\nb\n';
    const [arm] = selectArms(text);
    expect(arm!.text.length).toBe(text.length);
    expect(arm!.text.indexOf('kept')).toBe(text.indexOf('kept'));
    expect(arm!.text.replace(/[^\r\n]/g, '')).toBe(text.replace(/[^\r\n]/g, ''));
  });

  const oneArm: [string, string, string[]][] = [
    ['#if 0 is off', '#if 0\nx\n#endif\ny', ['y']],
    ['#if 1 is on', '#if 1\nx\n#else\ny\n#endif', ['x']],
    ['__cplusplus is on in C++', '#ifdef __cplusplus\nx\n#endif', ['x']],
    ['an include guard is no condition', '#ifndef A_H\n#define A_H\nx\n#endif', ['#define', 'A_H', 'x']],
    ['a missing #endif ends with the text', '#if 1\nx', ['x']],
    ['stray #endif and #else are nothing', '#endif\nx\n#else\ny', ['x', 'y']],
    ['a directive in a comment is none', '/*\n#if 0\n*/\nx', ['/*', '#if', '0', '*/', 'x']],
    ['another platform is off', '#ifdef __APPLE__\nx\n#else\ny\n#endif', ['y']],
    ['a macro that the file defines is defined', '#define HAS 1\n#ifdef HAS\nx\n#else\ny\n#endif', ['#define', 'HAS', '1', 'x']],
    ['a macro that the file defines as 0 is off', '#define HAS 0 // yet\n#if HAS\nx\n#else\ny\n#endif', ['#define', 'HAS', '0', '//', 'yet', 'y']],
    ['a macro that the file defines as 0 is defined', '#define HAS 0\n#ifdef HAS\nx\n#endif', ['#define', 'HAS', '0', 'x']],
    ['elif after a taken arm is off', '#if 1\nx\n#elif 1\ny\n#endif', ['x']],
    ['nested in an inactive arm', '#if 0\n#if 1\nx\n#else\ny\n#endif\n#endif\nz', ['z']],
  ];
  it.each(oneArm)('%s', (_name, text, expected) => {
    expect(selectArms(text).map((arm) => words(arm.text))).toEqual([expected]);
  });

  it('__cplusplus is off in C', () => {
    expect(words(selectArms('#ifdef __cplusplus\nx\n#else\ny\n#endif', true)[0]!.text)).toEqual(['y']);
  });

  const conditions: [string, boolean][] = [
    ['defined(A) && !defined(B)', true],
    ['defined A || 0', true],
    ['!A', false],
    ['(B || A) && 1', true],
    ['VERSION >= 11040', true],
    ['0 /* off */', false],
    ['', false],
    ['((((', false],
  ];
  it.each(conditions)('condition %s', (text, expected) => {
    expect(evaluateCondition(text, (atom) => atom !== 'B' && atom !== '')).toBe(expected);
  });
});

it('attribute macros are blanked where they are attributes', () => {
  expect(words(blankAttributes('VKAPI_ATTR VkResult VKAPI_CALL f(); FOO_API int g(); __declspec(dllexport) int h(); MY_API(x);'))).toEqual(
    words('VkResult f(); int g(); int h(); MY_API(x);'),
  );
});

describe('macro calls', () => {
  it.each([
    ['CHECK(x, "t", );', 'CHECK(x, "t"  );'],
    ['  list_for_each(a, &b, link) {', '  while(or_each(a, &b, link)){'],
    ['  FOR_EACH(a, f(b))\n  {', '  while(CH(a, f(b))\n ){'],
  ])('%j is read as %j', (text, plain) => {
    expect(plainMacroCalls(text)).toBe(plain);
    expect(plain.length).toBe(text.length);
  });

  it.each(['  list_for_each(a, b, link);', '  list_for_each(a){', 'void for_each(int a) {', 'f(a, b);'])('leaves %j alone', (text) => {
    expect(plainMacroCalls(text)).toBe(text);
  });
});

describe('macros that stand alone', () => {
  it.each([
    ['{\n  TRACE(A, 3)\n  return f();\n}', '{\n             \n  return f();\n}'],
    ['{\n  a();\n  cudaCheckError()\n  b();\n}', '{\n  a();\n                  \n  b();\n}'],
    ['{\n  START\n  b();\n}', '{\n       \n  b();\n}'],
  ])('a macro that stands alone is no statement: %j', (text, plain) => {
    expect(blankStatementMacros(text)).toBe(plain);
  });

  it.each([
    '\n  START_TIMER\n  b();\n',
    '{\n  CHECK(result)\n  b();\n}',
    '{\n  CUDA_TRY(cudaFree(p))\n  b();\n}',
    '{\n  close(fd)\n  b();\n}',
    '{\n  Name(A)\n  const {\n}',
    '{\n  LOG(INFO)\n  << "x";\n}',
  ])('leaves %j alone', (text) => {
    expect(blankStatementMacros(text)).toBe(text);
  });
});

describe('decoding', () => {
  const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
  it('reads UTF-8, with and without a mark', () => {
    expect(decode(Buffer.from('\ufeffä'))).toEqual({ text: 'ä', encoding: 'utf-8' });
  });
  it('reads UTF-16 of both orders', () => {
    expect(decode(utf16('int ä;'))).toEqual({ text: 'int ä;', encoding: 'utf-16le' });
    expect(decode(Buffer.from(utf16('int ä;')).swap16())).toEqual({ text: 'int ä;', encoding: 'utf-16be' });
  });
  it('reads broken UTF-8 as Latin-1, one column a byte', () => {
    expect(decode(Buffer.from([0x61, 0xe4, 0x62]))).toEqual({ text: 'aäb', encoding: 'latin-1' });
  });
  it.each([utf16('int f();\n').subarray(2), Buffer.from(utf16('int f();\n')).swap16().subarray(2)])('names UTF-16 without its mark', (bytes) => {
    expect(decode(bytes)).toEqual({ refused: 'it is UTF-16 without its mark, which is not read: save it as UTF-8' });
  });
  it('refuses binaries and giants with the reason', () => {
    expect(decode(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0]))).toEqual({
      refused: expect.stringMatching(/^it is a binary file, not source text: /),
    });
    for (const mark of [
      [0xff, 0xfe, 0, 0],
      [0, 0, 0xfe, 0xff],
    ])
      expect(decode(Buffer.from(mark))).toMatchObject({ refused: expect.stringMatching(/UTF-32/) });
    expect(decode(new Uint8Array(maxBytes + 1))).toMatchObject({ refused: expect.stringContaining('2.0 MiB') });
  });
});

it('lines end with \\n, \\r\\n and lone \\r', () => {
  const lines = new LineIndex('a\nb\r\nc\rd');
  expect(['a', 'b', 'c', 'd'].map((letter) => lines.at('a\nb\r\nc\rd'.indexOf(letter)))).toEqual([1, 2, 3, 4].map((line) => ({ line, column: 1 })));
  expect([1, 2, 3, 4, 5].map((line) => lines.line(line))).toEqual(['a', 'b', 'c', 'd', '']);
});

it('the pre-filter lets through what names the seam', () => {
  for (const text of [
    'vkGetMemoryFdKHR(',
    'cudaFree(x)',
    'k<<<1, 2>>>()',
    'DLManagedTensor* m',
    'x.unmap(event=e)',
    'vk::Device d',
    'eglTerminate(d)',
    'import torch',
    '#include <thrust/device_vector.h>',
    'import rmm',
  ])
    expect([text, mayTouchSeam(text)]).toEqual([text, true]);
  for (const text of ['int main() { return 0; }', 'import os', '// nothing to see', 'focus = Cucumber()'])
    expect([text, mayTouchSeam(text)]).toEqual([text, false]);
  expect(bytesMayTouchSeam(Buffer.from('\ufeffint x;', 'utf16le'))).toBe(true);
});

it('directives keep continuation lines', () => {
  expect(directivesOf('#include <vulkan/vulkan.h>\n#define CHECK(x) \\\n  do { x; } while (0)\n#undef cuDeviceGetUuid\n')).toMatchObject([
    { kind: 'include', name: 'vulkan/vulkan.h' },
    { kind: 'define', name: 'CHECK', params: ['x'], body: expect.stringContaining('while (0)') },
    { kind: 'undef', name: 'cuDeviceGetUuid' },
  ]);
});

it('tokens have no comments', () => {
  expect(tokenize('[blit sync:r]; // no\n/* no */ @"a b" 0x1F').map((each) => each.text)).toEqual([
    '[',
    'blit',
    'sync',
    ':',
    'r',
    ']',
    ';',
    '@"a b"',
    '0x1F',
  ]);
});
