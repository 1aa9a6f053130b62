// The inventory agrees with nvidia-smi and with the Vulkan loader, costs no GPU memory, and a poll costs next to no CPU time.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { devices } from './command-line.mjs';

const dist = process.env.SEAMSCOPE_DIST;
const require = createRequire(import.meta.url);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** `nvidia-smi -q -x`, one text a GPU; null when the tool is not there. */
function nvidiaSmi() {
  const { status, stdout } = spawnSync('nvidia-smi', ['-q', '-x'], { encoding: 'utf8', timeout: 60_000 });
  if (status !== 0) return null;
  const gpus = [...stdout.matchAll(/<gpu id="([^"]+)">([\s\S]*?)<\/gpu>/g)].map(([, pci, text]) => ({ pci, text }));
  return { driver: field(stdout, 'driver_version'), gpus };
}

function field(text, ...names) {
  const inner = names.slice(0, -1).reduce((outer, name) => new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(outer)?.[1] ?? '', text);
  return new RegExp(`<${names.at(-1)}>([^<]*)</`).exec(inner)?.[1]?.trim();
}

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} here, ${b} by nvidia-smi`);

test('agrees with nvidia-smi -q', (context) => {
  const smi = nvidiaSmi();
  if (!smi) return context.skip('nvidia-smi cannot be run here');
  const { nvml } = devices();
  assert.equal(nvml.driverVersion, smi.driver);
  assert.equal(nvml.gpus.length, smi.gpus.length);
  for (const [index, { pci, text }] of smi.gpus.entries()) {
    const gpu = nvml.gpus[index];
    const number = (...names) => Number.parseFloat(field(text, ...names));
    assert.equal(`GPU-${gpu.uuid}`, field(text, 'uuid'));
    assert.equal(gpu.name, field(text, 'product_name'));
    assert.equal(gpu.architecture, field(text, 'product_architecture'));
    assert.equal(gpu.pci, pci.toLowerCase().replace(/^0{4}/, ''));
    assert.equal(gpu.mig.current, field(text, 'mig_mode', 'current_mig') === 'Enabled');
    assert.equal(gpu.computeMode, field(text, 'compute_mode').toLowerCase().replaceAll(/[ _]/g, '-'));
    near(gpu.memoryBytes / 2 ** 20, number('fb_memory_usage', 'total'), 1, 'memory in MiB');
    near(gpu.temperatureC, number('temperature', 'gpu_temp'), 10, 'temperature');
    near(gpu.health.maxClocks.smMhz, number('max_clocks', 'sm_clock'), 0, 'highest SM clock');
    if (gpu.health.ecc) assert.equal(gpu.health.ecc.enabled, field(text, 'ecc_mode', 'current_ecc') === 'Enabled');
    assert.deepEqual(gpu.problems, []);
  }
});

test('agrees with the Vulkan loader', (context) => {
  const { status, stdout } = spawnSync('vulkaninfo', ['--summary'], { encoding: 'utf8', timeout: 60_000 });
  if (status !== 0) return context.skip('vulkaninfo is not installed here');
  const listed = [...stdout.matchAll(/deviceUUID\s*=\s*(\S+)/g)].map(([, uuid]) => uuid);
  assert.deepEqual(
    devices().vulkan.devices.map(({ deviceUuid }) => deviceUuid),
    listed,
  );
});

test('a snapshot and polls hold no GPU memory and cost less than 5 ms of CPU time', async (context) => {
  const { EngineClient, localEngine } = require(path.join(dist, 'lazy-helper-engine-client.js'));
  const client = new EngineClient({ name: 'gpu test', launch: localEngine(path.join(dist, 'engine.js'), process.env) });
  try {
    const { nvml } = await client.request('devices/snapshot', {});
    if (!nvml.available) return context.skip(nvml.reason.message);
    const polls = [];
    for (let round = 0; round < 30; ++round) polls.push(await client.request('devices/poll', {}));
    const cpu = median(polls.slice(1).map(({ cost }) => cost.cpuMs));
    const wall = median(polls.slice(1).map(({ cost }) => cost.wallMs));
    console.log(
      `devices: poll ${cpu.toFixed(2)} ms CPU, ${wall.toFixed(2)} ms, ${polls[0].gpus.length} GPUs; first poll ${polls[0].cost.wallMs.toFixed(1)} ms`,
    );
    const holders = polls
      .flatMap(({ gpus }) => gpus.flatMap(({ processes }) => processes))
      .filter(({ pid, name }) => pid === client.pid || /seamscope/.test(name ?? ''));
    assert.deepEqual(holders, [], 'the engine holds GPU memory');
    assert.ok(cpu < 5, `${cpu} ms`);
    assert.equal(new Set(polls.map(({ generation }) => generation)).size, 1);
    for (const gpu of polls.at(-1).gpus) {
      assert.ok(gpu.use.percent !== undefined || gpu.use.missing, `GPU ${gpu.index} has neither use nor a reason`);
      assert.ok(gpu.clocks.smMhz > 0);
    }
    await client.request('devices/poll', { last: true });
  } finally {
    await client.dispose();
  }
});

test('CUDA tells what interop needs', () => {
  for (const { ordinal, attributes, legacyUuid, problems = [] } of devices().cuda.devices) {
    for (const name of ['virtualMemoryManagement', 'posixFileDescriptorHandle', 'timelineSemaphoreInterop', 'memoryPools', 'unifiedAddressing'])
      assert.equal(attributes[name], 1, `CUDA ${ordinal}: ${name}`);
    assert.match(legacyUuid ?? '', /^[0-9a-f-]{36}$/);
    assert.deepEqual(problems, []);
  }
});

test('the doctor finds nothing broken, or says what', () => {
  const { status, stdout } = spawnSync(process.execPath, [path.join(dist, 'cli.js'), 'doctor', '--json'], { encoding: 'utf8', timeout: 60_000 });
  const found = JSON.parse(stdout).checks.filter((check) => check.status === 'found');
  for (const { severity, title, message } of found) console.log(`doctor: ${severity} ${title}: ${message}`);
  const problems = found.filter(({ severity }) => severity === 'problem');
  assert.equal(status, problems.length > 0 ? 1 : 0);
  for (const { fixes, title } of problems) assert.ok(fixes.length > 0, `${title} has no fix`);
});
