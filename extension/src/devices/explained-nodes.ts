/** Rows that explain: what CUDA_VISIBLE_DEVICES selects entry by entry, what would mislead here, who is on a GPU. */
import type { GpuProcess } from '../../../helper/protocol/device-readings';
import type { VisibleEntry } from '../../../helper/protocol/device-routing';
import type { DeviceSnapshot, NvmlGpu } from '../../../helper/protocol/devices';
import { bytes, escapeMarkdown } from './markdown';
import type { DeviceNode } from './node';

const ENTRY_ICONS: Record<VisibleEntry['status'], string> = {
  selects: 'pass',
  'ends-list': 'error',
  ignored: 'circle-slash',
  duplicate: 'error',
  limited: 'warning',
  unknown: 'question',
};

/** Nothing while the variable is not set. */
export function visibleNode({ visible }: DeviceSnapshot): DeviceNode[] {
  if (visible?.value === undefined) return [];
  const words = [visible.summary, visible.order.message, visible.migRule.message];
  return [
    {
      id: 'visible',
      label: 'CUDA_VISIBLE_DEVICES',
      description: visible.summary,
      icon: 'eye',
      tooltip: words.map(escapeMarkdown).join('\n\n'),
      children: visible.entries.map(({ text, status, message }, index) => ({
        id: `visible/${index}`,
        label: `"${text}"`,
        description: message,
        icon: ENTRY_ICONS[status],
        tooltip: escapeMarkdown(message),
        spoken: `Entry ${text}: ${message}`,
        children: [],
      })),
    },
  ];
}

export function pitfallsNode({ pitfalls = [] }: DeviceSnapshot): DeviceNode[] {
  if (pitfalls.length === 0) return [];
  const children = pitfalls.map(({ code, message, nextStep }, index) => ({
    id: `pitfalls/${code}${index}`,
    label: message,
    description: nextStep,
    icon: 'warning',
    tooltip: [message, `$(lightbulb) ${nextStep}`].map(escapeMarkdown).join('\n\n'),
    spoken: `${message} Next step: ${nextStep}`,
    children: [],
  }));
  return [{ id: 'pitfalls', label: 'Pitfalls on This Machine', description: String(pitfalls.length), icon: 'warning', children }];
}

/** Of a whole GPU, or of one MIG instance. */
export function processesNode(parentId: string, gpu: NvmlGpu, instance?: { gpuInstanceId: number; computeInstanceId: number }): DeviceNode[] {
  const here = (gpu.processes ?? []).filter(
    ({ gpuInstanceId, computeInstanceId }) => gpuInstanceId === instance?.gpuInstanceId && computeInstanceId === instance?.computeInstanceId,
  );
  if (here.length === 0) return [];
  const id = `${parentId}/processes`;
  return [
    { id, label: 'Processes', description: String(here.length), icon: 'server-process', children: here.map((process) => processNode(id, process)) },
  ];
}

function processNode(parentId: string, { pid, name, kinds, memoryBytes }: GpuProcess): DeviceNode {
  const description = [`PID ${pid}`, kinds.join(', '), bytes(memoryBytes)].filter(Boolean).join(' · ');
  return { id: `${parentId}/${pid}`, label: name ?? `Process ${pid}`, description, icon: 'gear', children: [] };
}
