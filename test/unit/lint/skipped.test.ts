// What cannot be judged is named, on stderr and in the JSON, and decides the exit code where the command line asked for it by name.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { FileLinter } from '../../../helper/cli/lint/file-linter';
import { lint } from '../../../helper/lint/engine';
import { CommandLine, faulty } from './cli-harness';
import { facts, grammars, lintText } from './harness';

const cli = new CommandLine();
const lines = (n: number, line: (i: number) => string) => Array.from({ length: n }, (_, i) => line(i)).join('\n');
const importing = (before: string, after = '') => `void f(CUexternalMemory m, int fd, int a) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd};
${before}
    cuImportExternalMemory(&m, &desc);
    close(fd);
${after}
}
`;

describe('functions over the budget', () => {
  it.each([
    ['branches', importing(lines(3000, (i) => `    if (a == ${i}) a++;`)), 'it has too many branches: split it'],
    ['nested loops', importing('for (;;) {\n'.repeat(200), '}'.repeat(200)), 'it is nested too deeply: split it'],
    ['a long chain of calls', importing(`    a = a${'(a)'.repeat(600)};`), 'it is nested too deeply: split it'],
    ['a very long condition', importing(`    if (${'a && '.repeat(5000)}a) a++;`), 'it has too many branches: split it'],
    [
      'states',
      importing(lines(8, (i) => `    int f${i} = dup(fd);\n    if (g(${i})) close(f${i});`)),
      'it has too many branches and states to follow: split it',
    ],
  ])('are named: %s', async (name, text, reason) => {
    const root = cli.tree(`budget ${name}`, { 'a.cpp': text });
    const { code, out, err } = await cli.run('--format=json', '--preview', root);
    const file = path.join(root, 'a.cpp');
    expect(err).toBe(`seamscope: ${file}:1: the function f is not checked: ${reason}.\n`);
    expect(JSON.parse(out)).toEqual({ version: 1, findings: [], skipped: [{ file, function: 'f', line: 1, reason }] });
    expect(code).toBe(0);
  });

  const broken = faulty.replace('close(fd);', 'close(fd;').replace('void f', 'void broken');
  it.each([
    ['a brace that is never closed', `${faulty}\n${broken.replace(/}\s*$/, '')}`],
    ['a typing error', `${faulty}\n${broken}`],
  ])('are named when they do not parse, and the others are judged: %s', async (name, text) => {
    const root = cli.tree(`broken ${name}`, { 'a.cpp': text });
    const reason = 'it does not parse: look for a bracket that is missing, or a macro that hides one';
    const { code, out, err } = await cli.run('--format=json', '--preview', root);
    const file = path.join(root, 'a.cpp');
    expect(err).toBe(`seamscope: ${file}:7: the function broken is not checked: ${reason}.\n`);
    expect(JSON.parse(out)).toMatchObject({ findings: [{ line: 4 }], skipped: [{ file, function: 'broken', line: 7, reason }] });
    expect(code).toBe(1);
    const sarif = JSON.parse((await cli.run('--format=sarif', root)).out);
    expect(sarif.runs[0].invocations[0].toolExecutionNotifications[0].message.text).toContain('the function broken is not checked');
  });

  const half = 'cuImportExternalMemory(&m, fd);\n    return fd';
  const wrong = 'VkExportMemoryAllocateInfo info{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};\n    int x = (1 + ;\n    return info;';
  it.each([
    ['the last semicolon and brace are missing', `int lost(int fd) {\n    ${half}\n`, ['lost', 3]],
    ['that is so of a constructor', `A::A(int fd) : fd_(fd) {\n    ${half}\n`, ['A::A', 3]],
    ['and of one that returns a pointer', `CUevent *lost(int fd) {\n    ${half}\n`, ['lost', 3]],
    ['and of a method in its class', `class A {\n  int lost(int fd) {\n    ${half}\n`, ['lost', 4]],
    ['and of one in a namespace, in C linkage', `namespace a {\nextern "C" {\nint lost(int fd) {\n    ${half}\n`, ['lost', 5]],
    ['it is the last of two', `int f(int fd) {\n    cuInit(fd)\nint g(int fd) {\n    ${half}\n`, ['f', 3], ['g', 5]],
    ['its parameters do not parse either', `int lost(int (fd {\n    ${half}\n`, ['lost', 3]],
    ['its first brace is missing', `int lost(int fd)\n    ${half};\n}\n`, ['lost', 3]],
    ['it has a brace too many', `int lost(int fd) {\n    if (fd) { } }\n    ${half};\n}\n`, ['lost', 3]],
    ['it calls nothing of the seam', `VkExportMemoryAllocateInfo lost() {\n    ${wrong}\n}\n`, ['lost', 3]],
  ] as const)('are named where %s', (_, text, ...expected) => {
    const { skipped } = lint('a.cpp', `#include <cuda.h>\n#include <vulkan/vulkan.h>\n${text}`, grammars, { rules: [], preview: false });
    expect(skipped.map(({ name, line }) => [name, line])).toEqual(expected);
  });

  it.each([
    ['a macro stands in for a declaration', 'VK_DEFINE_HANDLE(VkThing)\nCUDA_REGISTER(cuAdd);\nvoid f(int a);\nint g( int a) { return a + ; }\n'],
    ['the brace of a namespace is missing', `namespace a {\n${faulty}`],
    ['only comments, macros and strings name it', 'int f(int a) {\n    // cuInit\n#define A cuInit(0)\n    return g("cuInit") + ;\n}\n'],
    ['only its name does', 'int cuWrapped(int a) { return a + ; }\n'],
    ['a class is half typed', '#include <cuda.h>\nstruct __align__(16) A {\n    CUdevice device;\n'],
  ])('are none where %s', (_, text) => {
    expect(lint('a.cpp', text, grammars, { rules: [], preview: false }).skipped).toEqual([]);
  });

  it('are none where an arm of the preprocessor parses, and where nothing of the seam is named', async () => {
    const arms = faulty.replace('close(fd);', '#ifdef _WIN32\n    Close(fd;\n#else\n    close(fd);\n#endif');
    const root = cli.tree('broken elsewhere', { 'a.cpp': arms, 'b.cpp': '#include <cuda.h>\nint f( int a) { return a + ; }\n' });
    const { code, err } = await cli.run(root);
    expect([code, err]).toEqual([1, '']);
  });

  it('are named where one arm alone loses them, unless another has them whole', () => {
    const arms = `#ifdef _WIN32\n#define F 1\n#endif\nint lost(int fd) {\n    ${half}\n#ifdef _WIN32\n;\n}\n#endif\n`;
    const named = (text: string) => lint('a.cpp', text, grammars, { rules: [], preview: false }).skipped.map(({ name }) => name);
    expect(named(arms)).toEqual([]);
    expect(named(arms.replace(';\n}', '@'))).toEqual(['lost']);
  });

  it('fail a run that has to be complete', async () => {
    const root = cli.tree('strict', { 'a.cpp': broken, 'good.cpp': faulty });
    expect((await cli.run(root)).code).toBe(1);
    expect((await cli.run('--strict', root)).code).toBe(2);
    expect((await cli.run('--strict', path.join(root, 'good.cpp'))).code).toBe(1);
    const { code, out } = await cli.run(path.join(root, 'a.cpp'));
    expect([code, out]).toEqual([0, '0 findings in 1 file; 1 function not checked.\n']);
  });

  it('are none for long straight code', () => {
    const found = lintText('a.cpp', importing(lines(30_000, (i) => `    int x${i} = a + ${i};`)));
    expect(found.map((each) => each.ruleId)).toEqual(['fd/use-after-transfer']);
  });

  it.each([
    ['sum', `    int x = a${' + a'.repeat(5000)};`],
    ['sum and difference', `    int x = a${' + a - a'.repeat(3000)};`],
    ['flags', `    int x = f(a${' | a'.repeat(5000)});`],
    ['output', `    out << a${' << g(a) << "text"'.repeat(1000)};`],
    ['condition', `    if (${'a && '.repeat(300)}a) a++;`],
    ['value of a condition', `    bool x = ${'a || '.repeat(5000)}a;`],
  ])('are none for a long %s', async (name, line) => {
    const root = cli.tree(`long ${name}`, { 'a.cpp': importing(line) });
    const { code, out, err } = await cli.run('--format=json', '--preview', root);
    expect(err).toBe('');
    expect(JSON.parse(out).findings.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual(['fd/use-after-transfer']);
    expect(code).toBe(1);
  });

  it('are none for long expressions in Python', async () => {
    const text = (expression: string) => `import torch\ndef f(a):\n    x = ${expression}\n    return torch.add(x, a)\n`;
    const root = cli.tree('long python', { 'a.py': text(`a${' + a'.repeat(5000)}`), 'b.py': text(`a${' - a + a'.repeat(3000)}`) });
    expect((await cli.run('--preview', root)).err).toBe('');
  });

  it.each([
    [
      'functions of other files do too much to follow',
      {
        'a.cpp': importing(lines(8, (i) => `    int f${i} = make(${i});\n    if (g(${i})) f${i} = -1;`)),
        'b.cpp': '#include <cuda.h>\nint make(int a) { return dup(a); }\n',
      },
    ],
    [
      'a loop begins with a new thing each time',
      {
        'a.c': `${importing('')}
static int fill(struct set* s, int a) {
    for (; s->open_handles < s->n; ++s->open_handles) {
        const int slot = s->open_handles;
        s->fds[slot] = a ? made(s, slot) : other(s, slot);
        if (s->fds[slot] < 0) return 0;
        close(s->extra);
    }
    return 1;
}`,
      },
    ],
  ])('are none where %s', async (name, files) => {
    const root = cli.tree(`enough ${name}`, files);
    const { out, err } = await cli.run('--format=json', '--preview', root);
    expect(err).toBe('');
    expect(JSON.parse(out).findings.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual(['fd/use-after-transfer']);
  });

  it('keep what stands inside of a long sum', () => {
    const at = (i: number) =>
      facts('a.cpp', `#include <vulkan/vulkan.h>\nint f(int a) { return a${' + a'.repeat(i)} + vkFirst(a)${' + a'.repeat(3000 - i)}; }`);
    for (const i of [0, 1, 1500, 2999]) {
      const [call] = at(i).functions[0]!.calls;
      expect([call?.name, call?.args.length, call?.span.start]).toEqual(['vkFirst', 1, 53 + 4 * i]);
    }
  });

  it('Python too', async () => {
    const root = cli.tree('budget python', {
      'a.py': `import ovrtx\ndef f(m, a):\n${lines(2000, (i) => `    if a == ${i}:\n        a += 1`)}\n    m.unmap()\n`,
    });
    const { err } = await cli.run('--preview', root);
    expect(err).toContain('a.py:2: the function f is not checked: it has too many branches: split it.');
  });
});

describe('functions of Python whose head does not parse', () => {
  const body = '    torch.cuda.set_device(0)\n    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "1")\n';
  const whole = `\n\ndef g():\n${body}`;
  const deeper = body.replace(/^/gm, '    ').trimEnd();
  const named = (text: string) => lint('a.py', text, grammars, { rules: [], preview: false }).skipped.filter((each) => each.name !== '<module>');

  it.each([
    ['def f()\n', body, [3, 'f']],
    // Its list of parameters goes on to the next bracket that closes one.
    ['def f(a\n', body, [3, 'f'], [8, 'g']],
    ['class A\n    async def f(self):\n', deeper, [4, 'f']],
    ['def f():\n    if x\n', deeper, [3, 'f']],
    ['def f():\n    y = 1\n    if x\n', deeper, [3, 'f']],
  ] as const)('are named: %j', (head, lines, ...expected) => {
    const reason = 'it does not parse: look for a bracket or a colon that is missing';
    expect(named(`import os, torch\n\n${head}${lines}${whole}`)).toEqual(expected.map(([line, name]) => ({ name, line, reason })));
  });

  it.each([
    ['has nothing about the seam', `import torch\n\ndef f()\n    pass\n${whole}`],
    ['is half typed at the end', `import torch\n${whole}\n\ndef f(`],
    ['stands in a text', `"""Call\n\n  def f():\n    torch.cuda.set_device(0)\n"""\nimport torch\n${whole}\nx = (\n`],
    ['is a comment', `import torch\n${whole}\n# def f():\n#     torch.cuda.set_device(0)\nx = (\n`],
    ['is that of no function', `import torch\n${whole}\nif x\n    torch.cuda.set_device(0)\n`],
  ])('are none where the head %s', (_, text) => {
    expect(named(text)).toEqual([]);
  });

  it('and the code outside of functions has a name of its own on the command line', async () => {
    const root = cli.tree('module', { 'a.py': `import os, torch\nx = f(1,\n${body.replace(/^ +/gm, '')}` });
    expect((await cli.run('--preview', root)).err).toContain('a.py:1: the code outside of functions is not checked: it does not parse');
  });
});

describe('a variable that is made of itself', () => {
  it('has no end to follow', () => {
    expect(
      lintText('a.cpp', importing('    int n;\n    n = n + 1;\n    if (n == 3) goto out;', 'out:\n    return;')).map((each) => each.ruleId),
    ).toEqual(['fd/use-after-transfer']);
  });
});

describe('files that cannot be checked', () => {
  const bad = {
    'too large': (file: string) => {
      writeFileSync(file, '');
      truncateSync(file, 40 * 1024 * 1024);
    },
    binary: (file: string) => writeFileSync(file, '\x7fELF\0\0\0'),
    fifo: (file: string) => void execFileSync('mkfifo', [file]),
  };

  it.each(Object.entries(bad))('exit code 2 and an entry in the JSON when named: %s', async (name, make) => {
    const root = cli.tree(`named ${name}`, { 'good.cpp': faulty });
    const file = path.join(root, 'x.cpp');
    make(file);
    const { code, out, err } = await cli.run('--format=json', file, path.join(root, 'good.cpp'));
    const report = JSON.parse(out);
    expect(code).toBe(2);
    expect(report.findings).toHaveLength(1);
    expect(report.skipped).toEqual([{ file, reason: expect.stringMatching(/^it (has|is) /) }]);
    expect(err).toContain(`${file} is not checked: ${report.skipped[0].reason}.`);
  });

  it('an unreadable file', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root reads every file');
    const root = cli.tree('unreadable', { 'a.cpp': faulty });
    chmodSync(path.join(root, 'a.cpp'), 0);
    const { code, err } = await cli.run(path.join(root, 'a.cpp'));
    expect(code).toBe(2);
    expect(err).toContain('a.cpp is not checked: it cannot be read (EACCES): check its permissions.');
  });

  it('below a folder they are listed and the rest decides', async () => {
    const root = cli.tree('below', { 'good.cpp': faulty });
    bad.binary(path.join(root, 'x.cpp'));
    const { code, out } = await cli.run('--format=json', root);
    expect([code, JSON.parse(out).skipped.length]).toEqual([1, 1]);
  });

  it('a folder in which nothing could be checked', async () => {
    const root = cli.tree('nothing', {});
    execFileSync('mkdir', ['-p', root]);
    bad.binary(path.join(root, 'x.cpp'));
    expect((await cli.run('--format=json', root)).code).toBe(2);
  });

  it('a file of another language: alone it is a mistake, among others it is not', async () => {
    const root = cli.tree('language', { 'a.cpp': 'int main() {}', 'note.txt': 'x' });
    expect((await cli.run(path.join(root, 'note.txt'))).code).toBe(2);
    expect((await cli.run(path.join(root, 'note.txt'), path.join(root, 'a.cpp'))).code).toBe(0);
  });

  it.each([
    ['no source file', { 'note.txt': 'x', 'build/a.cpp': faulty }, 'it holds no source file in C, C++'],
    [
      'ignored files only',
      { 'a.cu': faulty, 'b.cu': faulty, 'seamscope.json': '{"ignore": ["*.cu"]}' },
      'Nothing is checked: all 2 source files are ignored.',
    ],
  ])('a folder with %s is no fault, and that is said', async (name, files, said) => {
    const root = cli.tree(`folder with ${name}`, files);
    const { code, err } = await cli.run(root, root);
    expect([code, err.split(said).length - 1]).toEqual([0, 1]);
  });

  it('a folder that was looked through already is not called empty', async () => {
    const root = cli.tree('twice', { 'src/a.cpp': 'int main() {}' });
    expect((await cli.run(root, root, path.join(root, 'src'))).err).toBe('');
  });

  it.each([
    ['self', 'self', 'is a link that leads to itself.'],
    ['away', 'nowhere', 'is a link that leads nowhere.'],
  ])('a link: %s', async (name, target, said) => {
    const root = cli.tree('links', { 'a.cpp': '' });
    symlinkSync(target, path.join(root, name));
    await expect(cli.run(path.join(root, name))).rejects.toThrow(said);
  });

  it('a path that is empty, and standard input', async () => {
    await expect(cli.run('')).rejects.toThrow('One of the paths is empty.');
    await expect(cli.run('-')).rejects.toThrow('Standard input is not read.');
  });

  it('names that are not UTF-8', async () => {
    const root = cli.tree('names', { 'a.cpp': faulty });
    const odd = Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]);
    mkdirSync(odd);
    writeFileSync(Buffer.concat([odd, Buffer.from('.cpp')]), faulty);
    const { code, err } = await cli.run(root);
    expect(code).toBe(1);
    expect(err).toContain('caf\ufffd is not checked: the folder has a name that is not UTF-8: rename it.');
    expect(err).toContain('caf\ufffd.cpp is not checked: it has a name that is not UTF-8: rename it.');
    await expect(cli.run(path.join(root, 'caf\ufffd.cpp'))).rejects.toThrow('has a name that is not UTF-8.');
  });

  it('a file that is gone before its turn', async () => {
    const linter = new FileLinter(grammars, { preview: false, only: [], fix: undefined });
    const { skipped } = await linter.check({ file: cli.at('gone.cpp'), size: 1, isNamed: false });
    expect(skipped[0]!.reason).toBe('it cannot be read (ENOENT): it was removed or renamed meanwhile, so run again');
  });

  it('every file met an internal error', async () => {
    const broken = {
      parse: () => {
        throw new Error('boom');
      },
    } as unknown as typeof grammars;
    const root = cli.tree('internal', { 'a.cpp': faulty });
    const linter = new FileLinter(broken, { preview: false, only: [], fix: undefined });
    const result = await linter.check({ file: path.join(root, 'a.cpp'), size: faulty.length, isNamed: false });
    expect(result.checked).toBe(false);
    expect(result.skipped).toEqual([{ file: path.join(root, 'a.cpp'), reason: 'Seamscope failed on it (boom). Please report this' }]);
  });
});

it('SARIF lists the rules that ran', async () => {
  const root = cli.tree('one rule', { 'a.cpp': faulty });
  const rulesOf = async (...args: string[]) =>
    JSON.parse((await cli.run('--format=sarif', ...args, root)).out).runs[0].tool.driver.rules as { id: string }[];
  expect((await rulesOf('--rule', 'fd/use-after-transfer')).map(({ id }) => id)).toEqual(['fd/use-after-transfer']);
  expect((await rulesOf()).length).toBeGreaterThan(50);
});
