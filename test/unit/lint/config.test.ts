// seamscope.json: what is read, what is refused and where, and what it changes.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import { describe, expect, it } from 'vitest';
import { pathMatcher } from '../../../helper/lint/config/globs';
import { readConfig } from '../../../helper/lint/config/read';
import { type LintOptions, lint } from '../../../helper/lint/engine';
import { rules } from '../../../helper/lint/rules/registry';
import { grammars } from './harness';

const ids = rules.map((rule) => rule.meta.id);

/** [problem, the text at its place] of a configuration. */
function problemsIn(text: string) {
  return readConfig(text, ids).problems.map(({ span, message }) => [message, text.slice(span.start, span.end)]);
}

function found(text: string, config: object, options: Partial<LintOptions> = {}, name = 'a.cpp') {
  const { config: read, problems } = readConfig(JSON.stringify(config), ids);
  expect(problems).toEqual([]);
  const all = { rules, preview: read.preview ?? false, levels: read.levels, extra: read.extra, ...options };
  return lint(name, text, grammars, all).findings.map(({ line, ruleId, severity }) => `${line} ${ruleId} ${severity}`);
}

const imported = (body: string) => `void f(CUexternalMemory m, int fd) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd};
    cuImportExternalMemory(&m, &desc);
${body}
}
`;

describe('what is wrong in seamscope.json is told at its place', () => {
  it.each([
    ['', 'The file is empty. Write {} where nothing is to be set.', ''],
    [' \n', 'The file is empty. Write {} where nothing is to be set.', ' \n'],
    ['{"preview": ', 'A value is missing here: the file ends.', ''],
    ['{', 'A name in double quotes is missing here: the file ends.', ''],
    ['{"rules": {"fd/leak": "off",}}', 'JSON allows no comma before a closing bracket, not "}".', '}'],
    ['{"rules": {"fd/leak" "off"}}', 'A colon is missing here, not """.', '"'],
    ['{"preview": yes}', 'A value is missing here, not "yes".', 'yes'],
    ['{"preview": true} x', 'Nothing may follow the closing brace, not "x".', 'x'],
    ['// why\n{}', 'JSON allows no comments, not "/".', '/'],
    ['{"ignore": ["a]}', 'This string does not end, not """.', '"'],
    ['{"ignore": ["\\x"]}', 'This string contains a wrong escape or a control character.', '"\\x"'],
    ['{"preview": true, "preview": false}', '"preview" is given twice.', '"preview"'],
    ['[]', 'An object in braces is wanted for the file.', '[]'],
    ['{"rulez": {}}', '"rulez" is unknown here. Did you mean rules?', '"rulez"'],
    ['{"files": {}}', '"files" is unknown here. Known: preview, rules, ignore, functions, checks.', '"files"'],
    ['{"$schema": 5}', 'A string in double quotes is wanted here.', '5'],
    ['{"rules": {"fd/laek": "off"}}', 'There is no rule "fd/laek". Did you mean fd/leak?', '"fd/laek"'],
    ['{"rules": {"fd": "off"}}', 'There is no rule "fd". Did you mean fd/*?', '"fd"'],
    ['{"rules": {"fd/leak": 2}}', 'For the level of fd/leak one of "off", "on", "info", "warning", "error" is wanted.', '2'],
    ['{"rules": {"*": "warn"}}', expect.stringMatching(/is wanted\. Did you mean "warning"\?$/), '"warn"'],
    ['{"ignore": ["a", ""]}', 'This pattern names no path.', '""'],
    ['{"ignore": ["!./"]}', 'This pattern names no path.', '"!./"'],
    ['{"ignore": ["build "]}', 'This pattern begins or ends with a blank.', '"build "'],
    ['{"ignore": ["../x/**"]}', expect.stringMatching(/^This pattern leads out of the folder/), '"../x/**"'],
    ['{"ignore": ["C:/x"]}', expect.stringMatching(/^This pattern leads out of the folder/), '"C:/x"'],
    ['{"ignore": ["src\\\\gen"]}', 'This pattern has backslashes: folders are divided by "/".', '"src\\\\gen"'],
    ['{"functions": {"take it": {}}}', expect.stringMatching(/^"take it" is no name of a function or macro\./), '"take it"'],
    ['{"functions": {"f": {"paramters": []}}}', '"paramters" is unknown here. Did you mean parameters?', '"paramters"'],
    ['{"functions": {"f": {"parameters": ["x", "x"], "consumes": ["x"]}}}', expect.stringMatching(/^"x" stands more than once/), '"x"'],
    [
      '{"functions": {"f": {"parameters": ["sock"], "closes": ["socket"]}}}',
      '"socket" is not among the "parameters". Did you mean sock?',
      '"socket"',
    ],
    ['{"functions": {"f": {"exports": "retrun"}}}', '"retrun" is not among the "parameters". Did you mean return?', '"retrun"'],
    ['{"functions": {"f": {"like": "cuStreamWaitEvnt"}}}', expect.stringMatching(/tables\. Did you mean cuStreamWaitEvent\?$/), '"cuStreamWaitEvnt"'],
    ['{"checks": {"": "log"}}', expect.stringMatching(/^"" is no name of a function or macro\./), '""'],
    ['{"checks": {"TRY": {}}}', 'This tells nothing. Write {"jumps": "LABEL"}.', '{}'],
    ['{"checks": {"TRY": {"jumps": ""}}}', 'A label is wanted here.', '""'],
    ['{"rules": {"fd/nonsense": "off"}}', 'There is no rule "fd/nonsense".', '"fd/nonsense"'],
    ['{"rules": {"fd/leak": "fatal"}}', 'For the level of fd/leak one of "off", "on", "info", "warning", "error" is wanted.', '"fatal"'],
    ['{"ignore": "build"}', 'A list of strings in brackets is wanted for "ignore".', '"build"'],
    ['{"functions": {"f": {"parameters": ["x"], "consumes": ["fd"]}}}', '"fd" is not among the "parameters".', '"fd"'],
    ['{"functions": {"f": {"like": "cuNonsense"}}}', '"cuNonsense" is in none of the tables.', '"cuNonsense"'],
    ['{"functions": {"f": {"constructor": true}}}', expect.stringMatching(/^"constructor" is unknown here/), '"constructor"'],
    [
      '{"checks": {"TRY": "explode"}}',
      'For what TRY does one of "return", "throw", "abort", "log" is wanted. Or write {"jumps": "LABEL"}.',
      '"explode"',
    ],
  ])('%s', (text, message, at) => {
    expect(problemsIn(text)).toEqual([[message, at]]);
  });

  it('survives deep nesting', () => {
    expect(problemsIn('['.repeat(100_000))[0]![0]).toMatch(/nested too deeply/);
  });

  it('keeps what is right beside what is wrong', () => {
    const { config, problems } = readConfig('{"preview": 1, "rules": {"fd/leak": "off", "x": "off"}, "ignore": ["a", 2]}', ids);
    expect(problems.length).toBe(3);
    expect([config.levels.get('fd/leak'), config.ignore, config.preview]).toEqual(['off', ['a'], undefined]);
  });
});

