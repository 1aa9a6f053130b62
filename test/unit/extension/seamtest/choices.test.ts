import { describe, expect, it } from 'vitest';
import { deviceChoices, type Part, parts, settingsFor } from '../../../../extension/src/seamtest/choices';
import type { DeviceSnapshot } from '../../../../helper/protocol/devices';
import { cpuOnly, matched, vulkanDevice } from '../../cli/fixtures';

const all = parts.map(({ value }) => value);
const lavapipe = { ...cpuOnly.vulkan.devices[0]!, index: 1, deviceUuid: '6d657361-0000-0000-0000-000000000000' };
const withDevices = (...devices: typeof matched.vulkan.devices): DeviceSnapshot => ({ ...matched, vulkan: { ...matched.vulkan, devices } });

describe('what can be chosen before a seam test', () => {
  it('is everything when everything is ticked', () => {
    expect(settingsFor(all)).toEqual({});
  });

  it('is the rest when something is not', () => {
    const without = all.filter(({ value }) => value !== 'partner-to-vulkan' && value !== 2);
    expect(settingsFor(without)).toEqual({
      only: { modes: ['timeline', 'fence'], directions: ['vulkan-to-partner'], processes: [1], resources: ['buffer', 'image'] },
    });
  });

  it.each<[Part['axis'], string]>([
    ['modes', 'way to synchronise'],
    ['directions', 'direction'],
    ['processes', 'number of processes'],
    ['resources', 'kind of resource'],
  ])('asks again when nothing of %s is ticked', (axis, words) => {
    expect(settingsFor(all.filter((part) => part.axis !== axis))).toEqual({ missing: `Tick one ${words} at least.` });
  });

  it('asks for the device only where there is a choice', () => {
    expect(deviceChoices(matched)).toEqual([]);
    expect(deviceChoices(withDevices(vulkanDevice, lavapipe)).map(({ description, value }) => [description, value])).toEqual([
      [`Vulkan ${vulkanDevice.index} = CUDA 0`, vulkanDevice.deviceUuid],
      [`Vulkan ${lavapipe.index}, no CUDA partner`, lavapipe.deviceUuid],
    ]);
  });

  it('offers all devices at once where several have a partner', () => {
    const second = { ...vulkanDevice, index: 1, deviceUuid: '11111111-2222-3333-4444-555555555555' };
    const snapshot = withDevices(vulkanDevice, second);
    const cuda = { ...snapshot.cuda, devices: [...snapshot.cuda.devices, { ...snapshot.cuda.devices[0]!, ordinal: 1, uuid: second.deviceUuid }] };
    const [first] = deviceChoices({ ...snapshot, cuda });
    expect(first).toMatchObject({ label: 'All 2 devices with a CUDA partner', value: undefined });
  });
});
