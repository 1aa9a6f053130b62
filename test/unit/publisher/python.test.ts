/** The Python publisher's own tests (test/python), each as a test here. */
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const runner = path.join(root, 'test/python/run.py');

interface Result {
  id: string;
  outcome: 'passed' | 'failed' | 'skipped';
  text: string;
}

function listTests(): string[] {
  try {
    return execFileSync('python3', ['-B', runner, '--list'], { encoding: 'utf8', timeout: 60_000 }).trim().split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** By test; the output that is no result (a crash) under "". */
function runTests(): Map<string, Result[]> {
  const { stdout, stderr, signal } = spawnSync('python3', ['-B', runner], { encoding: 'utf8', timeout: 300_000, maxBuffer: 64 << 20 });
  const results = new Map<string, Result[]>();
  const rest: string[] = signal ? [`ended by ${signal}`, stderr] : [stderr];
  for (const line of stdout.split('\n')) {
    if (!line.startsWith('{"id"')) {
      rest.push(line);
      continue;
    }
    const result: Result = JSON.parse(line);
    results.set(result.id, [...(results.get(result.id) ?? []), result]);
  }
  results.set('', [{ id: '', outcome: 'failed', text: rest.join('\n').trim() || 'it did not run' }]);
  return results;
}

const names = listTests();

describe('the Python publisher', () => {
  let results: Map<string, Result[]>;
  beforeAll(() => {
    if (names.length > 0) results = runTests();
  }, 310_000);

  it('has tests', ({ skip }) => {
    if (names.length === 0) skip('python3 was not found');
    expect(results.size).toBeGreaterThan(1);
  });

  for (const name of names) {
    it(name, ({ skip }) => {
      const own = results.get(name) ?? results.get('') ?? [];
      const skipped = own.find(({ outcome }) => outcome === 'skipped');
      if (skipped) skip(skipped.text);
      expect(own.filter(({ outcome }) => outcome === 'failed').map(({ text }) => text)).toEqual([]);
    });
  }
});

it('seamscope.py is what its parts make', () => {
  const { status, stderr } = spawnSync(process.execPath, [path.join(root, 'scripts/generate-publisher-python.mjs'), '--check'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
