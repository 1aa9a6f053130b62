/** How GPUs reach each other: a square of NVML's numbers. */
import type { DeviceSnapshot, GpuLink } from '../../../../helper/protocol/devices';
import { type Cell, nothing, type Table } from './table';

const pathWords: Record<GpuLink['path'], [short: string, long: string]> = {
  'same-board': ['board', 'on one board'],
  'pcie-switch': ['switch', 'through one PCIe switch'],
  'pcie-switches': ['switches', 'through several PCIe switches'],
  'host-bridge': ['bridge', 'through one PCIe host bridge'],
  'numa-node': ['node', 'through the host bridges of one NUMA node'],
  system: ['system', 'through the interconnect between NUMA nodes'],
  unknown: ['?', 'over a path that the driver does not tell'],
};

export function linksTable({ nvml, links = [] }: DeviceSnapshot): Table {
  const linkOf = (a: number, b: number) => links.find((link) => link.a === Math.min(a, b) && link.b === Math.max(a, b));
  return {
    columns: [{ id: 'gpu', label: 'GPU' }, ...nvml.gpus.map(({ index }) => ({ id: `gpu${index}`, label: `${index}` }))],
    rows: nvml.gpus.map((row) => ({
      id: row.uuid,
      device: row.uuid,
      cells: [
        { text: `${row.index}`, sort: row.index, title: row.name },
        ...nvml.gpus.map((column) => linkCell(row.index, column.index, linkOf(row.index, column.index))),
      ],
    })),
  };
}

function linkCell(a: number, b: number, link: GpuLink | undefined): Cell {
  if (a === b || !link) return nothing;
  const [short, long] = pathWords[link.path];
  const nvlinks = link.nvlinks > 0 ? `${link.nvlinks} NVLink${link.nvlinks === 1 ? '' : 's'}${link.throughSwitch ? ' through a switch' : ''}, ` : '';
  const reads = link.peerRead === undefined ? '' : `; peer reads: ${link.peerRead}`;
  return {
    text: link.nvlinks > 0 ? `NV${link.nvlinks}` : short,
    sort: link.nvlinks > 0 ? -link.nvlinks : Object.keys(pathWords).indexOf(link.path),
    title: `GPU ${a} and GPU ${b}: ${nvlinks}${long}${reads}.`,
    ...(link.peerRead !== undefined && link.peerRead !== 'ok' && { level: 'warning' as const }),
  };
}
