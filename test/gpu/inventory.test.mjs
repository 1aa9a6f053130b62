// The inventory on a machine with an NVIDIA GPU: three sources, each with its facts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devices } from './command-line.mjs';

const nvidia = 0x10de;

test('CUDA lists every ordinal with its UUID', () => {
  const { cuda } = devices();
  assert.equal(cuda.available, true, cuda.reason?.message);
  assert.ok(cuda.devices.length > 0);
  for (const [index, device] of cuda.devices.entries()) {
    assert.equal(device.ordinal, index);
    assert.match(device.uuid ?? device.uuidReason?.message ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.ok(device.memoryBytes > 1 << 30);
  }
});

test('NVML lists the physical GPUs with memory, temperature and MIG state', () => {
  const { nvml } = devices();
  assert.equal(nvml.available, true, nvml.reason?.message);
  assert.ok(nvml.gpus.length > 0);
  for (const gpu of nvml.gpus) {
    assert.ok(gpu.memoryUsedBytes <= gpu.memoryBytes);
    assert.ok(gpu.temperatureC > 0 && gpu.temperatureC < 120);
    assert.equal(typeof gpu.mig.current, 'boolean');
  }
});

test('Vulkan lists the NVIDIA device with queue families and exportable memory', () => {
  const { vulkan } = devices();
  assert.equal(vulkan.available, true, vulkan.reason?.message);
  const device = vulkan.devices.find((candidate) => candidate.vendorId === nvidia);
  assert.ok(device, `no NVIDIA device among: ${vulkan.devices.map(({ name }) => name).join(', ')}`);
  assert.ok(device.queueFamilies.some(({ flags }) => flags.includes('compute')));
  assert.ok(device.externalMemory.some(({ handleType, exportable, importable }) => handleType === 'opaqueFd' && exportable && importable));
  assert.equal(device.timelineSemaphore, true);
});

test('every vendor library is reported with the path that was really opened', () => {
  const { libraries } = devices();
  for (const name of ['libvulkan.so.1', 'libcuda.so.1', 'libnvidia-ml.so.1']) {
    const library = libraries.find((candidate) => candidate.name === name);
    assert.match(library?.path ?? '', /^\//, `${name}: ${library?.error ?? 'not reported'}`);
  }
});
