// The seam on the real driver: the whole matrix, the controls, the teardowns, and the speed that the design was measured for.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { devices } from './command-line.mjs';

let answer;
/** `seamscope seamtest --json`, run once; its Markdown is printed for the log. */
function seamtest() {
  if (answer) return answer;
  const cli = path.join(process.env.SEAMSCOPE_DIST, 'cli.js');
  const file = path.join(process.cwd(), 'seamtest.md');
  const args = [cli, 'seamtest', '--json', '--markdown', file];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 300_000, maxBuffer: 64 << 20 });
  assert.ok(status === 0 || status === 1, `seamtest ended with ${status}:\n${stderr}`);
  answer = JSON.parse(stdout);
  console.log(seamLines(answer).join('\n'));
  return answer;
}

function seamLines({ device, runs, costs, model, findings, checks, teardown }) {
  const run = (each) => `${each.mode} ${each.slots} ${each.ownership} ${each.processes} ${each.direction} ${each.resource}`;
  const result = (each) =>
    each.skipped ?? each.failed?.message ?? `${each.usPerFrame.toFixed(1)} us${each.latencyUs ? `, latency ${JSON.stringify(each.latencyUs)}` : ''}`;
  return [
    `seam: ${JSON.stringify(device)}`,
    ...runs.map((each) => `seam: ${run(each)}: ${result(each)}`),
    ...costs.map((cost) => `seam: cost ${JSON.stringify(cost)}`),
    ...(model?.words ?? []).map((words) => `seam: ${words}`),
    `seam: model ${JSON.stringify({ ...model, words: undefined })}`,
    ...findings.map((finding) => `seam: ${finding}`),
    ...teardown.map(
      ({ order, ownership, predicted, outcome, detail }) =>
        `seam: teardown ${order} ${ownership}, ${predicted.length} predicted, ${outcome}: ${detail}`,
    ),
    ...checks.map(({ name, ok, message }) => `seam: ${ok ? 'ok' : 'FAILED'} ${name}: ${message}`),
  ];
}

const matched = () => devices().matches.some(({ status }) => status === 'matched');
const why = 'no CUDA ordinal has a matching Vulkan device here';

test('every check of the seam test holds on the real driver', (context) => {
  if (!matched()) return context.skip(why);
  const { checks, device } = seamtest();
  assert.equal(device.partner, 'cuda');
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
  );
});

test('timeline and image runs are made, not skipped', (context) => {
  if (!matched()) return context.skip(why);
  const { runs } = seamtest();
  for (const run of runs.filter(({ mode, resource }) => mode === 'timeline' || resource === 'image'))
    assert.equal(run.skipped, undefined, run.skipped);
});

test('at least 10,000 frames were checked', (context) => {
  if (!matched()) return context.skip(why);
  assert.ok(seamtest().frames >= 10_000, `${seamtest().frames} frames`);
});
