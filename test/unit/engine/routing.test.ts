import { describe, expect, it } from 'vitest';
import { explained } from '../../../helper/engine/routing/explained';
import type { CudaDevice, DeviceMatch, DeviceSnapshot, MigInstance, NvmlGpu } from '../../../helper/protocol/devices';
import type { SourceDescription } from '../../../helper/protocol/frames';
import { gpu, matched, vulkanDevice } from '../cli/fixtures';

const uuid = (digit: string) => `${digit.repeat(8)}-0000-1111-2222-333344445555`;
const PARENT = uuid('a');

function instance(index: number): MigInstance {
  const own = uuid(String(index + 1));
  return {
    index,
    uuid: own,
    nvmlUuid: `MIG-${own}`,
    name: 'NVIDIA H200 MIG 1g.18gb',
    gpuInstanceId: 7 + index,
    computeInstanceId: 0,
    memoryBytes: 1,
    legacyUuid: `MIG-GPU-${PARENT}/${7 + index}/0`,
  };
}

const split: NvmlGpu = {
  ...gpu,
  index: 0,
  uuid: PARENT,
  mig: { supported: true, current: true, pending: true },
  instances: [instance(0), instance(1)],
};
const whole: NvmlGpu = { ...gpu, index: 1, uuid: uuid('c') };

/** A machine in which CUDA listed these UUIDs. `value`: CUDA_VISIBLE_DEVICES. */
function machine(uuids: string[], value?: string, change: Partial<DeviceSnapshot> = {}): DeviceSnapshot {
  const places: Record<string, Partial<DeviceMatch>> = {
    [uuid('1')]: { gpuIndex: 0, migIndex: 0 },
    [uuid('2')]: { gpuIndex: 0, migIndex: 1 },
    [uuid('c')]: { gpuIndex: 1 },
  };
  const devices: CudaDevice[] = uuids.map((each, ordinal) => ({
    ordinal,
    name: `Device ${each[0]}`,
    uuid: each,
    computeCapability: '9.0',
    memoryBytes: 1,
    attributes: {},
  }));
  const snapshot: DeviceSnapshot = {
    ...matched,
    environment: { ...matched.environment, variables: value === undefined ? {} : { CUDA_VISIBLE_DEVICES: value } },
    vulkan: { available: true, devices: [] },
    cuda: { available: uuids.length > 0, devices },
    nvml: { available: true, driverVersion: '580.159.04', gpus: [split, whole] },
    matches: devices.map(({ ordinal, uuid: own }) => ({ uuid: own!, cudaOrdinal: ordinal, status: 'cuda-only', reasons: [], ...places[own!] })),
    ...change,
  };
  return explained(snapshot, []);
}

const [ONE, TWO, WHOLE] = [uuid('1'), uuid('2'), uuid('c')];

describe('CUDA_VISIBLE_DEVICES entry by entry', () => {
  const cases: [string, string[], [string, string, RegExp?][]][] = [
    [
      '2,0',
      [WHOLE, ONE],
      [
        ['selects', 'index'],
        ['selects', 'index'],
      ],
    ],
    [
      ' GPU-cccc , 0',
      [WHOLE, ONE],
      [
        ['selects', 'gpu-uuid'],
        ['selects', 'index'],
      ],
    ],
    [`MIG-${TWO}`, [TWO], [['selects', 'mig-uuid']]],
    [`MIG-GPU-${PARENT}/8/0`, [TWO], [['selects', 'mig-legacy-uuid']]],
    [`MIG-${PARENT}/8/0`, [TWO], [['selects', 'mig-legacy-uuid']]],
    [`MIG-${TWO.slice(0, 8)}`, [], [['ends-list', 'mig-uuid', /cannot be shortened|No MIG/]]],
    [
      '1,7,2',
      [TWO],
      [
        ['selects', 'index'],
        ['ends-list', 'index', /3 devices, so index 7/],
        ['ignored', 'index', /behind "7"/],
      ],
    ],
    [
      '0,-1,1',
      [ONE],
      [
        ['selects', 'index'],
        ['ends-list', 'negative'],
        ['ignored', 'index'],
      ],
    ],
    [
      '0,0',
      [],
      [
        ['ends-list', 'index', /no device in this environment/],
        ['ignored', 'index'],
      ],
    ],
    [
      '1,1',
      [TWO],
      [
        ['selects', 'index'],
        ['duplicate', 'index', /ordinal 0 a second time/],
      ],
    ],
    ['none', [], [['ends-list', 'malformed', /neither/]]],
    [`GPU-${PARENT}`, [], [['ends-list', 'gpu-uuid', /MIG mode/]]],
    ['GPU-', [], [['ends-list', 'malformed']]],
    ['GPU-dddd', [], [['ends-list', 'gpu-uuid', /No GPU/]]],
  ];
  it.each(cases)('%j', (value, listed, expected) => {
    const { entries } = machine(listed, value).visible!;
    expect(entries.map(({ status, kind }) => [status, kind])).toEqual(expected.map(([status, kind]) => [status, kind]));
    for (const [index, [, , words]] of expected.entries()) if (words) expect(entries[index]?.message).toMatch(words);
  });

  it('says which GPU or instance an ordinal is', () => {
    expect(machine([WHOLE, TWO], '2,1').visible?.entries).toMatchObject([
      { ordinal: 0, gpuIndex: 1 },
      { ordinal: 1, gpuIndex: 0, migIndex: 1 },
    ]);
  });

  it('refuses a short form that fits two GPUs', () => {
    const nvml = { available: true, driverVersion: '580.1', gpus: [whole, { ...whole, index: 2, uuid: `${WHOLE.slice(0, -1)}6` }] };
    expect(machine([], 'GPU-cccc', { nvml }).visible?.entries[0]).toMatchObject({
      status: 'ends-list',
      message: expect.stringMatching(/fits 2 GPUs/),
    });
  });

  it('knows the limit of one instance before R570', () => {
    const nvml = { available: true, driverVersion: '550.90.07', gpus: [split, whole] };
    const { entries, migRule } = machine([ONE], '0,1', { nvml }).visible!;
    expect(entries.map(({ status }) => status)).toEqual(['selects', 'limited']);
    expect(migRule).toMatchObject({ generation: 'one-instance', message: expect.stringMatching(/550.90.07 \(before R570\)/) });
  });

  it.each([
    [undefined, /is not set: CUDA lists 2 devices/],
    ['', /empty, which hides every device/],
    ['0,9', /1 of 2 entries select a device; the list ends at "9"/],
  ])('sums %j up', (value, words) => {
    expect(machine(value === '' ? [] : value ? [ONE] : [ONE, WHOLE], value).visible?.summary).toMatch(words);
  });

  it.each([
    [undefined, 'FASTEST_FIRST', /not set/],
    ['PCI_BUS_ID', 'PCI_BUS_ID', /order of NVML/],
    ['BOGUS', 'FASTEST_FIRST', /does not know the order "BOGUS"/],
  ])('explains the order %j', (order, value, words) => {
    const variables: Record<string, string> = order ? { CUDA_DEVICE_ORDER: order } : {};
    const { visible } = machine([ONE], undefined, { environment: { ...matched.environment, variables } });
    expect(visible?.order).toMatchObject({ value, set: order !== undefined, message: expect.stringMatching(words) });
  });
});