describe('levels', () => {
  const faulty = imported('    close(fd);');
  it.each([
    [{}, ['4 fd/use-after-transfer error']],
    [{ rules: { 'fd/use-after-transfer': 'info' } }, ['4 fd/use-after-transfer info']],
    [{ rules: { 'fd/use-after-transfer': 'off' } }, []],
    [{ rules: { 'fd/*': 'off' } }, []],
    [{ rules: { '*': 'off', 'fd/*': 'warning' } }, ['4 fd/use-after-transfer warning']],
    [{ rules: { 'fd/*': 'off', 'fd/use-after-transfer': 'on' } }, ['4 fd/use-after-transfer error']],
  ])('%j', (config, expected) => {
    expect(found(faulty, config)).toEqual(expected);
  });

  it('a rule that was asked for by name is on whatever the file says', () => {
    expect(found(faulty, { rules: { '*': 'off' } }, { asked: true })).toEqual(['4 fd/use-after-transfer error']);
  });
});

describe('functions of the project', () => {
  it('take ownership', () => {
    const config = (result?: string) => ({ functions: { adoptFd: { parameters: ['context', 'fd'], consumes: ['fd'], ...(result && { result }) } } });
    expect(found('void f(int fd) {\n  adoptFd(0, fd);\n  close(fd);\n}\n', config())).toEqual(['3 fd/use-after-transfer error']);
    expect(found('void f(int fd) {\n  if (!adoptFd(0, fd)) close(fd);\n}\n', config('bool'))).toEqual([]);
    expect(found('void f(int fd) {\n  if (adoptFd(0, fd)) close(fd);\n}\n', config('bool'))).toEqual(['2 fd/use-after-transfer error']);
  });

  it('of which the result is not known are silent where the code looks at it', () => {
    const config = { functions: { adoptFd: { parameters: ['fd'], consumes: ['fd'] } } };
    expect(found('void f(int fd) {\n  if (adoptFd(fd) < 0) close(fd);\n}\n', config)).toEqual([]);
  });

  it('export a descriptor that the caller owns', () => {
    const text = `int g(cudaExternalMemory_t* m) {
  int fd = exportFrame(3);
  cudaExternalMemoryHandleDesc d{};
  d.type = cudaExternalMemoryHandleTypeOpaqueFd;
  d.handle.fd = fd;
  if (cudaImportExternalMemory(m, &d) != cudaSuccess) return 1;
  return 0;
}
`;
    expect(found(text, {})).toEqual([]);
    expect(found(text, { functions: { exportFrame: { parameters: ['index'], exports: 'return' } } })).toEqual(['6 fd/leak-on-failure warning']);
  });

  it('stand for a known one', () => {
    const config = { functions: { 'gpu::closeFd': { like: 'close' }, '.dispose': { parameters: ['fd'], closes: ['fd'] } } };
    expect(found(imported('    gpu::closeFd(fd);'), config)).toEqual(['4 fd/use-after-transfer error']);
    expect(found(imported('    pool.dispose(fd);'), config)).toEqual(['4 fd/use-after-transfer error']);
    expect(found(imported('    dispose(fd);'), config)).toEqual([]);
  });
});

