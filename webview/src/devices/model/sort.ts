import type { Cell, Table } from './table';

export interface Sorting {
  column: string;
  descending: boolean;
}

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Presses on a header go: up, down, the order of the machine again. */
export function nextSorting(now: Sorting | undefined, column: string): Sorting | undefined {
  if (now?.column !== column) return { column, descending: false };
  return now.descending ? undefined : { column, descending: true };
}

/** Rows that compare equal keep their order. */
export function sorted(table: Table, sorting: Sorting | undefined): Table {
  const at = table.columns.findIndex(({ id }) => id === sorting?.column);
  if (!sorting || at < 0) return table;
  const rows = table.rows.toSorted((a, b) => compare(a.cells[at], b.cells[at], sorting.descending));
  return { ...table, rows: rows.map(({ nested: _, ...row }) => row) };
}

function compare(a: Cell | undefined, b: Cell | undefined, descending: boolean): number {
  const [first, second] = [keyOf(a), keyOf(b)];
  if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined);
  const order = typeof first === 'number' && typeof second === 'number' ? first - second : words.compare(String(first), String(second));
  return descending ? -order : order;
}

function keyOf(cell: Cell | undefined): number | string | undefined {
  if (!cell) return undefined;
  return 'sort' in cell ? cell.sort : cell.text;
}
