// Writes {passed, failed, skipped, reasons} to the file named by SEAMSCOPE_COUNTS when a vitest run ends.
import { writeFileSync } from 'node:fs';

export default class CountsReporter {
  /** `unhandledErrors` are failures outside of any test. */
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, reasons: [] };
    for (const module of modules) {
      // A file that could not be loaded has no tests to blame.
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) count(counts, test);
    }
    if (process.env.SEAMSCOPE_COUNTS) writeFileSync(process.env.SEAMSCOPE_COUNTS, JSON.stringify(counts));
  }
}

function count(counts, test) {
  const { state, note } = test.result();
  if (state === 'passed') counts.passed += 1;
  else if (state === 'skipped') {
    counts.skipped += 1;
    counts.reasons.push(`${test.fullName}${note ? `: ${note}` : ''}`);
  } else counts.failed += 1;
}