describe('checks of the project', () => {
  const text = (check: string) => `int f(int shared, cudaExternalMemory_t* m) {
  int fd = dup(shared);
  cudaExternalMemoryHandleDesc d{};
  d.type = cudaExternalMemoryHandleTypeOpaqueFd;
  d.handle.fd = fd;
  ${check}(cudaImportExternalMemory(m, &d));
  return 0;
cleanup:
  close(fd);
  return 1;
}
`;
  it.each([
    ['return', ['6 fd/leak-on-failure warning']],
    ['throw', ['6 fd/leak-on-failure warning']],
    [{ jumps: 'cleanup' }, []],
    ['abort', []],
    ['log', ['7 fd/leak-on-failure warning']],
  ])('%j', (effect, expected) => {
    expect(found(text('TRY_GPU'), { checks: { TRY_GPU: effect } })).toEqual(expected);
  });
});

describe('ignore patterns', () => {
  it.each([
    ['third_party/**', ['third_party/a.cpp', 'third_party/x/a.cpp'], ['src/third_party/a.cpp', 'third_party2/a.cpp']],
    ['build/', ['build/a.cpp', 'src/build/x/a.cpp'], ['rebuild/a.cpp', 'build.cpp']],
    ['*.generated.cu', ['a.generated.cu', 'x/y/a.generated.cu'], ['a.generated.cuh', 'agenerated.cu']],
    ['src/*.cpp', ['src/a.cpp'], ['src/x/a.cpp', 'x/src/a.cpp']],
    ['**/gen/*.{cpp,cu}', ['gen/a.cpp', 'x/gen/a.cu'], ['gen/a.py', 'gen/x/a.cpp']],
    ['a?[0-9].cpp', ['ab1.cpp'], ['a1.cpp', 'abc.cpp']],
    ['odd{name', ['odd{name', 'x/odd{name/a.cpp'], ['oddname']],
  ])('%s', (pattern, inside, outside) => {
    const matches = pathMatcher([pattern]);
    expect([...inside, ...outside].filter(matches)).toEqual(inside);
  });

  it.each([
    ['*a'.repeat(60), 'a'.repeat(200), true],
    ['*a'.repeat(60), 'b'.repeat(200), false],
    [`${'**/'.repeat(200)}x`, 'a/'.repeat(100), false],
    ['{*a*,*b*}'.repeat(30), 'ab'.repeat(100), true],
    ['[z-a]b', 'zb', false],
  ])('take no longer than the path is long: %.12s', { timeout: 60_000 }, (pattern, file, matches) => {
    expect(pathMatcher([pattern])(file)).toBe(matches);
  });

  it('take back what a later pattern excepts', () => {
    const matches = pathMatcher(['vendor/**', '!vendor/ours/**']);
    expect(['vendor/a.cpp', 'vendor/ours/a.cpp'].filter(matches)).toEqual(['vendor/a.cpp']);
  });
});

