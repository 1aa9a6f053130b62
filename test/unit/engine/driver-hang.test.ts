import { describe, expect, it, vi } from 'vitest';
import { NvmlReader } from '../../../helper/engine/nvml-reader';
import type { NativeAddon } from '../../../helper/protocol/addon';
import { bundleEngine, childProcesses, clientOf } from './harness';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const never = () => new Promise<string>(() => {});
const addonThat = (nvml: () => Promise<string>) =>
  ({ nvml, nvmlPoll: nvml, nvmlClose: () => {}, driverCall: () => 'nvmlDeviceGetTemperature' }) as unknown as NativeAddon;

describe('NvmlReader', () => {
  it('names the call that never returns, once, and asks nothing more', async () => {
    const hangs: string[] = [];
    let asked = 0;
    const addon = addonThat(() => {
      asked++;
      return never();
    });
    const reader = new NvmlReader(addon, { timeoutMs: 50, onHang: ({ message }) => hangs.push(message) });
    const [facts, poll] = await Promise.all([reader.facts(), reader.poll()]);
    for (const { available, reason } of [facts, poll, await reader.facts()])
      expect({ available, reason }).toMatchObject({ available: false, reason: { code: 'driver-hangs', detail: 'nvmlDeviceGetTemperature' } });
    expect(hangs).toEqual([expect.stringMatching(/nvmlDeviceGetTemperature did not return within 0.05 s/)]);
    expect(asked).toBe(2);
    reader.close();
  });

  it('turns an error of the addon into a reason', async () => {
    const reader = new NvmlReader(addonThat(() => Promise.reject(new Error('It broke.'))));
    expect(await reader.facts()).toMatchObject({ available: false, gpus: [], reason: { message: 'It broke.' } });
    expect(await reader.poll()).toMatchObject({ available: false, gpus: [], reason: { message: 'It broke.' } });
    reader.close();
  });
});

describe('the engine', () => {
  const bundle = bundleEngine();

  it('answers with the call that hangs, ends, and is started again', async () => {
    const client = clientOf(bundle, { nvmlHangs: true }, { autoRestart: true });
    const stopped = new Promise<string[]>((resolve) => client.once('stopped', ({ end }) => resolve(end.lastWords)));
    await client.start();
    const first = client.pid;
    const again = new Promise((resolve) => client.once('started', resolve));
    expect((await client.request('devices/poll', {})).reason).toMatchObject({ code: 'driver-hangs', detail: 'nvmlDeviceGetTemperature' });
    expect((await stopped).join('\n')).toMatch(/nvmlDeviceGetTemperature did not return within 6 s, so the engine was started again/);
    await again;
    expect(client.pid).not.toBe(first);
    expect(await client.request('devices/snapshot', {})).toMatchObject({ version: 1 });
    await client.dispose();
    await expect.poll(() => childProcesses(bundle)).toEqual([]);
  });
});
