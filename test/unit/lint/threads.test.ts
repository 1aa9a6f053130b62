// The bundled command as a process of its own: threads find what one thread finds, in the same order.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleInto } from './bundles';
import { faulty, mendable } from './cli-harness';

let cli: string;
const tree = mkdtempSync(path.join(tmpdir(), 'seamscope-threads-'));
const last = path.join(tree, 'file-039.cpp');

beforeAll(() => {
  cli = bundleInto('helper/cli/main.ts', 'cli.js');
  for (let i = 0; i < 40; i++) writeFileSync(path.join(tree, `file-${String(i).padStart(3, '0')}.cpp`), i % 3 === 0 ? faulty : mendable);
});
afterAll(() => {
  rmSync(path.dirname(cli), { recursive: true, force: true });
  rmSync(tree, { recursive: true, force: true });
});

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'lint', ...args, tree], { encoding: 'utf8', timeout: 120_000 });
  return { status, stdout, stderr };
}

describe('--jobs', () => {
  it('changes nothing but the time', () => {
    const alone = run('--jobs', '1', '--format', 'json');
    expect([alone.status, alone.stderr, JSON.parse(alone.stdout).findings.length]).toEqual([1, '', 40]);
    expect(run('--jobs', '3', '--format', 'json')).toEqual(alone);
  });

  it('fixes in threads', () => {
    const { status, stdout } = run('--jobs', '2', '--fix');
    expect(status).toBe(1);
    expect(stdout).toMatch(/14 findings in 40 files; 26 fixes written\.\n$/);
    expect(readFileSync(last, 'utf8')).toBe(faulty);
    expect(readFileSync(path.join(tree, 'file-001.cpp'), 'utf8')).toBe(mendable.replace('SEMAPHORE', 'MEMORY'));
  });

  it.each(['0', '1.5', 'many', '65'])('refuses %s', (jobs) => {
    const { status, stderr } = run('--jobs', jobs);
    expect([status, stderr]).toEqual([2, expect.stringContaining('--jobs takes a number from 1 to 64')]);
  });
});