describe('annotations in the code', () => {
  const adopts = (comment: string, declaration: string) => `${comment}\n${declaration}\nvoid f(int own) {\n  take(7, own);\n  close(own);\n}\n`;
  it.each([
    ['// seamscope: takes-ownership(shared)', 'void take(int size, int shared);'],
    ['// seamscope: takes-ownership(shared) -- the pool closes it', '[[maybe_unused]] static inline void take(int size, const int shared = -1);'],
    ['/* seamscope: takes-ownership(shared) */\n// More about it.', 'void take(std::pair<int, int> size, int shared) { keep(shared); }'],
    ['', 'void take(int size, int shared);  // seamscope: takes-ownership(shared)'],
  ])('%s %s', (comment, declaration) => {
    expect(found(adopts(comment, declaration), {}).map((each) => each.split(' ')[1])).toEqual(['fd/use-after-transfer']);
  });

  it('say nothing about other functions', () => {
    expect(found(adopts('// seamscope: takes-ownership(size)', 'void take(int size, int shared);'), {})).toEqual([]);
    expect(found(adopts('// takes-ownership(shared)', 'void take(int size, int shared);'), {})).toEqual([]);
  });

  it('tell what a check macro does', () => {
    const text = (effect: string) => `#include <cuda_runtime.h>
// seamscope: check(${effect})
#define GPU(x) gpu_check_(x, __FILE__)
int f(int shared, cudaExternalMemory_t* m) {
  int fd = dup(shared);
  cudaExternalMemoryHandleDesc d{};
  d.type = cudaExternalMemoryHandleTypeOpaqueFd;
  d.handle.fd = fd;
  GPU(cudaImportExternalMemory(m, &d));
  return 0;
}
`;
    expect(found(text('throw'), {})).toEqual(['9 fd/leak-on-failure warning']);
    expect(found(text('abort'), {})).toEqual([]);
  });

  it('of Python reach the tables', () => {
    const text = `import os
# seamscope: takes-ownership(fd)
def adopt(self, fd: int = 3): ...
`;
    expect(found(text, {}, {}, 'a.py')).toEqual([]);
  });
});

describe('the schema that the editor uses', () => {
  const file = path.resolve(import.meta.dirname, '../../../extension/schemas/seamscope.schema.json');
  const validate = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(file, 'utf8')));
  const whole = {
    preview: true,
    rules: { 'fd/leak': 'off', 'sync/*': 'warning', '*': 'on' },
    ignore: ['third_party/**'],
    functions: {
      take: { parameters: ['context', 'fd'], consumes: ['fd'], result: 'bool' },
      '.wait': { parameters: ['stream', 'event'], waits: ['event'], signals: [], destroys: [], closes: [] },
      give: { parameters: ['fd'], exports: 'fd' },
      own: { like: 'cuStreamWaitEvent' },
    },
    checks: { TRY: 'return', JUMP: { jumps: 'cleanup' } },
  };

  it('and the linter accept the same', () => {
    expect(problemsIn(JSON.stringify(whole))).toEqual([]);
    expect([validate(whole), validate.errors]).toEqual([true, null]);
  });

  it.each([
    { rulez: {} },
    { rules: { 'fd/nonsense': 'off' } },
    { rules: { 'fd/leak': 'loud' } },
    { preview: 1 },
    { ignore: 'x' },
    { ignore: [1] },
    { functions: { f: { consume: ['fd'] } } },
    { functions: { f: { result: 'maybe' } } },
    { functions: { f: 1 } },
    { checks: { TRY: 'explode' } },
    { checks: { TRY: { leaps: 'x' } } },
    { checks: { TRY: { jumps: '' } } },
    { checks: { TRY: {} } },
    { checks: { '': 'log' } },
    { functions: { 'take it': {} } },
    { rules: { 'nonsense/*': 'off' } },
    { ignore: [''] },
    { ignore: ['!/'] },
    { ignore: [' build'] },
    { ignore: ['../x'] },
    { $schema: 1 },
    [],
  ])('and the linter refuse %j', (config) => {
    expect(problemsIn(JSON.stringify(config)).length).toBeGreaterThan(0);
    expect(validate(config)).toBe(false);
  });
});
