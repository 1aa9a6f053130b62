import { describe, expect, it } from 'vitest';
import { whyNoPartner } from '../../../helper/engine/seamtest-partner';
import type { DeviceSnapshot } from '../../../helper/protocol/devices';
import { cpuOnly, matched, reason, vulkanDevice } from '../cli/fixtures';

const lavapipe = { ...cpuOnly.vulkan.devices[0]!, index: 1, deviceUuid: '6d657361-0000-0000-0000-000000000000' };

describe('why there is no CUDA partner', () => {
  it('is nothing where there is one, or no Vulkan device to ask about', () => {
    expect(whyNoPartner(matched)).toBeUndefined();
    expect(whyNoPartner({ ...matched, vulkan: { ...matched.vulkan, devices: [] } })).toBeUndefined();
  });

  it("is CUDA's own reason where CUDA is not there", () => {
    const cuda = { available: false, devices: [], reason: reason('cuda-library-missing', 'libcuda.so.1 cannot be opened.') };
    const why = whyNoPartner({ ...cpuOnly, cuda });
    expect(why?.message).toBe(
      `The hand-off between Vulkan and CUDA cannot be tested here: no CUDA device is ${cpuOnly.vulkan.devices[0]!.name}. libcuda.so.1 cannot be opened.`,
    );
    expect(why?.nextStep).toBe(cuda.reason.nextStep);
  });

  it("is the match's reason where CUDA has other devices", () => {
    const snapshot: DeviceSnapshot = {
      ...matched,
      vulkan: { ...matched.vulkan, devices: [vulkanDevice, lavapipe] },
      matches: [...matched.matches, { vulkanIndex: 1, status: 'vulkan-only', reasons: [reason('cpu-driver', 'It runs on the CPU.')] }],
    };
    expect(whyNoPartner(snapshot)).toBeUndefined();
    expect(whyNoPartner(snapshot, lavapipe.deviceUuid)?.message).toMatch(/It runs on the CPU\.$/);
  });

  it('leads to the doctor where no reason is known', () => {
    expect(whyNoPartner({ ...matched, cuda: { ...matched.cuda, devices: [] }, matches: [] })?.nextStep).toMatch(/Run the doctor/);
  });
});
