#!/usr/bin/env node
// Everything that CI holds: npm test [-- STEP...]. The last line counts: N passed, N failed, N skipped.
import { main, StepError } from './lib/run.mjs';
import { setup } from './setup.mjs';
import { single, sum } from './test/counts.mjs';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const colours = /\x1b\[[\d;]*m/g;
const ninjaProgress = /^\[\d+\/\d+\] .*\n/gm;
const seconds = (since) => `${Math.round((Date.now() - since) / 1000)} s`;

/** A step that throws, for example because something does not compile, is one failure. */
async function runStep(step) {
  try {
    return await step.run();
  } catch (error) {
    const output = error instanceof StepError ? `${error.output}\n${error.message}` : error.stack;
    return { counts: single(false), output };
  }
}

function report(step, { counts, output }, start) {
  const ok = counts.failed === 0;
  if (!ok) console.log(output.replace(colours, '').replace(ninjaProgress, '').trimEnd());
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${step.name}: ${counts.passed} ok${ok ? '' : `, ${counts.failed} not`} after ${seconds(start)}`);
  for (const reason of counts.reasons) console.log(`       skipped: ${reason}`);
}

async function runAll(steps) {
  const results = new Map();
  for (const step of steps) {
    const start = Date.now();
    const failedNeed = step.needs && results.has(step.needs) && results.get(step.needs).counts.failed > 0;
    const result = failedNeed ? { counts: single(false), output: `${step.name} needs ${step.needs}, which failed.` } : await runStep(step);
    results.set(step.name, result);
    report(step, result, start);
  }
  return sum([...results.values()].map((result) => result.counts));
}

function choose(steps, wanted) {
  const chosen = steps.filter((step) => wanted.length === 0 || wanted.includes(step.name));
  if (chosen.length === 0) throw new StepError(`No such step. Steps are: ${steps.map((step) => step.name).join(' | ')}`, { exitCode: 2 });
  return chosen;
}

await main(async () => {
  await setup();
  const { prepare, steps } = await import('./test/steps.mjs');
  prepare();
  const { passed, failed, skipped } = await runAll(choose(steps, process.argv.slice(2)));
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
});
