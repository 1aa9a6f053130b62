/** What a snapshot says of one device. */
import type { CudaDevice, DeviceMatch, DeviceSnapshot, MigInstance, NvmlGpu, Reason, VulkanDevice } from './devices';

export interface DeviceParts {
  /** The device's UUID, or "cuda:N" for one that has none; the same after a restart of driver or editor. */
  id: string;
  /** The physical GPU: of an instance, the one that it is a part of. */
  gpu?: NvmlGpu;
  instance?: MigInstance;
  cuda?: CudaDevice;
  vulkan?: VulkanDevice;
  /** Why a partner is missing. */
  reasons: Reason[];
}

/** Every device of the machine: each GPU followed by its instances, then what only CUDA or Vulkan list. */
export function allDevices(snapshot: DeviceSnapshot): DeviceParts[] {
  const physical = snapshot.nvml.gpus.flatMap((gpu) => [
    gpuParts(snapshot, gpu),
    ...gpu.instances.map((instance) => instanceParts(snapshot, gpu, instance)),
  ]);
  const others = snapshot.matches.filter(({ gpuIndex }) => gpuIndex === undefined).map((match) => matchParts(snapshot, match));
  return [...physical, ...others];
}

export function deviceWith(snapshot: DeviceSnapshot, id: string): DeviceParts | undefined {
  return allDevices(snapshot).find((device) => device.id === id);
}

export function deviceName({ gpu, instance, cuda, vulkan, id }: DeviceParts): string {
  if (gpu && instance) return `${gpu.name} ${instanceName(instance)}`;
  return gpu?.name ?? cuda?.name ?? vulkan?.name ?? id;
}

/** "MIG 3g.71gb". NVML's own name repeats the GPU's: "NVIDIA H200 MIG 3g.71gb". */
export function instanceName({ profile, name }: Pick<MigInstance, 'profile' | 'name'>): string {
  return `MIG ${profile ?? name.replace(/^.*\bMIG /, '')}`;
}

/** What CUDA_VISIBLE_DEVICES has to be for exactly this device; absent for one that is not CUDA's. */
export function visibleDevicesValue({ gpu, instance, cuda }: DeviceParts): string | undefined {
  if (instance) return instance.nvmlUuid;
  const uuid = gpu?.uuid ?? cuda?.uuid;
  return uuid && `GPU-${uuid}`;
}

function gpuParts(snapshot: DeviceSnapshot, gpu: NvmlGpu): DeviceParts {
  const match = snapshot.matches.find(({ gpuIndex, migIndex }) => gpuIndex === gpu.index && migIndex === undefined);
  return { ...matched(snapshot, match), id: gpu.uuid, gpu };
}

function instanceParts(snapshot: DeviceSnapshot, gpu: NvmlGpu, instance: MigInstance): DeviceParts {
  const match = snapshot.matches.find(({ gpuIndex, migIndex }) => gpuIndex === gpu.index && migIndex === instance.index);
  return { ...matched(snapshot, match), id: instance.uuid, gpu, instance };
}

function matchParts(snapshot: DeviceSnapshot, match: DeviceMatch): DeviceParts {
  const parts = matched(snapshot, match);
  return { ...parts, id: match.uuid ?? parts.cuda?.uuid ?? parts.vulkan?.deviceUuid ?? `cuda:${match.cudaOrdinal}` };
}

function matched({ cuda, vulkan }: DeviceSnapshot, match: DeviceMatch | undefined): Omit<DeviceParts, 'id'> {
  const ordinal = cuda.devices.find((device) => device.ordinal === match?.cudaOrdinal);
  const device = vulkan.devices.find(({ index }) => index === match?.vulkanIndex);
  return { ...(ordinal && { cuda: ordinal }), ...(device && { vulkan: device }), reasons: match?.reasons ?? [] };
}
