/** Who uses a device. */
import type { DeviceParts } from '../../../../helper/protocol/device-parts';
import { bytes, textCell } from './format';
import { nothing, type Table } from './table';

export function processesTable({ gpu, instance }: DeviceParts): Table {
  const all = gpu?.processes ?? [];
  const own = instance
    ? all.filter((each) => each.gpuInstanceId === instance.gpuInstanceId && each.computeInstanceId === instance.computeInstanceId)
    : all;
  return {
    columns: [
      { id: 'pid', label: 'Process' },
      { id: 'name', label: 'Name' },
      { id: 'kinds', label: 'Uses' },
      { id: 'memory', label: 'Memory', numeric: true },
      { id: 'instance', label: 'Instance', title: 'GPU instance and compute instance' },
    ],
    rows: own.map(({ pid, name, kinds, memoryBytes, gpuInstanceId, computeInstanceId }) => ({
      id: `${pid}/${gpuInstanceId}/${computeInstanceId}`,
      cells: [
        { text: String(pid), sort: pid },
        name ? { text: name } : { text: 'not of this container or ended', level: 'quiet', sort: undefined },
        textCell(kinds.join(', ')),
        memoryBytes === undefined ? nothing : { text: bytes(memoryBytes), sort: memoryBytes },
        instance || gpuInstanceId === undefined ? nothing : { text: `${gpuInstanceId}/${computeInstanceId}` },
      ],
    })),
  };
}
