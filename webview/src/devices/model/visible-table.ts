/** CUDA_VISIBLE_DEVICES, entry by entry. */
import type { VisibleEntry } from '../../../../helper/protocol/device-routing';
import type { DeviceSnapshot } from '../../../../helper/protocol/devices';
import { type Level, nothing, type Table } from './table';

const kinds: Record<VisibleEntry['kind'], string> = {
  index: 'index',
  'gpu-uuid': 'UUID of a GPU',
  'mig-uuid': 'UUID of an instance',
  'mig-legacy-uuid': 'UUID of an instance, old form',
  negative: 'negative number',
  malformed: 'not an entry',
};

const statuses: Record<VisibleEntry['status'], [text: string, level?: Level]> = {
  selects: ['selects', 'good'],
  'ends-list': ['ends the list', 'error'],
  ignored: ['ignored', 'quiet'],
  duplicate: ['named twice', 'error'],
  limited: ['not shown', 'warning'],
  unknown: ['unknown', 'quiet'],
};

export function visibleTable({ visible }: DeviceSnapshot): Table {
  return {
    columns: [
      { id: 'entry', label: 'Entry' },
      { id: 'kind', label: 'Is' },
      { id: 'status', label: 'Effect' },
      { id: 'cuda', label: 'CUDA', numeric: true },
      { id: 'why', label: 'Because' },
    ],
    rows: (visible?.entries ?? []).map(({ text, kind, status, ordinal, message }, at) => {
      const [words, level] = statuses[status];
      return {
        id: `${at}`,
        cells: [
          { text: text || '(empty)', copy: text },
          { text: kinds[kind] },
          { text: words, ...(level && { level }) },
          ordinal === undefined ? nothing : { text: String(ordinal), sort: ordinal },
          { text: message },
        ],
      };
    }),
  };
}
