/** The snapshot of last resort, made without any driver: when the addon is missing or the probe died. It still says why, and what is installed. */
import { existsSync, readFileSync } from 'node:fs';
import type { DeviceMatch, DeviceSnapshot, EnvironmentFacts, NvmlGpu, Reason } from '../protocol/devices';
import { describeIcd, type Env, icdManifests } from './driver-files';

const SHOWN_VARIABLES =
  /^(CUDA_VISIBLE_DEVICES|CUDA_DEVICE_ORDER|NVIDIA_VISIBLE_DEVICES|NVIDIA_DRIVER_CAPABILITIES|VK_(DRIVER_FILES|ADD_DRIVER_FILES|ICD_FILENAMES|LOADER_.*|INSTANCE_LAYERS)|LD_LIBRARY_PATH)$/;

export function bareSnapshot(env: Env, reason: Reason, nvml?: DeviceSnapshot['nvml']): DeviceSnapshot {
  return {
    version: 1,
    takenAt: new Date().toISOString(),
    environment: environmentFacts(env),
    libraries: [],
    vulkan: { available: false, reason, devices: [] },
    cuda: { available: false, reason, devices: [] },
    nvml: nvml ?? { available: false, reason, gpus: [] },
    matches: (nvml?.gpus ?? []).flatMap((gpu) => physicalRows(gpu, reason)),
  };
}

function physicalRows(gpu: NvmlGpu, reason: Reason): DeviceMatch[] {
  const row = { gpuIndex: gpu.index, status: 'physical-only', reasons: [reason] } as const;
  if (gpu.instances.length === 0) return [{ ...row, uuid: gpu.uuid, reasons: [reason] }];
  return gpu.instances.map((instance) => ({ ...row, uuid: instance.uuid, migIndex: instance.index, reasons: [reason] }));
}

function environmentFacts(env: Env): EnvironmentFacts {
  const kernel = /Kernel Module(?: for \S+)?\s+([\d.]+)/.exec(readText('/proc/driver/nvidia/version'))?.[1];
  return {
    variables: Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => SHOWN_VARIABLES.test(entry[0]) && entry[1] !== undefined),
    ),
    container: ['/.dockerenv', '/run/.containerenv', '/.singularity.d'].some((file) => existsSync(file)),
    wsl: /microsoft/i.test(readText('/proc/sys/kernel/osrelease')),
    icdFiles: icdManifests(env).map(describeIcd),
    ...(kernel ? { kernelDriverVersion: kernel } : {}),
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
