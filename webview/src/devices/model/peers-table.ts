/** Which other ordinals may use a device's memory. */
import type { CudaDevice, DeviceSnapshot } from '../../../../helper/protocol/devices';
import { yesNo } from './format';
import { type Cell, nothing, type Table } from './table';

export function peersTable({ peers = [] }: CudaDevice, { cuda }: DeviceSnapshot): Table {
  return {
    columns: [
      { id: 'peer', label: 'CUDA' },
      { id: 'device', label: 'Device' },
      { id: 'access', label: 'Peer access' },
      { id: 'atomics', label: 'Atomics' },
      { id: 'arrays', label: 'Arrays' },
      { id: 'rank', label: 'Rank', numeric: true, title: '0 is the fastest link; the numbers only rank' },
    ],
    rows: peers.map(({ ordinal, access, nativeAtomics, arrayAccess, performanceRank }) => ({
      id: String(ordinal),
      cells: [
        { text: String(ordinal), sort: ordinal },
        { text: cuda.devices.find((device) => device.ordinal === ordinal)?.name ?? '' },
        answer(access),
        answer(nativeAtomics),
        answer(arrayAccess),
        performanceRank === undefined ? nothing : { text: String(performanceRank), sort: performanceRank },
      ],
    })),
  };
}

function answer(value: boolean | undefined): Cell {
  return value === undefined ? nothing : { text: yesNo(value), level: value ? 'good' : 'quiet' };
}