describe('pitfalls', () => {
  const codes = (snapshot: DeviceSnapshot) => explained(snapshot, []).pitfalls?.map(({ code, ordinals }) => [code, ordinals]);

  it('are none on a machine where all numbers agree', () => {
    expect(codes(matched)).toEqual([]);
  });

  const numbers = (snapshot: DeviceSnapshot) => explained(snapshot, []).pitfalls?.find(({ code }) => code === 'ordinal-not-nvml-index');

  it('advise UUIDs, not an order, where MIG instances take numbers of their own', () => {
    expect(numbers(machine([ONE, TWO, WHOLE]))).toMatchObject({
      message: "CUDA's numbers are not those of nvidia-smi here: CUDA 0, 1 are MIG instances of GPU 0, CUDA 2 is GPU 1.",
      nextStep: expect.stringMatching(/^Use UUIDs: nvidia-smi -L/),
    });
  });

  it('advise an order where only whole GPUs are counted differently', () => {
    expect(numbers(machine([WHOLE]))).toMatchObject({
      message: expect.stringMatching(/: CUDA 0 is GPU 1\.$/),
      nextStep: expect.stringMatching(/PCI_BUS_ID/),
    });
  });

  it('names what siblings share', () => {
    const twins = machine([ONE, TWO]);
    const devices = twins.cuda.devices.map((device) => ({ ...device, name: 'NVIDIA H200', pci: '0000:18:00.0', legacyUuid: PARENT }));
    expect(codes({ ...twins, cuda: { ...twins.cuda, devices } })).toEqual([
      ['legacy-uuid-shared', [0, 1]],
      ['pci-shared', [0, 1]],
      ['ordinal-not-nvml-index', [1]],
      ['same-name', [0, 1]],
    ]);
  });
});

describe('routes', () => {
  const source = (id: string, device: string): SourceDescription => ({ id, label: id, kind: 'scene', device, outputs: [] });

  it('go from the ordinal over the Vulkan device to the sources that run there', () => {
    const second = { ...vulkanDevice, index: 1, deviceUuid: uuid('c') };
    const two: DeviceSnapshot = {
      ...matched,
      vulkan: { ...matched.vulkan, devices: [vulkanDevice, second] },
      matches: [
        { cudaOrdinal: 1, vulkanIndex: 0, gpuIndex: 0, uuid: matched.matches[0]!.uuid!, status: 'matched', reasons: [] },
        { cudaOrdinal: 0, vulkanIndex: 1, gpuIndex: 1, uuid: uuid('c'), status: 'matched', reasons: [] },
      ],
    };
    const sources = [source('scene', 'Vulkan 1 NVIDIA H200, compute passes'), source('render', `CUDA device ${matched.matches[0]!.uuid}`)];
    expect(explained(two, sources).routes).toMatchObject([
      { cudaOrdinal: 0, vulkanIndex: 1, gpuIndex: 1, sources: ['scene'] },
      { cudaOrdinal: 1, vulkanIndex: 0, gpuIndex: 0, sources: ['render'] },
    ]);
  });

  it('say why a partner is missing', () => {
    const alone: DeviceSnapshot = {
      ...matched,
      matches: [{ cudaOrdinal: 0, status: 'cuda-only', reasons: [{ code: 'mig-without-graphics', message: 'No graphics.', nextStep: 'x' }] }],
    };
    expect(explained(alone, []).routes).toEqual([{ cudaOrdinal: 0, name: 'NVIDIA H200', sources: [], missing: 'No graphics.' }]);
  });
});
