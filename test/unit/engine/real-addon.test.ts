import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { EngineClient, localEngine } from '../../../helper/engine/client';
import type { Picture } from '../../../helper/protocol/picture-assembler';
import { bundleEngine, childProcesses, realAddon, VIEW } from './harness';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const addon = realAddon();
const bundle = bundleEngine();
if (!addon) console.log('skipped: the addon has not been built (npm run build)');

function open(): EngineClient {
  return new EngineClient({ name: 'test', launch: localEngine(path.join(bundle, 'engine.js'), { ...process.env, SEAMSCOPE_ADDON: addon! }) });
}

describe.skipIf(!addon)('the real addon', () => {
  it('keeps what is printed on fd 1 out of the stream', async () => {
    const script = `const addon = require(${JSON.stringify(addon)}); const fs = require('node:fs');
      const stream = addon.takeStdout(); fs.writeSync(1, 'a driver banner'); fs.writeSync(stream, 'the stream');`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    const got = { stdout: '', stderr: '' };
    child.stdout.on('data', (bytes) => (got.stdout += bytes));
    child.stderr.on('data', (bytes) => (got.stderr += bytes));
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(got).toEqual({ stdout: 'the stream', stderr: 'a driver banner' });
  });

  it('answers devices/snapshot through the probe, and the same again', async () => {
    const client = open();
    const first = await client.request('devices/snapshot', {});
    const second = await client.request('devices/snapshot', {});
    expect({ ...second, takenAt: '', nvml: null }).toEqual({ ...first, takenAt: '', nvml: null });
    expect(first.vulkan.available || first.vulkan.reason).toBeTruthy();
    await client.dispose();
    expect(childProcesses(bundle)).toEqual([]);
  });

  it('draws the scene without any Vulkan driver, counts it, and lets everything go', async () => {
    const client = open();
    const pictures: Picture[] = [];
    client.on('picture', (picture) => pictures.push(picture));
    const cycle = async (wanted: number) => {
      const size = { width: 64, height: 32 };
      const { viewId } = await client.request('view/open', { source: 'scene', view: VIEW, device: 'host', size });
      client.grant(viewId, 2);
      await expect.poll(() => pictures.length, { timeout: 20_000 }).toBe(wanted);
      await client.request('view/close', { viewId });
      return client.request('stats', {});
    };
    const first = await cycle(2);
    const second = await cycle(4);
    expect(second).toMatchObject({ openFds: first.openFds, views: 0, gpuMemoryBytes: 0 });
    expect(pictures.every(({ info, bytes }) => info.encoding === 'rgba' && bytes.length === 64 * 32 * 4)).toBe(true);
    expect(new Set(pictures[0]?.bytes).size).toBeGreaterThan(10);
    await client.dispose();
    expect(childProcesses(bundle)).toEqual([]);
  });
});
