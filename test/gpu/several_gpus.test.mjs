// Several real GPUs: ordinals follow the process's environment, matches follow UUIDs, whatever the order.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { devices } from './command-line.mjs';

const cli = path.join(process.env.SEAMSCOPE_DIST, 'cli.js');

/** `seamscope ARGS` in another environment; undefined removes a variable. Exit code 1 means that a check failed, not that it could not run. */
function under(env, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 350_000,
    maxBuffer: 64 << 20,
  });
  assert.ok(status === 0 || status === 1, `seamscope ${args.join(' ')} ended with ${status}:\n${stderr}`);
  return JSON.parse(stdout);
}

const snapshotUnder = (env) => under(env, 'devices', '--json');
const uuids = () => devices().cuda.devices.map(({ uuid }) => uuid);
const why = 'fewer than two CUDA devices here';

function permutations(list) {
  if (list.length <= 1) return [list];
  return list.flatMap((first, at) => permutations(list.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

function assertBijection({ cuda, vulkan, matches }) {
  const matched = matches.filter(({ status }) => status === 'matched');
  assert.equal(matched.length, cuda.devices.length);
  assert.equal(new Set(matched.map(({ vulkanIndex }) => vulkanIndex)).size, matched.length);
  for (const { cudaOrdinal, vulkanIndex, gpuIndex } of matched) {
    assert.equal(vulkan.devices[vulkanIndex].deviceUuid, cuda.devices[cudaOrdinal].uuid);
    assert.equal(typeof gpuIndex, 'number');
  }
}

test('matches are a bijection by UUID in every order of CUDA_VISIBLE_DEVICES', (context) => {
  if (uuids().length < 2) return context.skip(why);
  for (const order of permutations(uuids().map((_, index) => index)).slice(0, 24)) {
    const seen = snapshotUnder({ CUDA_VISIBLE_DEVICES: order.join(',') });
    assert.deepEqual(
      seen.cuda.devices.map(({ uuid }) => uuid),
      order.map((index) => uuids()[index]),
      order.join(','),
    );
    assertBijection(seen);
  }
});

test('orders given as UUIDs are followed too', (context) => {
  if (uuids().length < 2) return context.skip(why);
  const reversed = uuids().toReversed();
  const seen = snapshotUnder({ CUDA_VISIBLE_DEVICES: reversed.map((uuid) => `GPU-${uuid}`).join(',') });
  assert.deepEqual(
    seen.cuda.devices.map(({ uuid }) => uuid),
    reversed,
  );
  assertBijection(seen);
});

test('a restricted process sees one, and the others say that they are hidden', (context) => {
  if (uuids().length < 2) return context.skip(why);
  for (const [index, uuid] of uuids().entries()) {
    const { cuda, matches } = snapshotUnder({ CUDA_VISIBLE_DEVICES: String(index) });
    assert.deepEqual(
      cuda.devices.map((device) => device.uuid),
      [uuid],
    );
    const hidden = matches.filter(({ status }) => status !== 'matched').flatMap(({ reasons }) => reasons.map(({ code }) => code));
    assert.ok(hidden.includes('hidden-by-cuda-visible-devices'), hidden.join(', '));
  }
});

test('CUDA_DEVICE_ORDER=PCI_BUS_ID orders by PCI address', (context) => {
  if (uuids().length < 2) return context.skip(why);
  const { cuda } = snapshotUnder({ CUDA_DEVICE_ORDER: 'PCI_BUS_ID' });
  const addresses = cuda.devices.map(({ pci }) => pci);
  assert.deepEqual(addresses, addresses.toSorted());
});

test('the seam holds on each GPU, and across them nothing goes wrong unseen', (context) => {
  if (uuids().length < 2) return context.skip(why);
  const report = under({}, 'seamtest', '--json', '--quick');
  assert.equal(report.devices.length, uuids().length);
  for (const copy of report.across.copies) console.log(`across: ${JSON.stringify(copy)}`);
  for (const line of report.across.words) console.log(`across: ${line}`);
  for (const { device, checks } of report.devices) {
    for (const { name, ok, message } of checks) console.log(`seam ${device.vulkanUuid}: ${ok ? 'ok' : 'FAILED'} ${name}: ${message}`);
    assert.ok(checks.every(({ ok }) => ok));
  }
  assert.ok(report.across.check.ok, report.across.check.message);
  assert.equal(report.across.copies.length, uuids().length * (uuids().length - 1));
});
