// What a step counted, read from what its program printed or wrote.
import { readFileSync } from 'node:fs';

export const none = { passed: 0, failed: 0, skipped: 0, reasons: [] };

/** A step that is one check by itself. */
export const single = (passed) => ({ ...none, passed: passed ? 1 : 0, failed: passed ? 0 : 1 });

export function sum(counts) {
  const add = (a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    reasons: [...a.reasons, ...b.reasons],
  });
  return counts.reduce(add, none);
}

/** The file that vitest-reporter.mjs writes. */
export function fromVitest(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * doctest's summary, "[doctest] test cases: 12 | 11 passed | 1 failed | 0 skipped". doctest cannot skip while it runs: a case that finds its
 * capability missing prints "skipped: reason" and returns, so it is moved from passed to skipped.
 */
export function fromDoctest(output) {
  const match = /test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed\s*\|\s*(\d+) skipped/.exec(output);
  if (!match) return undefined;
  const reasons = [...output.matchAll(/(?:^|MESSAGE: )skipped: (.+)/gim)].map((found) => found[1].trim());
  return { passed: Number(match[2]) - reasons.length, failed: Number(match[3]), skipped: Number(match[4]) + reasons.length, reasons };
}

/** The line that the mocha suite in the workbench prints at its end; pending tests are listed as "- title". */
export function fromWorkbench(output) {
  const match = [...output.matchAll(/^(\d+) passed, (\d+) failed, (\d+) skipped$/gm)].at(-1);
  if (!match) return undefined;
  const reasons = [...output.matchAll(/^\s+- (.+)$/gm)].map((found) => found[1]);
  return { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3]), reasons };
}
