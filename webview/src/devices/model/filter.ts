import type { Row, Table } from './table';

/** Rows that hold every word of `text`, in whatever cell. A row that others are nested under stays with them. */
export function filtered(table: Table, text: string): Table {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return table;
  const hit = table.rows.map((row) => holds(row, wanted));
  return { ...table, rows: table.rows.filter((row, at) => hit[at] || (!row.nested && hasHitBelow(table.rows, hit, at))) };
}

function holds({ cells }: Row, wanted: string[]): boolean {
  const said = cells
    .map(({ text, title = '', copy = '' }) => `${text}\n${title}\n${copy}`)
    .join('\n')
    .toLowerCase();
  return wanted.every((word) => said.includes(word));
}

function hasHitBelow(rows: Row[], hit: boolean[], at: number): boolean {
  for (let below = at + 1; rows[below]?.nested; below++) if (hit[below]) return true;
  return false;
}
