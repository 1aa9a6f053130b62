import { describe, expect, it } from 'vitest';
import { read, under } from './sources';

describe('caches of the linter', () => {
  it('are queries in rules and analyses: a cache of its own does not know when an edit makes it stale', () => {
    const files = under('helper/lint/rules', 'helper/lint/analyses');
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => /new WeakMap\b/.test(read(file)))).toEqual([]);
  });
});
