/** Why there is no CUDA device to hand frames to. Pure. */
import type { DeviceSnapshot, Reason } from '../protocol/devices';

export interface NoPartner {
  message: string;
  nextStep: string;
}

/** Undefined when a device that is to be tested has its CUDA partner. `wanted` is the UUID of the only one to be tested. */
export function whyNoPartner(snapshot: DeviceSnapshot, wanted?: string): NoPartner | undefined {
  const { vulkan, cuda } = snapshot;
  const candidates = vulkan.devices.filter(({ deviceUuid }) => wanted === undefined || deviceUuid === wanted);
  if (candidates.length === 0 || candidates.some(({ deviceUuid }) => cuda.devices.some(({ uuid }) => uuid === deviceUuid))) return undefined;
  const names = candidates.map(({ name }) => name).join(', ');
  const reason = reasonOf(
    snapshot,
    candidates.map(({ index }) => index),
  );
  return {
    message: `The hand-off between Vulkan and CUDA cannot be tested here: no CUDA device is ${names}.${reason ? ` ${reason.message}` : ''}`,
    nextStep: reason?.nextStep ?? 'Run the doctor: it names what stands between CUDA and Vulkan on this machine.',
  };
}

/** CUDA's own reason comes first: without it no match can be. */
function reasonOf({ cuda, matches }: DeviceSnapshot, indices: number[]): Reason | undefined {
  if (cuda.reason) return cuda.reason;
  return matches.find(({ vulkanIndex }) => vulkanIndex !== undefined && indices.includes(vulkanIndex))?.reasons[0];
}
