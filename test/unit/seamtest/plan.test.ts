import { describe, expect, it } from 'vitest';
import { cellsOf, chooseTargets } from '../../../helper/engine/seamtest-plan';
import type { DeviceSnapshot, VulkanDevice } from '../../../helper/protocol/devices';
import { cpuOnly, matched, vulkanDevice } from '../cli/fixtures';

const lavapipe: VulkanDevice = { ...vulkanDevice, index: 1, name: 'llvmpipe', type: 'cpu', deviceUuid: '6d657361-0000-0000-0000-000000000000' };
const both: DeviceSnapshot = { ...matched, vulkan: { ...matched.vulkan, devices: [vulkanDevice, lavapipe] } };

describe('which devices are tested', () => {
  it('takes the pairs with equal UUIDs and names the rest', () => {
    const { chosen, notTested } = chooseTargets(both);
    expect(chosen).toEqual([{ device: vulkanDevice, cudaOrdinal: 0 }]);
    expect(notTested).toEqual([{ name: 'llvmpipe', vulkanUuid: lavapipe.deviceUuid, reason: expect.stringContaining('--device') }]);
  });

  it('lets the host consume where no CUDA is', () => {
    expect(chooseTargets(cpuOnly).chosen).toEqual([{ device: cpuOnly.vulkan.devices[0] }]);
  });

  it('takes the one that was asked for, with or without prefix', () => {
    expect(chooseTargets(both, `GPU-${lavapipe.deviceUuid.toUpperCase()}`).chosen).toEqual([{ device: lavapipe }]);
    expect(() => chooseTargets(both, 'nonsense')).toThrow(/No Vulkan device has the UUID nonsense. There are: .*llvmpipe/);
  });

  it('says why there is no Vulkan device', () => {
    const reason = { code: 'vulkan-no-icd', message: 'No driver manifest.', nextStep: 'Install one.' } as const;
    const none: DeviceSnapshot = { ...cpuOnly, vulkan: { available: false, reason, devices: [] } };
    expect(() => chooseTargets(none)).toThrow('No driver manifest.');
  });
});

describe('which runs are made', () => {
  const target = { device: vulkanDevice, cudaOrdinal: 0 };
  const names = (settings = {}) => cellsOf(target, settings).map((cell) => Object.values(cell).join(' '));

  it('covers modes, slots, ownership, processes and directions once each, and images beside them', () => {
    const cells = cellsOf(target, {});
    expect(cells.filter(({ resource }) => resource === 'buffer')).toHaveLength(2 * 4 * 2 * 2 * 2);
    expect(cells.filter(({ resource }) => resource === 'image')).toHaveLength(2 * 2 * 2);
    expect(new Set(names()).size).toBe(cells.length);
    expect(cells.every(({ latencyFrames, slots, processes }) => latencyFrames === 0 || (slots === 1 && processes === 1))).toBe(true);
  });

  it('is smaller when quick, and obeys frames and size', () => {
    expect(names({ quick: true }).length).toBeLessThan(names().length);
    const [cell] = cellsOf(target, { frames: 7, size: { width: 64, height: 32 } });
    expect(cell).toMatchObject({ frames: 7, width: 64, height: 32 });
    expect(cellsOf({ device: lavapipe }, {})[0]).toMatchObject({ width: 320, height: 180 });
  });

  it('makes only the runs that were asked for', () => {
    const cells = cellsOf(target, { only: { modes: ['fence'], directions: ['partner-to-vulkan'], processes: [1], resources: ['buffer'] } });
    expect(cells).toHaveLength(4 * 2);
    for (const cell of cells) expect(cell).toMatchObject({ mode: 'fence', direction: 'partner-to-vulkan', processes: 1, resource: 'buffer' });
    expect(cellsOf(target, { only: { directions: [] } })).toEqual([]);
  });
});
