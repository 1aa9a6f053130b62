/** Rows for physical GPUs and their MIG instances. */

import { instanceName } from '../../../helper/protocol/device-parts';
import type { DeviceMatch, DeviceSnapshot, MigInstance, NvmlGpu } from '../../../helper/protocol/devices';
import { Capability } from '../contributions/ids';
import { matchNodes } from './api-nodes';
import { processesNode } from './explained-nodes';
import { bullets, bytes, code, escapeMarkdown } from './markdown';
import type { DeviceNode } from './node';
import { reasonNode } from './reason';

export function gpuNode(gpu: NvmlGpu, snapshot: DeviceSnapshot): DeviceNode {
  const id = `gpu:${gpu.uuid}`;
  const own = snapshot.matches.filter(({ gpuIndex, migIndex }) => gpuIndex === gpu.index && migIndex === undefined);
  return {
    id,
    label: gpu.name,
    description: load(gpu),
    icon: 'circuit-board',
    tooltip: gpuTooltip(gpu),
    spoken: `GPU ${gpu.name}, ${load(gpu)}`,
    capabilities: [Capability.Uuid, Capability.Cuda],
    uuid: gpu.uuid,
    visibleDevices: `GPU-${gpu.uuid}`,
    expanded: true,
    children: [
      ...gpu.instances.map((instance) => migNode(id, gpu, instance, snapshot)),
      ...own.flatMap((match) => matchNodes(id, match, snapshot)),
      ...processesNode(id, gpu),
      ...gpu.problems.map((problem) => reasonNode(id, 'Not readable', problem)),
    ],
  };
}

function migNode(parentId: string, gpu: NvmlGpu, instance: MigInstance, snapshot: DeviceSnapshot): DeviceNode {
  const id = `${parentId}/mig:${instance.uuid}`;
  const matches = snapshot.matches.filter(({ gpuIndex, migIndex }) => gpuIndex === gpu.index && migIndex === instance.index);
  return {
    id,
    label: instanceName(instance),
    description: [instanceUse(instance), memory(instance.memoryUsedBytes, instance.memoryBytes)].filter(Boolean).join(' · '),
    icon: 'layers',
    tooltip: [
      `**${escapeMarkdown(instanceName(instance))}** of GPU ${gpu.index} (${escapeMarkdown(gpu.name)})`,
      bullets([
        ['UUID', code(instance.nvmlUuid)],
        ['GPU instance / compute instance', `${instance.gpuInstanceId} / ${instance.computeInstanceId}`],
        ['Memory', memory(instance.memoryUsedBytes, instance.memoryBytes)],
        ['Multiprocessors', instance.smCount],
        ['Use', instance.use?.missing?.message ?? instanceUse(instance)],
        ['Profile', instance.profile && `${instance.profile}${instance.profileId === undefined ? '' : ` (${instance.profileId})`}`],
        ['Graphics (Vulkan)', instance.graphics === undefined ? 'unknown' : instance.graphics ? 'yes' : 'no'],
      ]),
    ].join('\n\n'),
    capabilities: [Capability.Uuid, Capability.Cuda],
    uuid: instance.uuid,
    visibleDevices: instance.nvmlUuid,
    expanded: true,
    children: [...matches.flatMap((match) => matchNodes(id, match, snapshot)), ...processesNode(id, gpu, instance)],
  };
}

/** A device that NVML does not know: one that only CUDA, only Vulkan or both list. */
export function unlistedNode(match: DeviceMatch, snapshot: DeviceSnapshot): DeviceNode {
  const vulkan = snapshot.vulkan.devices.find(({ index }) => index === match.vulkanIndex);
  const cuda = snapshot.cuda.devices.find(({ ordinal }) => ordinal === match.cudaOrdinal);
  const id = `device:${match.uuid ?? `${match.vulkanIndex}/${match.cudaOrdinal}`}`;
  const onCpu = vulkan?.type === 'cpu';
  const isCuda = cuda?.uuid !== undefined;
  return {
    id,
    label: cuda?.name ?? vulkan?.name ?? match.uuid ?? 'Device',
    description: [onCpu ? 'CPU' : undefined, bytes(cuda?.memoryBytes ?? vulkan?.memoryBytes)].filter(Boolean).join(' · '),
    icon: onCpu ? 'chip' : 'circuit-board',
    tooltip: [`**${escapeMarkdown(cuda?.name ?? vulkan?.name ?? 'Device')}**`, bullets([['UUID', code(match.uuid)]])].join('\n\n'),
    capabilities: [...(match.uuid ? [Capability.Uuid] : []), ...(isCuda ? [Capability.Cuda] : [])],
    ...(match.uuid && { uuid: match.uuid }),
    ...(isCuda && { visibleDevices: `GPU-${cuda.uuid}` }),
    expanded: true,
    children: matchNodes(id, match, snapshot),
  };
}

function gpuTooltip(gpu: NvmlGpu): string {
  const { current, pending, supported } = gpu.mig;
  const mig = supported
    ? `${current ? 'on' : 'off'}${current === pending ? '' : `, ${pending ? 'on' : 'off'} after the next reset`}`
    : 'not supported';
  return [
    `**${escapeMarkdown(gpu.name)}** (NVML ${gpu.index})`,
    bullets([
      ['UUID', code(`GPU-${gpu.uuid}`)],
      ['PCI', code(gpu.pci)],
      ['Memory', memory(gpu.memoryUsedBytes, gpu.memoryBytes)],
      ['Use', percent(gpu.utilizationPercent)],
      ['Temperature', gpu.temperatureC === undefined ? undefined : `${gpu.temperatureC} °C`],
      ['Power', gpu.powerWatts === undefined ? undefined : `${Math.round(gpu.powerWatts)} W`],
      ['Clocks', gpu.health?.clocks.smMhz === undefined ? undefined : `${gpu.health.clocks.smMhz} MHz`],
      ['Clocks limited by', gpu.health?.clockLimits?.join(', ')],
      ['Memory errors', gpu.health?.ecc?.uncorrectedErrors],
      ['MIG', mig],
    ]),
  ].join('\n\n');
}

function load(gpu: NvmlGpu): string {
  return [percent(gpu.utilizationPercent), memory(gpu.memoryUsedBytes, gpu.memoryBytes)].filter(Boolean).join(' · ');
}

function instanceUse({ use }: MigInstance): string | undefined {
  return use?.percent === undefined ? undefined : percent(Math.round(use.percent));
}

function percent(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value} %`;
}

function memory(used: number | undefined, total: number): string | undefined {
  return used === undefined ? bytes(total) : `${bytes(used)} of ${bytes(total)}`;
}
