/** A table as data: rows are made of a snapshot, then filtered, sorted, shown and copied. */

export type Level = 'good' | 'warning' | 'error' | 'quiet';

export interface Cell {
  text: string;
  /** What it is sorted by, in place of the text; undefined stands last in both directions. */
  sort?: number | string | undefined;
  /** A sentence that says more. */
  title?: string;
  /** 0 to 1: a bar behind the text. */
  share?: number;
  level?: Level;
  /** What is copied in place of the text: a whole UUID where the text is short. */
  copy?: string;
}

export interface Row {
  /** Stable from one snapshot to the next: focus and selection hang on it. */
  id: string;
  cells: Cell[];
  /** The device whose panel a press on Enter opens. */
  device?: string;
  /** Belongs to the row above it, as long as nothing is sorted. */
  nested?: boolean;
}

export interface Column {
  id: string;
  label: string;
  title?: string;
  numeric?: boolean;
}

export interface Table {
  columns: Column[];
  rows: Row[];
}

export const nothing: Cell = { text: '–', sort: undefined, level: 'quiet' };

/** Columns that say nothing here are left out, the first never. */
export function withoutEmptyColumns({ columns, rows }: Table): Table {
  const kept = columns.map(
    (_, at) => at === 0 || rows.some(({ cells }) => cells[at] !== undefined && cells[at] !== nothing && cells[at].text !== ''),
  );
  const pick = <T>(list: T[]): T[] => list.filter((_, at) => kept[at]);
  return { columns: pick(columns), rows: rows.map((row) => ({ ...row, cells: pick(row.cells) })) };
}
