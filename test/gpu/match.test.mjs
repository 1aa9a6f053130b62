// The match is by UUID bytes and explains every row without a partner.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devices, seamscope } from './command-line.mjs';

test('every CUDA ordinal is matched to the Vulkan device with the same UUID, or says why not', () => {
  const { cuda, vulkan, matches } = devices();
  assert.ok(cuda.devices.length > 0, cuda.reason?.message);
  for (const { ordinal, uuid } of cuda.devices) {
    const match = matches.find(({ cudaOrdinal }) => cudaOrdinal === ordinal);
    assert.ok(match, `CUDA ${ordinal} has no row`);
    if (match.status !== 'matched') assert.ok(match.reasons.length > 0, `CUDA ${ordinal} has no partner and no reason`);
    else assert.equal(vulkan.devices[match.vulkanIndex].deviceUuid, uuid);
  }
});

test('at least one CUDA ordinal is matched on a GPU without MIG', (context) => {
  const { nvml, matches } = devices();
  if (nvml.gpus.length > 0 && nvml.gpus.every(({ mig }) => mig.current))
    return context.skip('every GPU is in MIG mode, whose instances may have no graphics');
  const matched = matches.filter(({ status }) => status === 'matched');
  assert.ok(matched.length > 0, JSON.stringify(matches, null, 2));
  for (const match of matched) assert.equal(typeof match.gpuIndex, 'number');
});

test('a hidden GPU is named as hidden', () => {
  const before = process.env.CUDA_VISIBLE_DEVICES;
  process.env.CUDA_VISIBLE_DEVICES = '';
  try {
    const hidden = JSON.parse(seamscope('devices', '--json'));
    assert.equal(hidden.cuda.devices.length, 0);
    const codes = hidden.matches.flatMap(({ reasons }) => reasons.map(({ code }) => code));
    assert.ok([...codes, hidden.cuda.reason?.code].includes('hidden-by-cuda-visible-devices'), codes.join(', '));
  } finally {
    if (before === undefined) delete process.env.CUDA_VISIBLE_DEVICES;
    else process.env.CUDA_VISIBLE_DEVICES = before;
  }
});
