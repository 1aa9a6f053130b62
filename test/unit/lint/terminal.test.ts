// What the command line prints does nothing to a terminal, and a reader that goes away changes no exit code.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visible, visibleName } from '../../../helper/lint/report/visible';
import { bundleInto } from './bundles';
import { CommandLine, faulty } from './cli-harness';

const cli = new CommandLine();

describe('control characters', () => {
  it('are escaped in texts; names keep no line end either', () => {
    expect(visible('a\x1b[2J\tb\n\x9b\u202e')).toBe('a\\x1b[2J\tb\n\\x9b\\u202e');
    expect(visibleName('a\nb\t')).toBe('a\\x0ab\\x09');
    expect(visible('größe 尺寸 😀')).toBe('größe 尺寸 😀');
  });

  it('in names and in source lines do not reach the terminal', async () => {
    const root = cli.tree('control', {
      'a\x1b[31m.cpp': faulty.replace('close(fd);', 'close(fd); // \x1b]0;title\x07'),
      'b\n\x1b.cpp': '\x7fELF\0\0',
    });
    const { code, out, err } = await cli.run(root);
    expect(code).toBe(1);
    expect(out).toContain('a\\x1b[31m.cpp:4:5: error');
    expect(out).toContain('  4 |     close(fd); // \u241b]0;title\u2407\n    |     ^^^^^^^^^\n');
    expect(err).toContain('b\\x0a\\x1b.cpp is not checked: it is a binary file');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    expect(out + err).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  });

  it('JSON keeps names as they are, with C1 characters escaped', async () => {
    const root = cli.tree('control json', { 'a\x9b\x1b.cpp': faulty });
    const { out } = await cli.run('--format=json', root);
    expect(out).toContain('a\\u009b\\u001b.cpp');
    expect(JSON.parse(out).findings[0].file).toBe(path.join(root, 'a\x9b\x1b.cpp'));
  });
});

describe('a reader that goes away', () => {
  let bundle = '';
  beforeAll(() => {
    bundle = bundleInto('helper/cli/main.ts', 'cli.js');
  });
  afterAll(() => rmSync(path.dirname(bundle), { recursive: true, force: true }));

  it.each(['text', 'json', 'sarif'])('does not make findings a success: %s', (format) => {
    const root = cli.tree('pipe', { 'a.cpp': faulty, 'b.cpp': faulty });
    const script = `"$0" "$1" lint --format=${format} "$2" | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, bundle, root], { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: '1\n', stderr: '' });
  });
});
