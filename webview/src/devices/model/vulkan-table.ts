/** All Vulkan devices. */
import { allDevices, type DeviceParts } from '../../../../helper/protocol/device-parts';
import type { DeviceSnapshot, ExternalHandle, VulkanDevice } from '../../../../helper/protocol/devices';
import { isBenign, shortText } from '../../../../helper/protocol/reason-words';
import { bytes, textCell, uuidCell } from './format';
import { type Cell, type Column, nothing, type Row, type Table } from './table';

const columns: Column[] = [
  { id: 'index', label: 'Vulkan', title: 'The index in the environment that this panel shows; never a CUDA ordinal' },
  { id: 'device', label: 'Device' },
  { id: 'cuda', label: 'CUDA', title: 'The ordinal of the device with the same UUID, or why there is none' },
  { id: 'type', label: 'Type' },
  { id: 'driver', label: 'Driver' },
  { id: 'api', label: 'API' },
  { id: 'memory', label: 'Memory', numeric: true },
  { id: 'opaqueFd', label: 'Opaque fd', title: 'Memory of buffers through a POSIX file descriptor, as CUDA imports it' },
  { id: 'dmaBuf', label: 'DMA-BUF' },
  { id: 'timeline', label: 'Timeline', title: 'Timeline semaphores, and whether they can be shared as opaque fds' },
  { id: 'uuid', label: 'UUID' },
  { id: 'driverUuid', label: 'Driver UUID', title: 'Opaque fds need this to be equal on both sides, too' },
  { id: 'pci', label: 'PCI' },
  { id: 'drm', label: 'DRM' },
];

export function vulkanTable(snapshot: DeviceSnapshot): Table {
  const partOf = new Map(allDevices(snapshot).flatMap((device) => (device.vulkan ? [[device.vulkan.index, device] as const] : [])));
  return { columns, rows: snapshot.vulkan.devices.map((device) => rowOf(device, partOf.get(device.index))) };
}

function rowOf(device: VulkanDevice, parts: DeviceParts | undefined): Row {
  return {
    id: `vulkan:${device.index}`,
    ...(parts && { device: parts.id }),
    cells: [
      { text: String(device.index), sort: device.index },
      { text: device.name },
      cudaCell(parts),
      { text: device.type === 'cpu' ? 'CPU' : device.type },
      { text: [device.driverName, device.driverInfo].filter(Boolean).join(' '), title: device.driverId },
      { text: device.apiVersion },
      { text: bytes(device.memoryBytes), sort: device.memoryBytes },
      crossing(device.externalMemory, 'opaqueFd'),
      crossing(device.externalMemory, 'dmaBuf'),
      timelineCell(device),
      uuidCell(device.deviceUuid),
      uuidCell(device.driverUuid),
      textCell(device.pci),
      textCell(device.drm?.renderNode ?? device.drm?.render),
    ],
  };
}

function cudaCell(parts: DeviceParts | undefined): Cell {
  if (parts?.cuda) return { text: String(parts.cuda.ordinal), sort: parts.cuda.ordinal };
  const [reason] = parts?.reasons ?? [];
  return reason
    ? { text: shortText(reason), sort: undefined, title: `${reason.message} ${reason.nextStep}`, level: isBenign(reason) ? 'quiet' : 'warning' }
    : nothing;
}

function crossing(handles: ExternalHandle[], handleType: ExternalHandle['handleType']): Cell {
  const handle = handles.find((each) => each.handleType === handleType);
  const ways = [handle?.exportable && 'export', handle?.importable && 'import'].filter(Boolean).join(', ');
  return ways ? { text: handle?.dedicatedOnly ? `${ways} (dedicated)` : ways } : { text: 'no', level: 'quiet' };
}

function timelineCell({ timelineSemaphore, externalSemaphore }: VulkanDevice): Cell {
  if (!timelineSemaphore) return { text: 'no', level: 'warning' };
  const shared = externalSemaphore.timeline.some(({ handleType, exportable }) => handleType === 'opaqueFd' && exportable);
  return { text: shared ? 'shared' : 'local only', ...(shared ? {} : { level: 'quiet', title: 'Cannot be exported: CUDA cannot wait for it.' }) };
}
