import { chmodSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { runLint } from '../../../helper/cli/lint';
import { CommandLine, faulty } from './cli-harness';

const cli = new CommandLine();
const at = (...parts: string[]) => cli.at(...parts);
const run = (...args: string[]) => cli.run(...args);
const tree = (name: string, files: Record<string, string>) => cli.tree(name, files);

describe('seamscope lint', () => {
  it('prints JSON of the documented form and exits 1', async () => {
    const root = tree('json', { 'a.cpp': faulty });
    const { code, out, err } = await run('--format', 'json', root);
    expect([code, err]).toEqual([1, '']);
    expect(JSON.parse(out)).toEqual({
      version: 1,
      findings: [
        {
          ruleId: 'fd/use-after-transfer',
          severity: 'error',
          message: expect.stringContaining('`fd` is closed'),
          file: path.join(root, 'a.cpp'),
          line: 4,
          column: 5,
          endLine: 4,
          endColumn: 14,
          related: [{ message: expect.stringContaining('cuImportExternalMemory'), file: path.join(root, 'a.cpp'), line: 3 }],
        },
      ],
      skipped: [],
    });
  });

  it('prints text with the source line and the other place', async () => {
    const { code, out } = await run(tree('text', { 'a.cpp': faulty }));
    expect(code).toBe(1);
    expect(out).toContain('a.cpp:4:5: error: `fd` is closed');
    expect(out).toMatch(/4 \| {5}close\(fd\);\n.*\^{9}\n.*a\.cpp:3:5: /);
    expect(out).toMatch(/1 finding in 1 file\.\n$/);
  });

  it('exits 0 without findings', async () => {
    const { code, out } = await run('--format=json', tree('clean', { 'a.cpp': 'int main() {}' }));
    expect([code, JSON.parse(out)]).toEqual([0, { version: 1, findings: [], skipped: [] }]);
  });

  it('skips what is not the source of the project, follows links once', async () => {
    const root = tree('walk', {
      'src/a.cpp': faulty,
      'node_modules/b.cpp': faulty,
      'build/c.cpp': faulty,
      '.git/d.cpp': faulty,
      'src/e.txt': faulty,
    });
    symlinkSync(at('walk'), at('walk/src/loop'));
    symlinkSync('a.cpp', at('walk/src/again.cpp'));
    // Comes first by name, and is still a second name of the file.
    symlinkSync('a.cpp', at('walk/src/0.cpp'));
    const { out, err } = await run('--format=json', root, path.join(root, 'src'));
    expect(JSON.parse(out).findings.map((found: { file: string }) => path.relative(root, found.file))).toEqual(['src/a.cpp']);
    expect(err).toBe('');
  });

  it('names what it does not check, and goes on', async () => {
    const root = tree('bad', { 'a.cpp': faulty, 'huge.cpp': '', 'elf.cpp': '\x7fELF\0\0\0', 'note.txt': 'x' });
    truncateSync(at('bad/huge.cpp'), 40 * 1024 * 1024);
    writeFileSync(at('bad/latin.cpp'), Buffer.from(faulty.replace('int fd', 'int /*\u00e4*/ fd'), 'latin1'));
    writeFileSync(at('bad/utf16.cpp'), `\ufeff${faulty}`, 'utf16le');
    const { code, out, err } = await run('--format=json', root, at('bad/note.txt'));
    expect(code).toBe(1);
    expect(JSON.parse(out).findings.map((found: { file: string; line: number }) => [path.basename(found.file), found.line])).toEqual([
      ['a.cpp', 4],
      ['latin.cpp', 4],
      ['utf16.cpp', 4],
    ]);
    expect(err).toContain('huge.cpp is not checked: it has 40.0 MiB, more than the 2.0 MiB that are linted: split it');
    expect(err).toContain('elf.cpp is not checked: it is a binary file, not source text: name it under');
    expect(err).toContain('note.txt is not checked: it is in none of the languages');
  });

  it('names an unreadable folder', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root reads every folder');
    const root = tree('locked', { 'in/a.cpp': faulty });
    chmodSync(at('locked/in'), 0);
    const { code, err } = await run(root);
    chmodSync(at('locked/in'), 0o700);
    expect(code).toBe(0);
    expect(err).toMatch(/in is not checked: the folder cannot be read \(EACCES\): check its permissions\./);
  });

  it.each([
    ['no path', [], 'at least one file or folder'],
    ['unknown format', ['--format', 'xml', '.'], 'There is no format "xml"'],
    ['missing path', ['/nowhere/at/all'], '/nowhere/at/all does not exist.'],
    ['unknown option', ['--frobnicate', '.'], 'frobnicate'],
  ])('refuses %s with the cause', async (_name, args, message) => {
    await expect(run(...args)).rejects.toThrow(message);
  });

  it('says when the grammars are missing', async () => {
    await expect(runLint([cli.folder], at('nowhere'))).rejects.toThrow(/grammar .* cannot be read \(ENOENT\)/);
  });
});
