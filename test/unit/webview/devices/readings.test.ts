import { describe, expect, it } from 'vitest';
import { deviceWith } from '../../../../helper/protocol/device-parts';
import type { DevicePoll } from '../../../../helper/protocol/device-readings';
import { withReading } from '../../../../webview/src/devices/model/live';
import { GAP_MS, linesOf, sampleOf, topOf } from '../../../../webview/src/devices/model/samples';
import { initialState } from '../../../../webview/src/devices/state';
import { machines } from '../../extension/devices/snapshots';

const machine = machines.migWithoutGraphics;
const [gpu] = machine.nvml.gpus;
const [instance] = gpu!.instances;

function poll(takenAt: string): DevicePoll {
  return {
    version: 1,
    takenAt,
    available: true,
    generation: 'g',
    cost: { cpuMs: 0, wallMs: 0 },
    gpus: [
      {
        index: 0,
        uuid: gpu!.uuid,
        memoryUsedBytes: 5,
        use: { missing: { code: 'failed', message: 'MIG.' } },
        temperatureC: 50,
        clocks: { smMhz: 1000 },
        processes: [{ pid: 4, kinds: ['compute'], gpuInstanceId: 9, computeInstanceId: 0 }],
        instances: [{ index: 2, uuid: instance!.uuid, gpuInstanceId: 9, computeInstanceId: 0, memoryUsedBytes: 3, use: { percent: 12 } }],
        problems: [],
      },
    ],
  };
}

describe('a reading', () => {
  it('renews the values of GPU and instance, and no others', () => {
    const { nvml, cuda } = withReading(machine, poll('2026-11-01T00:00:01Z'));
    expect(nvml.gpus[0]).toMatchObject({
      memoryUsedBytes: 5,
      temperatureC: 50,
      powerWatts: gpu!.powerWatts,
      name: gpu!.name,
      processes: [{ pid: 4 }],
    });
    expect(nvml.gpus[0]!.instances[0]).toMatchObject({ memoryUsedBytes: 3, use: { percent: 12 }, memoryBytes: instance!.memoryBytes });
    expect(cuda).toBe(machine.cuda);
  });

  it('from before the snapshot changes nothing, nor does one of a machine without NVML', () => {
    expect(withReading(machine, poll('2026-10-31T00:00:00Z'))).toBe(machine);
    expect(withReading(machine, { ...poll('2026-11-01T00:00:01Z'), available: false })).toBe(machine);
  });

  it('becomes a sample of the instance, which has no share of temperature', () => {
    const device = deviceWith(machine, instance!.uuid)!;
    expect(sampleOf(device, poll('2026-11-01T00:00:01Z'))).toMatchObject({ use: 12, memory: 3 });
    expect(sampleOf(device, { ...poll('2026-11-01T00:00:01Z'), gpus: [] })).toBeUndefined();
  });
});

describe('lines of a chart', () => {
  const scale = { end: 100_000, span: 100_000, low: 0, high: 10 };

  it('break where nobody read, and where there was no value', () => {
    const samples = [
      { time: 0, use: 5 },
      { time: 1_000, use: 10 },
      { time: 1_000 + GAP_MS + 1, use: 0 },
      { time: 20_000 },
      { time: 100_000, use: 20 },
    ];
    expect(linesOf(samples, 'use', scale)).toEqual([
      [
        [0, 0.5],
        [0.01, 1],
      ],
      [[(1_001 + GAP_MS) / 100_000, 0]],
      [[1, 1]],
    ]);
  });

  it('leave out what is too old', () => {
    expect(linesOf([{ time: -1, use: 5 }], 'use', scale)).toEqual([]);
  });

  it.each([
    [[], 100, 100],
    [[{ time: 0, power: 312 }], 100, 350],
    [[{ time: 0, power: 20 }], 10, 20],
  ])('go up to a round number: %j, at least %d', (samples, least, top) => {
    expect(topOf(samples, ['power'], least)).toBe(top);
  });
});

describe('what VS Code stored of a panel', () => {
  it.each([
    [undefined, { device: null, filter: '', sorting: {} }],
    [
      { device: 7, filter: {}, sorting: { gpus: { column: 1 }, vulkan: { column: 'name', descending: true } } },
      { device: null, filter: '', sorting: { vulkan: { column: 'name', descending: true } } },
    ],
    [
      { device: 'a', filter: 'b', sorting: null },
      { device: 'a', filter: 'b', sorting: {} },
    ],
  ])('%j is read with care', (stored, expected) => {
    expect(initialState(stored)).toEqual(expected);
  });
});
