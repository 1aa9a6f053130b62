/** Ordinal -> Vulkan device -> sources of the preview that run there. */
import { allDevices } from '../../../../helper/protocol/device-parts';
import type { Route } from '../../../../helper/protocol/device-routing';
import type { DeviceSnapshot } from '../../../../helper/protocol/devices';
import { textCell, uuidCell } from './format';
import { type Cell, type Column, nothing, type Row, type Table } from './table';

const columns: Column[] = [
  { id: 'cuda', label: 'CUDA' },
  { id: 'vulkan', label: 'Vulkan' },
  { id: 'device', label: 'Device' },
  { id: 'nvml', label: 'NVML' },
  { id: 'sources', label: 'Preview sources there' },
  { id: 'missing', label: 'No partner because' },
  { id: 'uuid', label: 'UUID' },
];

type Labels = ReadonlyMap<string, string>;

/** `labels`: names of sources by their ids. */
export function routingTable(snapshot: DeviceSnapshot, labels: Labels): Table {
  const devices = allDevices(snapshot);
  const idOf = ({ cudaOrdinal, vulkanIndex }: Route) =>
    devices.find(({ cuda, vulkan }) =>
      cudaOrdinal === undefined ? vulkan?.index === vulkanIndex && vulkan !== undefined : cuda?.ordinal === cudaOrdinal,
    )?.id;
  return { columns, rows: (snapshot.routes ?? []).map((route) => rowOf(route, labels, idOf(route))) };
}

function rowOf(route: Route, labels: Labels, device: string | undefined): Row {
  const { cudaOrdinal, vulkanIndex, gpuIndex, migIndex, name, sources, missing, uuid } = route;
  return {
    id: `${cudaOrdinal ?? '-'}/${vulkanIndex ?? '-'}`,
    ...(device && { device }),
    cells: [
      number(cudaOrdinal),
      number(vulkanIndex),
      { text: name },
      gpuIndex === undefined
        ? nothing
        : { text: migIndex === undefined ? `${gpuIndex}` : `${gpuIndex} MIG ${migIndex}`, sort: gpuIndex + (migIndex ?? 0) / 100 },
      textCell(sources.map((id) => labels.get(id) ?? id).join(', ')),
      textCell(missing),
      uuidCell(uuid),
    ],
  };
}

function number(value: number | undefined): Cell {
  return value === undefined ? nothing : { text: String(value), sort: value };
}
