import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { loadAddon } from '../../../helper/engine/addon-loader';
import { DeviceService } from '../../../helper/engine/device-service';
import { runProbe } from '../../../helper/engine/probe-runner';
import { UserError } from '../../../helper/engine/user-error';
import type { DeviceSnapshot } from '../../../helper/protocol/devices';
import { bundleEngine, childProcesses, fdCount, STAND_IN } from './harness';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const bundle = bundleEngine();
const dir = mkdtempSync(path.join(tmpdir(), 'seamscope-probe-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A probe that does what `body` says; `answer(text)` writes its result. */
function probeThat(name: string, body: string): string {
  const script = path.join(dir, `${name}.cjs`);
  writeFileSync(script, `const answer = (text) => { const fs = require('node:fs'); fs.writeSync(3, text); fs.closeSync(3); };\n${body}`);
  return script;
}

const GOOD = JSON.stringify({
  version: 1,
  environment: { variables: {} },
  nvml: { available: false, gpus: [] },
  libraries: [],
  matches: [],
  vulkan: { available: true, devices: [] },
  cuda: { available: false, devices: [] },
});

async function reasonOf(name: string, body: string) {
  const result = await runProbe({ script: probeThat(name, body), addonPath: '', env: process.env, timeoutMs: 1500 });
  return 'reason' in result ? result.reason : null;
}

describe('runProbe', () => {
  it.each([
    [
      'a crash',
      'console.error("libGL: bad"); process.kill(process.pid, "SIGSEGV"); setInterval(() => {}, 1000)',
      /ended by SIGSEGV: a driver crashed/,
      'libGL: bad',
    ],
    ['an abort', 'process.abort()', /ended by SIGABRT/, undefined],
    ['a hang', 'console.log("still thinking"); while (true);', /did not end within 1.5 s: a driver hangs/, 'still thinking'],
    ['an exit code', 'console.error("no addon"); process.exit(3)', /exit code 3/, 'no addon'],
    ['nonsense', 'answer("{]")', /answered with 2 bytes that are not a device snapshot/, undefined],
    ['another snapshot version', 'answer(`{"version":2}`)', /not a device snapshot/, undefined],
  ])('turns %s into a reason', async (name, body, message, detail) => {
    const reason = await reasonOf(name, body);
    expect(reason).toMatchObject({ code: 'probe-failed', message: expect.stringMatching(message) });
    expect(reason?.nextStep).toMatch(/vulkaninfo/);
    if (detail) expect(reason?.detail).toContain(detail);
  });

  it('takes the answer of a driver that then hangs in its exit, whatever it printed', async () => {
    const script = probeThat('exit-hang', `console.log("noise on stdout"); answer(${JSON.stringify(GOOD)}); while (true);`);
    const result = await runProbe({ script, addonPath: '', env: process.env, timeoutMs: 10_000 });
    expect(result).toMatchObject({ snapshot: { version: 1 } });
  });

  it('names a probe that cannot be started and leaves no process or descriptor', async () => {
    const before = fdCount();
    expect(await reasonOf('gone', 'process.exit(0)')).toMatchObject({ code: 'probe-failed' });
    const stop = new AbortController();
    const hanging = runProbe({ script: probeThat('stopped', 'setInterval(() => {}, 1000)'), addonPath: '', env: process.env }, stop.signal);
    stop.abort();
    expect(await hanging).toMatchObject({ reason: { message: 'The device probe was stopped.' } });
    await expect.poll(() => childProcesses(dir)).toEqual([]);
    await expect.poll(() => fdCount()).toBeLessThanOrEqual(before);
  });
});

describe('DeviceService', () => {
  /** Counts its runs in a file and says which environment it saw. */
  const counter = path.join(dir, 'runs');
  const counting = probeThat(
    'counting',
    `require('node:fs').appendFileSync(${JSON.stringify(counter)}, 'x');
     const { CUDA_VISIBLE_DEVICES, EDITOR } = process.env;
     answer(JSON.stringify({ ...${GOOD}, environment: { variables: { CUDA_VISIBLE_DEVICES, EDITOR } } }));`,
  );
  const runs = () => readFileSync(counter, 'utf8').length;
  const fresh = () => {
    writeFileSync(counter, '');
    return new DeviceService(loadAddon([STAND_IN]), counting);
  };
  const icd = path.join(dir, 'icd.json');
  writeFileSync(icd, '{"ICD":{"library_path":"libvulkan_x.so"}}');
  const env = { ...process.env, VK_DRIVER_FILES: icd };

  it('asks the drivers once, and again only when something that matters has changed', async () => {
    const service = fresh();
    const runsAfter = async (params: Parameters<DeviceService['snapshot']>[0], base: NodeJS.ProcessEnv = env) => {
      await service.snapshot(params, base);
      return runs();
    };
    expect(await runsAfter({})).toBe(1);
    expect(await runsAfter({})).toBe(1);
    expect(await runsAfter({ env: { EDITOR: 'vi' } })).toBe(1);
    expect(await runsAfter({ env: { CUDA_VISIBLE_DEVICES: '1' } })).toBe(2);
    expect(await runsAfter({})).toBe(2);
    expect(await runsAfter({ refresh: true })).toBe(3);
    utimesSync(icd, 1, 1);
    expect(await runsAfter({})).toBe(4);
    service.close();
  });

  it('runs the probe under the environment asked for', async () => {
    const service = fresh();
    const seen = async (overrides: Record<string, string | null>) =>
      (await service.snapshot({ env: overrides }, { ...env, CUDA_VISIBLE_DEVICES: '0' })).environment.variables;
    expect(await seen({})).toMatchObject({ CUDA_VISIBLE_DEVICES: '0' });
    expect(await seen({ CUDA_VISIBLE_DEVICES: 'MIG-1' })).toMatchObject({ CUDA_VISIBLE_DEVICES: 'MIG-1' });
    expect(await seen({ CUDA_VISIBLE_DEVICES: null })).not.toHaveProperty('CUDA_VISIBLE_DEVICES');
    service.close();
  });

  it('lets two askers share one probe', async () => {
    const service = fresh();
    await Promise.all([service.snapshot({}, env), service.snapshot({}, env)]);
    expect(runs()).toBe(1);
    service.close();
  });

  it('answers without an addon: what is missing, what is installed', async () => {
    const service = new DeviceService(new UserError('The native addon could not be loaded. Tried: /x does not exist.', 'Build it.'), 'unused');
    const snapshot = await service.snapshot({}, { ...env, CUDA_VISIBLE_DEVICES: '0', SECRET: 'x' });
    const reason = { code: 'addon-missing', message: expect.stringContaining('/x does not exist'), nextStep: 'Build it.' };
    for (const part of [snapshot.vulkan, snapshot.cuda, snapshot.nvml]) expect(part).toMatchObject({ available: false, reason });
    expect(snapshot.environment.icdFiles).toEqual([{ path: icd, library: 'libvulkan_x.so' }]);
    expect(snapshot.environment.variables).toEqual({ CUDA_VISIBLE_DEVICES: '0', VK_DRIVER_FILES: icd });
  });

  it('keeps the NVML rows when the probe died, and asks again next time', async () => {
    const addon = loadAddon([STAND_IN]);
    const gpu = {
      index: 0,
      name: 'H200',
      uuid: 'u',
      pci: 'p',
      memoryBytes: 1,
      mig: { supported: true, current: true, pending: true },
      instances: [{ index: 0, uuid: 'm' }],
      problems: [],
    };
    const nvml = { available: true, gpus: [gpu] } as unknown as DeviceSnapshot['nvml'];
    const service = new DeviceService(
      { ...addon, addon: { ...addon.addon, nvml: async () => JSON.stringify(nvml) } },
      probeThat('dies', 'process.abort()'),
    );
    const snapshot = await service.snapshot({}, env);
    expect(snapshot.nvml).toEqual(nvml);
    expect(snapshot.matches).toMatchObject([{ gpuIndex: 0, migIndex: 0, uuid: 'm', status: 'physical-only', reasons: [{ code: 'probe-failed' }] }]);
    service.close();
  });

  it('is served by the engine through its real probe bundle', async () => {
    const service = new DeviceService(loadAddon([STAND_IN]), path.join(bundle, 'probe.js'));
    expect(await service.snapshot({}, env)).toMatchObject({ version: 1, vulkan: { available: true } });
    service.close();
  });
});
