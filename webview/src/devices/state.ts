/** What VS Code stores of a document, so that a reload of the window brings it back. */
import type { Sorting } from './model/sort';

export interface DevicesState {
  /** Whose panel it is; the extension reads it when it brings the panel back. */
  device: string | null;
  filter: string;
  /** By table. */
  sorting: Record<string, Sorting>;
}

/** Whatever was stored, by whatever version. */
export function initialState(stored: unknown): DevicesState {
  const { device, filter, sorting } = (stored ?? {}) as Record<string, unknown>;
  const entries = typeof sorting === 'object' && sorting !== null ? Object.entries(sorting) : [];
  return {
    device: typeof device === 'string' ? device : null,
    filter: typeof filter === 'string' ? filter : '',
    sorting: Object.fromEntries(entries.filter((entry): entry is [string, Sorting] => isSorting(entry[1]))),
  };
}

function isSorting(value: unknown): boolean {
  const { column, descending } = (value ?? {}) as Record<string, unknown>;
  return typeof column === 'string' && typeof descending === 'boolean';
}
