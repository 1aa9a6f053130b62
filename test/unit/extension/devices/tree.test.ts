import { describe, expect, it } from 'vitest';
import type { DeviceNode } from '../../../../extension/src/devices/node';
import { deviceTree, flatten, summary } from '../../../../extension/src/devices/tree';
import { machines } from './snapshots';

/** Rows as indented text: "label | description". */
function outline(nodes: DeviceNode[], depth = 0): string[] {
  return nodes.flatMap((node) => [
    `${'  '.repeat(depth)}${node.label}${node.description ? ` | ${node.description}` : ''}`,
    ...outline(node.children, depth + 1),
  ]);
}

const outlines: Record<keyof typeof machines, string[]> = {
  lavapipe: [
    'llvmpipe (LLVM 15.0.6, 256 bits) | CPU · 139.7 GiB',
    '  Vulkan 0 | llvmpipe · 1.4.303',
    '  No CUDA device | runs on the CPU',
    '    Cause of cpu-driver.',
    '    Step for cpu-driver.',
    'CUDA | no NVIDIA driver',
    '  Cause of cuda-library-missing.',
    '  Step for cuda-library-missing.',
    'Environment | container',
    '  libvulkan.so.1 | 1.3.239 · /usr/lib/libvulkan.so.1',
    '  libcuda.so.1 | not loaded',
    '  lvp_icd.x86_64.json | libvulkan_lvp.so',
    '  CUDA_VISIBLE_DEVICES | 0',
  ],
  h200: [
    'NVIDIA H200 | 7 % · 1.4 GiB of 139.7 GiB',
    '  CUDA 0 | = Vulkan 0 · compute 9.0',
    '  Vulkan 0 | = CUDA 0 · NVIDIA · 1.4.303',
    'Environment',
  ],
  migWithoutGraphics: [
    'NVIDIA H200 | 7 % · 1.4 GiB of 139.7 GiB',
    '  MIG 1g.18gb | 512 MiB of 18 GiB',
    '    CUDA 0 | compute 9.0',
    '    No Vulkan device | MIG profile without graphics',
    '      Cause of mig-without-graphics.',
    '      Step for mig-without-graphics.',
    'Environment',
  ],
  cudaWithoutNvml: [
    'NVIDIA H200 | 139.7 GiB',
    '  CUDA 0 | compute 9.0',
    '  No Vulkan device | container without graphics',
    '    Cause of container-without-graphics.',
    '    Step for container-without-graphics.',
    'Vulkan | container without graphics',
    '  Cause of container-without-graphics.',
    '  Step for container-without-graphics.',
    'NVML | driver and library differ',
    '  Cause of nvml-driver-mismatch.',
    '  Step for nvml-driver-mismatch.',
    'Environment',
  ],
  noIcd: [
    'Vulkan | no Vulkan driver found',
    '  Cause of vulkan-no-icd.',
    '  Step for vulkan-no-icd.',
    'CUDA | no NVIDIA driver',
    '  Cause of cuda-library-missing.',
    '  Step for cuda-library-missing.',
    'Environment',
  ],
  noDriver: [],
  noGpu: [],
  noAddon: [],
};

const states = { noDriver: 'no-driver', noGpu: 'no-gpu', noAddon: 'addon-missing' } as Record<string, string>;
const summaries = { h200: '1 GPU', migWithoutGraphics: '1 GPU', cudaWithoutNvml: '1 GPU', lavapipe: 'CPU only' } as Record<string, string>;

describe.each(Object.keys(machines) as (keyof typeof machines)[])('the tree of %s', (name) => {
  const machine = machines[name];

  it('has these rows', () => {
    expect(outline(deviceTree(machine).roots)).toEqual(outlines[name]);
  });

  it('is in the right state', () => {
    expect(deviceTree(machine).state).toBe(states[name] ?? 'listed');
  });

  it('is summed up in the status bar', () => {
    expect(summary(machine)).toBe(summaries[name] ?? 'No GPU');
  });

  it('has unique ids', () => {
    const ids = flatten(deviceTree(machine).roots).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('copy actions', () => {
  const find = (name: keyof typeof machines, label: string) => flatten(deviceTree(machines[name]).roots).find((node) => node.label === label);

  it.each([
    ['h200', 'NVIDIA H200', 'GPU-11111111-2222-3333-4444-555555555555'],
    ['migWithoutGraphics', 'MIG 1g.18gb', 'MIG-aaaaaaaa-bbbb-5ccc-8ddd-eeeeeeeeeeee'],
    ['cudaWithoutNvml', 'NVIDIA H200', 'GPU-11111111-2222-3333-4444-555555555555'],
    ['lavapipe', 'llvmpipe (LLVM 15.0.6, 256 bits)', undefined],
  ] as const)('%s: %s selects %s', (name, label, expected) => {
    const node = find(name, label);
    expect(node?.visibleDevices).toBe(expected);
    expect(node?.capabilities?.includes('cuda')).toBe(expected !== undefined);
  });
});

describe('tooltips', () => {
  it('escapes what a driver says', () => {
    const machine = structuredClone(machines.noIcd);
    machine.vulkan.reason!.message = 'Failed [here](command:evil) *now*.';
    machine.vulkan.reason!.detail = 'a `b` c';
    const tooltip = deviceTree(machine).roots[0]?.tooltip;
    expect(tooltip).toContain('\\[here\\]\\(command:evil\\)');
    expect(tooltip).toContain("`a 'b' c`");
  });

  it('name the next step of every reason', () => {
    const rows = flatten(deviceTree(machines.cudaWithoutNvml).roots).filter(({ label }) => label.startsWith('No ') || label === 'NVML');
    expect(rows).toHaveLength(2);
    for (const { tooltip } of rows) expect(tooltip).toContain('Step for');
  });
});

describe('rows that explain', () => {
  it('tell what the variable selects, what misleads, and who is on a GPU', () => {
    const machine = structuredClone(machines.migWithoutGraphics);
    const [gpu] = machine.nvml.gpus;
    const { gpuInstanceId, computeInstanceId } = gpu!.instances[0]!;
    gpu!.processes = [
      { pid: 7, name: 'render', kinds: ['compute'], memoryBytes: 2 ** 30, gpuInstanceId, computeInstanceId },
      { pid: 8, kinds: ['compute', 'graphics'], gpuInstanceId: 99, computeInstanceId: 0 },
    ];
    gpu!.instances[0]!.use = { percent: 41.6 };
    machine.visible = {
      value: '0,9',
      entries: [
        { text: '0', kind: 'index', status: 'selects', ordinal: 0, message: 'Is CUDA device 0.' },
        { text: '9', kind: 'index', status: 'ends-list', message: 'Names none.' },
      ],
      order: { value: 'FASTEST_FIRST', set: false, message: 'Fastest first.' },
      migRule: { generation: 'unknown', message: 'Not known.' },
      summary: '1 of 2 entries select a device.',
    };
    machine.pitfalls = [{ code: 'pci-shared', message: 'They share an address.', nextStep: 'Use UUIDs.', ordinals: [0, 1] }];
    const rows = outline(deviceTree(machine).roots);
    expect(rows).toEqual(
      expect.arrayContaining([
        '    Processes | 1',
        '      render | PID 7 · compute · 1 GiB',
        'CUDA_VISIBLE_DEVICES | 1 of 2 entries select a device.',
        '  "9" | Names none.',
        'Pitfalls on This Machine | 1',
        '  They share an address. | Use UUIDs.',
      ]),
    );
    expect(rows.some((row) => /MIG .*\| 42 % · /.test(row))).toBe(true);
    expect(rows.join('\n')).not.toContain('PID 8');
  });
});
