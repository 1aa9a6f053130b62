/** Values in words. */
import { type Cell, nothing } from './table';

/** Binary units with at most one decimal: "139.8 GiB". */
export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = count;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit < 2 ? Math.round(value) : Number(value.toFixed(1))} ${units[unit]}`;
}

export function percent(value: number): string {
  return `${Math.round(value)} %`;
}

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** The ends of a UUID tell devices of one machine apart. */
export function shortUuid(uuid: string): string {
  return uuid.length > 16 ? `${uuid.slice(0, 8)}…${uuid.slice(-4)}` : uuid;
}

export function memoryCell(used: number | undefined, total: number | undefined): Cell {
  if (total === undefined) return nothing;
  if (used === undefined) return { text: bytes(total), sort: total };
  return { text: `${bytes(used)} of ${bytes(total)}`, sort: used, share: total > 0 ? Math.min(1, used / total) : 0 };
}

export function uuidCell(uuid: string | undefined, title = uuid): Cell {
  return uuid ? { text: shortUuid(uuid), sort: uuid, copy: uuid, ...(title && { title }) } : nothing;
}

export function numberCell(value: number | undefined, unit: string, digits = 0): Cell {
  return value === undefined ? nothing : { text: `${value.toFixed(digits)} ${unit}`, sort: value };
}

export function textCell(text: string | undefined, more: Omit<Cell, 'text'> = {}): Cell {
  return text ? { text, ...more } : nothing;
}
