/** What is missing on this machine, or misleads, in sentences. */
import type { DeviceParts } from '../../../../helper/protocol/device-parts';
import type { DeviceSnapshot, Reason } from '../../../../helper/protocol/devices';
import { isBenign } from '../../../../helper/protocol/reason-words';
import { healthFindings } from './health';

export interface Finding {
  message: string;
  nextStep?: string;
  /** The driver's own words. */
  detail?: string;
  level: 'info' | 'warning' | 'error';
}

export function reasonFinding({ detail, ...reason }: Reason): Finding {
  const { message, nextStep } = reason;
  return { message, nextStep, level: isBenign(reason) ? 'info' : 'warning', ...(detail && { detail }) };
}

const noGpu: Finding = {
  message: 'The drivers are installed, but they list no GPU.',
  nextStep: 'Check that this machine or container was given one ("nvidia-smi -L", /dev/nvidia*), and that no filter hides it.',
  level: 'warning',
};

/** Why an API is absent. Two APIs that are absent for one reason say it once. */
export function machineFindings({ vulkan, cuda, nvml }: DeviceSnapshot): Finding[] {
  const withoutDriver = cuda.reason?.code === 'cuda-library-missing' && nvml.reason?.code === 'nvml-library-missing';
  const all = [vulkan.reason, cuda.reason, withoutDriver ? undefined : nvml.reason];
  // The notice above says what a hanging driver did.
  const reasons = all.filter((reason) => reason !== undefined && reason.code !== 'driver-hangs') as Reason[];
  const devices = vulkan.devices.length + cuda.devices.length + nvml.gpus.length;
  const findings = devices + all.filter(Boolean).length > 0 ? reasons.map(reasonFinding) : [noGpu];
  return findings.filter(({ message }, at) => findings.findIndex((other) => other.message === message) === at);
}

export function pitfallFindings({ pitfalls = [] }: DeviceSnapshot): Finding[] {
  return pitfalls.map(({ message, nextStep }) => ({ message, nextStep, level: 'warning' }));
}

/** Of one device: why a partner is missing, and what is wrong with it. */
export function deviceFindings({ gpu, instance, cuda, reasons }: DeviceParts): Finding[] {
  // In MIG mode the instances are what CUDA and Vulkan list.
  const own = gpu && !instance && gpu.instances.length > 0 ? [] : reasons;
  const health = gpu ? healthFindings(gpu).map(({ title, level }): Finding => ({ message: title, level })) : [];
  return [...own, ...(cuda?.uuidReason ? [cuda.uuidReason] : []), ...(cuda?.problems ?? [])].map(reasonFinding).concat(health);
}
