// `seamscope lint`: fixes, suppressions, baseline, configuration, single rules, pages, crashes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Progress } from '../../../helper/cli/lint/progress';
import { rules } from '../../../helper/lint/rules/registry';
import { CommandLine, faulty, mendable } from './cli-harness';

const cli = new CommandLine();
const read = (file: string) => readFileSync(file, 'utf8');
const found = (out: string) =>
  JSON.parse(out).findings.map(({ file, ruleId }: { file: string; ruleId: string }) => `${path.basename(file)} ${ruleId}`);

describe('--fix', () => {
  it('writes safe fixes only, and reports what is left', async () => {
    const root = cli.tree('fix', { 'a.cpp': mendable, 'b.cpp': faulty });
    const { code, out } = await cli.run('--fix', root);
    expect(code).toBe(1);
    expect(read(path.join(root, 'a.cpp'))).toBe(mendable.replace('SEMAPHORE', 'MEMORY'));
    expect(read(path.join(root, 'b.cpp'))).toBe(faulty);
    expect(out).toMatch(/1 finding in 2 files; 1 fix written\.\n$/);
  });

  it('writes suggestions when asked to', async () => {
    const root = cli.tree('suggestion', { 'b.cpp': faulty });
    const { code } = await cli.run('--fix=suggestion', root);
    expect(code).toBe(0);
    expect(read(path.join(root, 'b.cpp'))).toContain('if (cuImportExternalMemory(&m, &desc) != CUDA_SUCCESS) close(fd);\n}');
  });

  it('writes one where a finding in the same words has none', async () => {
    const twice = faulty + faulty.replace(/void \w+/, 'void unclear').replace('close(fd);', 'if (fd > 0) close(fd);');
    const root = cli.tree('same-words', { 'b.cpp': twice });
    const { code, out } = await cli.run('--fix=suggestion', root);
    expect(code).toBe(1);
    expect(out).toMatch(/1 finding in 1 file; 1 fix written\.\n$/);
  });

  it('judges each fix by itself: one that breaks the text is not written beside one that helps', async () => {
    const rule = rules.find(({ meta }) => meta.id === 'memory/handle-enum')!;
    const run = rule.run.bind(rule);
    vi.spyOn(rule, 'run').mockImplementation((file) => {
      const [first, ...others] = run(file);
      const torn = (fix: ReturnType<NonNullable<typeof first>['fix']>) =>
        fix && { ...fix, edits: fix.edits.map((edit) => ({ ...edit, text: '};' })) };
      return first ? [{ ...first, fix: () => torn(first.fix()) }, ...others] : [];
    });
    const second = mendable.replace('void g', 'void h');
    const root = cli.tree('each', { 'a.cpp': mendable + second });
    const { out } = await cli.run('--fix', root);
    expect(read(path.join(root, 'a.cpp'))).toBe(mendable + second.replace('SEMAPHORE', 'MEMORY'));
    expect(out).toMatch(/\n1 finding in 1 file; 1 fix written\.\n$/);
  });

  it('leaves suppressed findings, line ends and byte order marks alone', async () => {
    const text = `\ufeff${mendable.replace(/\n/g, '\r\n')}`;
    const suppressed = mendable.replace('_BIT;', '_BIT;  // seamscope-disable-line memory/handle-enum -- shown in a talk');
    const root = cli.tree('exact', { 'a.cpp': text, 'b.cpp': suppressed });
    await cli.run('--fix', root);
    expect(read(path.join(root, 'a.cpp'))).toBe(text.replace('SEMAPHORE', 'MEMORY'));
    expect(read(path.join(root, 'b.cpp'))).toBe(suppressed);
  });

  it.each([
    ['latin1', (text: string) => Buffer.from(text, 'latin1')],
    ['utf16le', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf16be', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('keeps the encoding %s', async (name, bytes) => {
    const root = cli.tree(`encoding-${name}`, {});
    const text = mendable.replace('void g()', '// \u00e4\nvoid g()');
    const file = cli.tree(`encoding-${name}`, { 'a.cpp': '' });
    writeFileSync(path.join(file, 'a.cpp'), bytes(text));
    await cli.run('--fix', root);
    expect(readFileSync(path.join(root, 'a.cpp')).equals(bytes(text.replace('SEMAPHORE', 'MEMORY')))).toBe(true);
  });

  it('refuses what it cannot write back', async () => {
    const root = cli.tree('half-unit', { 'a.cpp': '' });
    const bytes = Buffer.concat([Buffer.from(`\ufeff${mendable}`, 'utf16le'), Buffer.from([0x20])]);
    writeFileSync(path.join(root, 'a.cpp'), bytes);
    const { code, err } = await cli.run('--fix', root);
    expect(code).toBe(1);
    expect(err).toContain('a.cpp is not fixed: its encoding cannot be written back unchanged: save it as UTF-8.');
    expect(readFileSync(path.join(root, 'a.cpp')).equals(bytes)).toBe(true);
  });
});

describe('suppressions', () => {
  it('are counted, and their faults exit 1', async () => {
    const text = faulty.replace('close(fd);', 'close(fd);  // seamscope-disable-line fd/use-after-transfer -- a test driver duplicates');
    const clean = await cli.run(cli.tree('suppressed', { 'a.cpp': text }));
    expect([clean.code, clean.out]).toEqual([0, '0 findings in 1 file; 1 suppressed.\n']);
    const unused = await cli.run(
      '--format=json',
      cli.tree('unused', { 'a.cpp': '// seamscope-disable-file fd/use-after-transfer -- old\nint x;\n' }),
    );
    expect([unused.code, found(unused.out)]).toEqual([1, ['a.cpp suppression/unused']]);
  });

  it('of rules that do not run are not called unused', async () => {
    const text = '// seamscope-disable-file fd/use-after-transfer -- old\nint x;\n';
    const { code } = await cli.run('--rule', 'memory/handle-enum', '--rule', 'suppression/unused', cli.tree('not-run', { 'a.cpp': text }));
    expect(code).toBe(0);
  });
});

describe('--baseline', () => {
  const twice = `${faulty}${faulty.replace('void f', 'void g')}`;

  it('hides what it counts, wherever the lines have gone, and shows what is new', async () => {
    const root = cli.tree('base', { 'src/a.cpp': faulty });
    const file = path.join(root, 'baseline.json');
    const written = await cli.run('--baseline', file, '--write-baseline', root);
    expect([written.code, written.err]).toEqual([0, `seamscope: ${file} now has 1 finding.\n`]);
    expect(JSON.parse(read(file))).toEqual({ version: 1, findings: { 'src/a.cpp': { 'fd/use-after-transfer': { f: 1 } } } });
    cli.tree('base', { 'src/a.cpp': `// moved\n\n${twice}` });
    const { code, out } = await cli.run('--baseline', file, root);
    expect(code).toBe(1);
    expect(out).toMatch(/a\.cpp:11:5: error[\s\S]*\n1 finding in 1 file; 1 in the baseline\.\n$/);
  });

  it('shows all findings of a function that has more than it counts', async () => {
    const root = cli.tree('more', { 'a.cpp': mendable });
    const file = path.join(root, 'baseline.json');
    await cli.run('--baseline', file, '--write-baseline', root);
    cli.tree('more', { 'a.cpp': mendable.replace(/^(.*SEMAPHORE.*)$/m, '$1\n$1') });
    expect((await cli.run('--baseline', file, root)).out).toMatch(/2 findings in 1 file\.\n$/);
  });

  it('only shrinks, and only where this run has looked', async () => {
    const root = cli.tree('shrink', { 'a.cpp': twice, 'b.cpp': mendable, 'c.cpp': faulty });
    const file = path.join(root, 'baseline.json');
    await cli.run('--baseline', file, '--write-baseline', root);
    cli.tree('shrink', { 'a.cpp': faulty, 'b.cpp': `${mendable}${mendable.replace('void g', 'void h')}`, 'c.cpp': '' });
    const told = await cli.run('--baseline', file, path.join(root, 'a.cpp'), path.join(root, 'b.cpp'));
    expect(told.err).toContain('1 finding of ');
    expect(told.err).toContain('is gone: shrink it with --write-baseline.');
    await cli.run('--baseline', file, '--write-baseline', path.join(root, 'a.cpp'), path.join(root, 'b.cpp'));
    expect(JSON.parse(read(file)).findings).toEqual({
      'a.cpp': { 'fd/use-after-transfer': { f: 1 } },
      'b.cpp': { 'memory/handle-enum': { g: 1 } },
      'c.cpp': { 'fd/use-after-transfer': { f: 1 } },
    });
    expect((await cli.run('--baseline', file, '--rule', 'memory/handle-enum', '--write-baseline', root)).code).toBe(1);
    expect(Object.keys(JSON.parse(read(file)).findings)).toEqual(['a.cpp', 'b.cpp', 'c.cpp']);
  });

  it.each([
    ['{', /cannot be used: it is not JSON/],
    ['{"version": 2}', /cannot be used: it is not a baseline of version 1/],
    ['{"version": 1, "findings": {"a.cpp": {"fd/leak": {"f": 0}}}}', /the count of fd\/leak in a\.cpp is no positive number/],
  ])('%s is refused', async (text, message) => {
    const root = cli.tree('broken-baseline', { 'a.cpp': faulty, 'baseline.json': text });
    await expect(cli.run('--baseline', path.join(root, 'baseline.json'), root)).rejects.toThrow(message);
  });

  it('that is missing is refused unless it is to be written', async () => {
    const root = cli.tree('missing-baseline', { 'a.cpp': faulty });
    await expect(cli.run('--baseline', path.join(root, 'none.json'), root)).rejects.toThrow(/none\.json cannot be read \(ENOENT\)/);
    await expect(cli.run('--write-baseline', root)).rejects.toThrow('--write-baseline needs --baseline FILE.');
    const absent = cli.at('absent', 'baseline.json');
    await expect(cli.run('--baseline', absent, '--write-baseline', cli.at('no such folder'))).rejects.toThrow(/absent does not exist/);
    expect(existsSync(path.join(root, 'none.json'))).toBe(false);
  });
});

describe('seamscope.json', () => {
  it('counts from the nearest folder upward', async () => {
    const root = cli.tree('nearest', {
      'seamscope.json': '{"rules": {"fd/use-after-transfer": "off"}, "ignore": ["gen/"]}',
      'a.cpp': faulty,
      'gen/b.cpp': mendable,
      'own/seamscope.json': '{"rules": {"fd/use-after-transfer": "info"}}',
      'own/deep/c.cpp': faulty,
    });
    const { out, err } = await cli.run('--format=json', root);
    expect(JSON.parse(out).findings.map(({ file, severity }: { file: string; severity: string }) => [path.relative(root, file), severity])).toEqual([
      ['own/deep/c.cpp', 'info'],
    ]);
    expect(err).toBe('');
  });

  it('says when it ignores a file that was named', async () => {
    const root = cli.tree('ignored', { 'seamscope.json': '{"ignore": ["*.cu"]}', 'a.cu': faulty });
    const { code, err } = await cli.run(path.join(root, 'a.cu'));
    expect(code).toBe(0);
    expect(err).toMatch(/a\.cu is not checked: .*seamscope\.json ignores it: "!a\.cu" at the end of its "ignore" would bring it back\./);
  });

  it('that is malformed ends the run with its place', async () => {
    const root = cli.tree('malformed', { 'seamscope.json': '{\n  "rules": {"fd/leak": "loud"},\n  "x": 1\n}', 'a.cpp': faulty });
    await expect(cli.run(root)).rejects.toThrow(/seamscope\.json:2:24: For the level of fd\/leak .*\n.*seamscope\.json:3:3: "x" is unknown here/);
  });

  it('and annotations in headers teach own functions', async () => {
    const user = '#include "pool.h"\nvoid f(int fd) {\n  adopt(3, fd);\n  close(fd);\n}\n';
    const root = cli.tree('own', {
      'pool.h': '#pragma once\n#include "deep/more.h"\n',
      'deep/more.h': '// seamscope: takes-ownership(shared)\nvoid adopt(int slot, int shared);\n',
      'a.cpp': user,
    });
    expect(found((await cli.run('--format=json', root)).out)).toEqual(['a.cpp fd/use-after-transfer']);
    const configured = cli.tree('own-config', {
      'seamscope.json': '{"functions": {"adopt": {"parameters": ["slot", "fd"], "consumes": ["fd"]}}}',
      'a.cpp': user,
    });
    expect(found((await cli.run('--format=json', configured)).out)).toEqual(['a.cpp fd/use-after-transfer']);
  });
});

describe('--rule and --explain', () => {
  it('runs only the rules named, preview or switched off', async () => {
    const root = cli.tree('only', { 'seamscope.json': '{"rules": {"memory/*": "off"}}', 'a.cpp': faulty, 'b.cpp': mendable });
    expect(found((await cli.run('--format=json', '--rule', 'memory/handle-enum', root)).out)).toEqual(['b.cpp memory/handle-enum']);
  });

  it.each(['--rule', '--explain'])('%s refuses an unknown name and proposes one', async (option) => {
    await expect(cli.run(option, 'handle-enum', '.')).rejects.toThrow('There is no rule "handle-enum". Did you mean memory/handle-enum?');
  });

  it('runs a family, or several rules with commas between', async () => {
    const root = cli.tree('family', { 'a.cpp': faulty, 'b.cpp': mendable });
    expect(found((await cli.run('--format=json', '--rule', 'memory/*', root)).out)).toEqual(['b.cpp memory/handle-enum']);
    const both = ['a.cpp fd/use-after-transfer', 'b.cpp memory/handle-enum'];
    expect(found((await cli.run('--format=json', '--rule', 'fd/use-after-transfer,memory/handle-enum', root)).out)).toEqual(both);
  });

  it('lists a family, and everything with those that have to be named', async () => {
    const rows = async (name: string) => (await cli.run('--explain', name)).out.trim().split('\n').slice(1);
    const family = await rows('fd/*');
    expect(family).toContainEqual(expect.stringMatching(/^fd\/use-after-transfer +stable +[A-Z]/));
    expect(family.filter((row) => !/^fd\/[\w-]+ +(stable|preview) +[A-Z]/.test(row))).toEqual([]);
    expect(await rows('*')).toContainEqual(expect.stringMatching(/^teardown\/unexplained-order +optional {2}/));
  });

  it('prints the page', async () => {
    const { code, out } = await cli.run('--explain', 'fd/use-after-transfer');
    expect(code).toBe(0);
    expect(out).toMatch(/^# fd\/use-after-transfer\n/);
    expect(out).toContain('## What it cannot see');
  });
});

describe('a rule that crashes', () => {
  const victim = rules.find((rule) => rule.meta.id === 'memory/handle-enum')!;
  afterEach(() => vi.restoreAllMocks());

  it('is told once, and the others go on', async () => {
    vi.spyOn(victim, 'run').mockImplementation(() => {
      throw new Error('boom');
    });
    const root = cli.tree('crash', { 'a.cpp': faulty, 'b.cpp': faulty });
    const { code, out, err } = await cli.run('--format=json', root);
    expect([code, found(out)]).toEqual([1, ['a.cpp fd/use-after-transfer', 'b.cpp fd/use-after-transfer']]);
    expect(err.match(/The rule memory\/handle-enum failed on .*a\.cpp \(boom\); the other rules went on/g)?.length).toBe(1);
    expect(err).not.toContain('b.cpp');
  });

  it('in its fix loses no finding', async () => {
    const run = victim.run.bind(victim);
    vi.spyOn(victim, 'run').mockImplementation((file) =>
      run(file).map((finding) => ({
        ...finding,
        fix: () => {
          throw new Error('no fix');
        },
      })),
    );
    const { out, err } = await cli.run('--format=json', cli.tree('fix-crash', { 'a.cpp': mendable }));
    expect(found(out)).toEqual(['a.cpp memory/handle-enum']);
    expect(err).toContain('The rule memory/handle-enum failed');
  });
});

describe('progress', () => {
  const shown = (isTTY: boolean, now: number[], columns = 80) => {
    const clock = vi.spyOn(performance, 'now');
    for (const each of now) clock.mockReturnValueOnce(each);
    let text = '';
    const write = (part: string) => {
      text += part;
      return true;
    };
    const progress = new Progress(4, { isTTY, columns, write });
    for (let i = 1; i < now.length; i++) progress.step(i);
    progress.clear();
    return text;
  };

  it('shows on a terminal, after a while, not too often, and is cleared', () => {
    expect(shown(true, [0, 100, 600, 650, 900])).toBe(
      '\r\u001b[2K50 %, 2 of 4 files, 2 findings\r\u001b[2K100 %, 4 of 4 files, 4 findings\r\u001b[2K',
    );
  });

  it('stays on one line of a narrow terminal', () => {
    expect(shown(true, [0, 600], 20)).toBe('\r\u001b[2K25 %, 1 of 4 files,\r\u001b[2K');
  });

  it('writes nothing elsewhere', () => {
    expect(shown(false, [0, 600, 900])).toBe('');
  });
});
