// A seamscope.json that is there and cannot be read is a fault of its own, not a file that is missing.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigFiles } from '../../../helper/lint/server/config-files';
import { CommandLine, faulty } from './cli-harness';

const cli = new CommandLine();

const made: Record<string, [(file: string) => void, RegExp]> = {
  'a link to itself': [(file) => symlinkSync('seamscope.json', file), /^This link leads to itself\./],
  'a link to nothing': [(file) => symlinkSync('nowhere.json', file), /^This link leads nowhere\./],
  'a folder': [(file) => mkdirSync(file), /^This is a folder\. Give it another name\./],
  'a fifo': [(file) => void execFileSync('mkfifo', [file]), /^This is no file\./],
  empty: [(file) => writeFileSync(file, ''), /^The file is empty\. Write \{\}/],
  huge: [(file) => writeFileSync(file, ' '.repeat(1024 * 1024 + 1)), /^The file has more than 1 MiB/],
  binary: [(file) => writeFileSync(file, '{\0}'), /^The file is not read: it is a binary file/],
  'Latin-1': [(file) => writeFileSync(file, Buffer.from('{"ignore": ["caf\xe9"]}', 'latin1')), /^The file is not UTF-8\./],
};

describe('seamscope.json', () => {
  it.each(Object.entries(made))('that is %s ends the run with the cause', async (name, [make, message]) => {
    const root = cli.tree(`config ${name}`, { 'a.cpp': faulty });
    make(path.join(root, 'seamscope.json'));
    expect(new ConfigFiles().nearest(path.join(root, 'a.cpp'))?.problems).toMatchObject([
      { line: 1, column: 1, message: expect.stringMatching(message) },
    ]);
    await expect(cli.run(root)).rejects.toThrow(/seamscope\.json:1:1: /);
  });

  it('in UTF-16 with its mark is read', async () => {
    const root = cli.tree('config UTF-16', { 'a.cpp': faulty });
    writeFileSync(path.join(root, 'seamscope.json'), Buffer.from('\ufeff{"rules": {"fd/*": "off"}}', 'utf16le'));
    expect((await cli.run(root)).code).toBe(0);
  });

  it('whose path would be too long for the system is none', () => {
    const folder = `/${'x'.repeat(200)}`.repeat(20);
    expect(new ConfigFiles().nearest(`${folder}/${'y'.repeat(70)}/a.c`)).toBeUndefined();
  });
});
