/** All GPUs, their MIG instances, and what only CUDA lists. */
import { allDevices, type DeviceParts, deviceName, instanceName, visibleDevicesValue } from '../../../../helper/protocol/device-parts';
import type { DeviceSnapshot } from '../../../../helper/protocol/devices';
import { isBenign, shortText } from '../../../../helper/protocol/reason-words';
import { memoryCell, numberCell, percent, textCell, uuidCell } from './format';
import { healthCell } from './health';
import { type Cell, type Column, nothing, type Row, type Table } from './table';

const columns: Column[] = [
  { id: 'device', label: 'Device' },
  { id: 'cuda', label: 'CUDA', title: 'The ordinal in the environment that this panel shows' },
  { id: 'vulkan', label: 'Vulkan', title: 'The device with the same UUID, or why there is none' },
  { id: 'nvml', label: 'NVML', title: 'The number that nvidia-smi gives it; of an instance, its GPU instance and compute instance' },
  { id: 'profile', label: 'Profile' },
  { id: 'memory', label: 'Memory', numeric: true },
  { id: 'use', label: 'Use', numeric: true },
  { id: 'temperature', label: 'Temp.', numeric: true },
  { id: 'power', label: 'Power', numeric: true },
  { id: 'health', label: 'Health' },
  { id: 'uuid', label: 'UUID' },
  { id: 'pci', label: 'PCI' },
];

export function gpuTable(snapshot: DeviceSnapshot): Table {
  const devices = allDevices(snapshot).filter(({ gpu, cuda }) => gpu || cuda);
  return { columns, rows: devices.map(rowOf) };
}

function rowOf(device: DeviceParts): Row {
  const { id, gpu, instance, cuda } = device;
  const whole = instance ? undefined : gpu;
  const name = instance ? instanceName(instance) : deviceName(device);
  return {
    id,
    device: id,
    ...(instance && { nested: true }),
    cells: [
      { text: name, sort: deviceName(device), title: deviceName(device) },
      cudaCell(device),
      vulkanCell(device),
      nvmlCell(device),
      textCell(instance?.profile, { ...(instance?.profileId !== undefined && { title: `Profile ${instance.profileId}` }) }),
      memoryCell((instance ?? gpu)?.memoryUsedBytes, (instance ?? gpu ?? cuda)?.memoryBytes),
      useCell(device),
      numberCell(whole?.temperatureC, '°C'),
      powerCell(whole?.powerWatts, whole?.health?.powerLimitWatts),
      instance || !gpu ? nothing : healthCell(gpu),
      uuidCell(instance?.uuid ?? gpu?.uuid ?? cuda?.uuid, visibleDevicesValue(device)),
      textCell(whole?.pci ?? (gpu ? undefined : cuda?.pci)),
    ],
  };
}

function cudaCell({ cuda, gpu, instance, reasons }: DeviceParts): Cell {
  if (cuda) return { text: String(cuda.ordinal), sort: cuda.ordinal };
  // In MIG mode CUDA lists the instances in place of their GPU.
  if (gpu && !instance && gpu.instances.length > 0) return nothing;
  const [reason] = reasons;
  return reason
    ? { text: shortText(reason), sort: undefined, title: `${reason.message} ${reason.nextStep}`, level: isBenign(reason) ? 'quiet' : 'warning' }
    : nothing;
}

function vulkanCell({ vulkan, cuda, gpu, instance, reasons }: DeviceParts): Cell {
  if (vulkan) return { text: String(vulkan.index), sort: vulkan.index, title: vulkan.name };
  const [reason] = reasons;
  // Where CUDA does not list it either, the reason stands in CUDA's column.
  if (!reason || !cuda || (gpu && !instance && gpu.instances.length > 0)) return nothing;
  return { text: shortText(reason), sort: undefined, title: `${reason.message} ${reason.nextStep}`, level: isBenign(reason) ? 'quiet' : 'warning' };
}

function nvmlCell({ gpu, instance }: DeviceParts): Cell {
  if (!gpu) return nothing;
  if (!instance) return { text: String(gpu.index), sort: gpu.index };
  const { gpuInstanceId, computeInstanceId } = instance;
  return {
    text: `${gpu.index} · ${gpuInstanceId}/${computeInstanceId}`,
    sort: gpu.index + gpuInstanceId / 1000 + computeInstanceId / 1e6,
    title: `GPU ${gpu.index}, GPU instance ${gpuInstanceId}, compute instance ${computeInstanceId}`,
  };
}

function useCell({ gpu, instance }: DeviceParts): Cell {
  const use = instance ? instance.use : (gpu?.use ?? (gpu?.utilizationPercent === undefined ? undefined : { percent: gpu.utilizationPercent }));
  if (use?.percent !== undefined) return { text: percent(use.percent), sort: use.percent, share: Math.min(1, use.percent / 100) };
  return use?.missing ? { ...nothing, title: use.missing.message } : nothing;
}

function powerCell(watts: number | undefined, limit: number | undefined): Cell {
  const cell = numberCell(watts, 'W');
  return watts === undefined || !limit ? cell : { ...cell, title: `of ${Math.round(limit)} W`, share: Math.min(1, watts / limit) };
}
