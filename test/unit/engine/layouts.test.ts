/** `seamscope devices --json` on machines that the stand-in drivers describe: each answer was checked by hand and is held to. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { runProbe } from '../../../helper/engine/probe-runner';
import type { DeviceSnapshot } from '../../../helper/protocol/devices';
import type { DoctorReport } from '../../../helper/protocol/doctor';
import { bundleEngine, realAddon } from './harness';
import { type LayoutAnswer, layoutLines } from './layout-lines';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const root = path.resolve(import.meta.dirname, '../../..');
const fixtures = path.join(root, 'test/fixtures/devices');
const drivers = process.env.SEAMSCOPE_DOUBLES_DIR ?? path.join(root, 'build/native-tests/doubles/driver');
const vulkan = path.join(drivers, 'libseamscope_vulkan.so.1');
const addon = realAddon();
const ready = addon !== null && existsSync(vulkan);
if (!ready) console.log('skipped: the addon or the stand-in drivers have not been built (npm run build, npm test)');

interface Layout {
  machine: unknown;
  /** Whose stand-in of CUDA: beside "driver" in the doubles' folder. */
  doubles?: string;
  answer: LayoutAnswer;
}

const work = mkdtempSync(path.join(tmpdir(), 'seamscope-layouts-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));
const manifest = path.join(work, 'icd.json');
writeFileSync(manifest, JSON.stringify({ file_format_version: '1.0.0', ICD: { library_path: vulkan, api_version: '1.3.280' } }));

type Described = Pick<Layout, 'machine' | 'doubles'>;

/** The command line on a described machine. */
function seamscope(bundle: string, args: string[], { machine, doubles = 'driver' }: Described, variables: Record<string, string> = {}) {
  const description = path.join(work, 'machine.json');
  writeFileSync(description, JSON.stringify(machine));
  const foreign = /^(CUDA_|NVIDIA_|VK_|MESA_VK_|LD_LIBRARY_PATH|SEAMSCOPE_)/;
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name))),
    SEAMSCOPE_ADDON: addon!,
    SEAMSCOPE_DOUBLES: description,
    LD_LIBRARY_PATH: `${path.join(drivers, '..', doubles)}:${drivers}`,
    VK_DRIVER_FILES: manifest,
    VK_ICD_FILENAMES: manifest,
    // The loader sorts devices; the driver's own order is the harder case.
    VK_LOADER_DISABLE_SELECT: '1',
    ...variables,
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(bundle, 'cli.js'), ...args], { env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return { status, answer: JSON.parse(stdout) as unknown };
}

function devices(bundle: string, layout: Described, variables: Record<string, string> = {}): DeviceSnapshot {
  const { status, answer } = seamscope(bundle, ['devices', '--json'], layout, variables);
  expect(status).toBe(0);
  return answer as DeviceSnapshot;
}

describe.skipIf(!ready)('devices --json', () => {
  const bundle = bundleEngine();
  const layouts = readdirSync(fixtures).map((file) => path.basename(file, '.json'));
  const layout = (name: string) => JSON.parse(readFileSync(path.join(fixtures, `${name}.json`), 'utf8')) as Layout;

  it.each(layouts)('answers %s as recorded', (name) => {
    const { answer, ...described } = layout(name);
    expect(layoutLines(devices(bundle, described))).toEqual(answer);
  });

  it('numbers eight GPUs as CUDA_DEVICE_ORDER says, and routes follow', () => {
    const eight = layout('eight-gpus');
    const routes = (variables: Record<string, string>) =>
      devices(bundle, eight, variables).routes!.map(({ cudaOrdinal, vulkanIndex, gpuIndex }) => [cudaOrdinal, vulkanIndex, gpuIndex]);
    expect(routes({ CUDA_DEVICE_ORDER: 'PCI_BUS_ID' })).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((n) => [n, 7 - n, n]));
    expect(routes({ CUDA_VISIBLE_DEVICES: '2,GPU-cccccccc-1111-2222-3333-000000000000' }).filter(([ordinal]) => ordinal !== undefined)).toEqual([
      [0, 4, 3],
      [1, 7, 0],
    ]);
  });

  it('explains the variable with what CUDA really listed', () => {
    const { visible } = devices(bundle, layout('holes'), { CUDA_VISIBLE_DEVICES: 'MIG-bbbbbbbb-1111-5222-8333-000000000002,5,0' });
    expect(visible).toMatchObject({
      entries: [{ status: 'selects', ordinal: 0, gpuIndex: 0, migIndex: 5 }, { status: 'ends-list', kind: 'index' }, { status: 'ignored' }],
      migRule: { generation: 'several-instances', driver: '580.159.04' },
    });
  });

  it('is diagnosed by the doctor, whose causes come through every process', () => {
    const uuid = 'aaaaaaaa-1111-2222-3333-000000000000';
    const machine = { cuInit: 802, gpus: [{ name: 'NVIDIA H200', uuid, computeMode: 3, ecc: { uncorrected: 2 } }] };
    const args = ['doctor', '--json', '--env', 'LD_PRELOAD=/nonexistent/libvgpu.so', '--env', 'CUDA_VISIBLE_DEVICES=9'];
    const { status, answer } = seamscope(bundle, args, { machine });
    const found = (answer as DoctorReport).checks.filter((check) => check.status === 'found').map(({ id }) => id);
    expect(status).toBe(1);
    expect(found).toEqual(expect.arrayContaining(['cuda-init', 'gpu-health', 'compute-mode', 'visible-devices', 'preload', 'loader-filter']));
  });

  it('names the call of a driver that never returns', async () => {
    const description = path.join(work, 'hanging.json');
    writeFileSync(description, JSON.stringify({ ...(layout('mixed').machine as object), faults: { hang: 'cuDeviceGetName' } }));
    const env = { ...process.env, SEAMSCOPE_DOUBLES: description, LD_LIBRARY_PATH: drivers, VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest };
    const result = await runProbe({ script: path.join(bundle, 'probe.js'), addonPath: addon!, env, timeoutMs: 4000 });
    expect(result).toMatchObject({ reason: { code: 'probe-failed', message: expect.stringMatching(/4 s: the driver call cuDeviceGetName hangs/) } });
  });
});
