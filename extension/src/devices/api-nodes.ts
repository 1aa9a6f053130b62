/** Rows for what each API sees of a device: "CUDA 0" and "Vulkan 1". */
import type { CudaDevice, DeviceMatch, DeviceSnapshot, ExternalHandle, VulkanDevice } from '../../../helper/protocol/devices';
import { Capability } from '../contributions/ids';
import { bullets, bytes, code, escapeMarkdown } from './markdown';
import type { DeviceNode } from './node';
import { reasonNode } from './reason';

/** The CUDA and Vulkan rows of one match, and the reasons for a missing one. */
export function matchNodes(parentId: string, match: DeviceMatch, snapshot: DeviceSnapshot): DeviceNode[] {
  const cuda = snapshot.cuda.devices.find(({ ordinal }) => ordinal === match.cudaOrdinal);
  const vulkan = snapshot.vulkan.devices.find(({ index }) => index === match.vulkanIndex);
  return [
    ...(cuda ? [cudaNode(parentId, cuda, match)] : []),
    ...(vulkan ? [vulkanNode(parentId, vulkan, match)] : []),
    ...match.reasons.map((reason) => reasonNode(`${parentId}/missing`, missingLabel(cuda, vulkan), reason)),
  ];
}

function missingLabel(cuda: CudaDevice | undefined, vulkan: VulkanDevice | undefined): string {
  if (cuda) return vulkan ? 'Not matched' : 'No Vulkan device';
  return vulkan ? 'No CUDA device' : 'Not usable';
}

function cudaNode(parentId: string, device: CudaDevice, match: DeviceMatch): DeviceNode {
  const partner = match.status === 'matched' ? `= Vulkan ${match.vulkanIndex}` : undefined;
  return {
    id: `${parentId}/cuda${device.ordinal}`,
    label: `CUDA ${device.ordinal}`,
    description: [partner, `compute ${device.computeCapability}`].filter(Boolean).join(' · '),
    icon: 'zap',
    tooltip: [
      `**CUDA ${device.ordinal}** ${escapeMarkdown(device.name)}`,
      bullets([
        ['UUID', code(device.uuid)],
        ['No UUID', device.uuidReason && escapeMarkdown(device.uuidReason.message)],
        ['Compute capability', device.computeCapability],
        ['Memory', bytes(device.memoryBytes)],
        ['PCI', code(device.pci)],
        ['Matched by UUID to', match.status === 'matched' ? `Vulkan ${match.vulkanIndex}` : undefined],
      ]),
    ].join('\n\n'),
    ...(device.uuid && { uuid: device.uuid, capabilities: [Capability.Uuid] }),
    children: [],
  };
}

function vulkanNode(parentId: string, device: VulkanDevice, match: DeviceMatch): DeviceNode {
  const partner = match.status === 'matched' ? `= CUDA ${match.cudaOrdinal}` : undefined;
  return {
    id: `${parentId}/vulkan${device.index}`,
    label: `Vulkan ${device.index}`,
    description: [partner, device.driverName, device.apiVersion].filter(Boolean).join(' · '),
    icon: 'paintcan',
    tooltip: [
      `**Vulkan ${device.index}** ${escapeMarkdown(device.name)}`,
      bullets([
        ['Device UUID', code(device.deviceUuid)],
        ['Driver UUID', code(device.driverUuid)],
        ['Driver', escapeMarkdown(`${device.driverName} ${device.driverInfo}`)],
        ['Vulkan', device.apiVersion],
        ['Type', device.type],
        ['Memory', bytes(device.memoryBytes)],
        ['PCI', code(device.pci)],
        ['Memory handles', handles(device.externalMemory)],
        ['Timeline semaphore handles', device.timelineSemaphore ? handles(device.externalSemaphore.timeline) : 'no timeline semaphores'],
        ['Matched by UUID to', match.status === 'matched' ? `CUDA ${match.cudaOrdinal}` : undefined],
      ]),
    ].join('\n\n'),
    uuid: device.deviceUuid,
    capabilities: [Capability.Uuid, Capability.Seam],
    children: [],
  };
}

function handles(list: ExternalHandle[]): string {
  const usable = list.filter(({ exportable, importable }) => exportable || importable);
  if (usable.length === 0) return 'none';
  return usable.map((h) => `${h.handleType} (${[h.exportable && 'export', h.importable && 'import'].filter(Boolean).join(', ')})`).join(', ');
}
