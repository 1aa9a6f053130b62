import { describe, expect, it } from 'vitest';
import type { MigInstance, MigProfile } from '../../../../helper/protocol/devices';
import { type SliceBlock, sliceLayout } from '../../../../webview/src/devices/model/slices';
import { nvmlGpu } from '../../extension/devices/snapshots';

type Placed = [profile: string, gi: number, ci: number, start: number, size: number, computeSlices?: number];

function instance([profile, gi, ci, start, size, computeSlices]: Placed, index: number, placed: boolean): MigInstance {
  const engines = computeSlices === undefined ? undefined : { copy: 1, decoder: 0, encoder: 0, jpeg: 0, ofa: 0, gpuSlices: 0, computeSlices };
  return {
    index,
    uuid: `u${gi}-${ci}`,
    nvmlUuid: `MIG-u${gi}-${ci}`,
    name: profile,
    profile,
    gpuInstanceId: gi,
    computeInstanceId: ci,
    memoryBytes: 1,
    ...(placed && { placement: { start, size } }),
    ...(engines && { engines }),
  };
}

const profile = (name: string, maxInstances: number): MigProfile => ({ id: 1, name, graphics: false, memoryBytes: 1, smCount: 1, maxInstances });

function layoutOf(instances: Placed[], slices: number, placed = true) {
  const mig = { supported: true, current: true, pending: true };
  const profiles = [profile('1g.18gb', slices), profile(`${slices}g.141gb`, 1)];
  return sliceLayout(nvmlGpu({ mig, profiles, instances: instances.map((each, at) => instance(each, at, placed)) }));
}

/** "3g x4" for an instance over four slices, "." free, "#" unused. */
const drawn = (blocks: SliceBlock[]) =>
  blocks.map(({ kind, label, size }) => ({ instance: `${label}x${size}`, free: '.', blocked: '#' })[kind]).join(' ');

describe('the layout of MIG slices', () => {
  it.each<[string, Placed[], number, string, string]>([
    ['an empty H200', [], 7, '. . . . . . .', '. . . . . . . .'],
    ['a hole at the start', [['1g.18gb', 8, 0, 1, 1]], 7, '. 8/0x1 . . . . .', '. 1g.18gbx1 . . . . . .'],
    [
      'a compute slice lost beside an instance of four memory slices',
      [
        ['3g.71gb', 1, 0, 0, 4],
        ['3g.71gb', 2, 0, 4, 4],
      ],
      7,
      '1/0x3 # 2/0x3',
      '3g.71gbx4 3g.71gbx4',
    ],
    [
      'compute instances that share a GPU instance and leave a slice',
      [
        ['3g.71gb', 1, 1, 0, 4, 1],
        ['3g.71gb', 1, 0, 0, 4, 1],
      ],
      7,
      '1/0x1 1/1x1 # # . . .',
      '3g.71gbx4 . . . .',
    ],
    ['a chip with four of each', [['1g.24gb+gfx', 3, 0, 0, 1]], 4, '3/0x1 . . .', '1g.24gb+gfxx1 . . .'],
  ])('%s', (_, instances, slices, compute, memory) => {
    const layout = layoutOf(instances, slices)!;
    expect({ compute: drawn(layout.compute), memory: drawn(layout.memory), exact: layout.exact }).toEqual({ compute, memory, exact: true });
  });

  it('draws instances in the order of their ids where the driver does not tell their places', () => {
    const layout = layoutOf(
      [
        ['2g.35gb', 3, 0, 0, 0],
        ['1g.18gb', 9, 0, 0, 0],
      ],
      7,
      false,
    )!;
    expect({ compute: drawn(layout.compute), exact: layout.exact }).toEqual({ compute: '3/0x2 9/0x1 . . . .', exact: false });
  });

  it('is not there without MIG', () => {
    expect(sliceLayout(nvmlGpu())).toBeUndefined();
  });

  it('knows which instances a block stands for', () => {
    const { memory, compute } = layoutOf(
      [
        ['3g.71gb', 1, 0, 0, 4, 1],
        ['3g.71gb', 1, 1, 0, 4, 1],
      ],
      7,
    )!;
    expect([memory[0]!.devices, compute[1]!.devices]).toEqual([['u1-0', 'u1-1'], ['u1-1']]);
    expect(compute[2]!.title).toMatch(/belongs to GPU instance 1/);
  });
});
