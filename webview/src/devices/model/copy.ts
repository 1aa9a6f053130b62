/** Tables as text. Names come from drivers: nothing in them may become markup or a formula. */
import type { Cell, Row, Table } from './table';

export const copied = ({ text, copy }: Cell): string => copy ?? (text === '–' ? '' : text);

/** Cells with tabs between, as spreadsheets take it. */
export function asTabs({ cells }: Row): string {
  return cells.map((cell) => copied(cell).replace(/[\t\r\n]+/g, ' ')).join('\t');
}

export function asMarkdown({ columns, rows }: Table): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const rule = columns.map(({ numeric }) => (numeric ? '--:' : '---'));
  return [line(columns.map(({ label }) => label)), line(rule), ...rows.map(({ cells }) => line(cells.map((cell) => markdown(copied(cell)))))].join(
    '\n',
  );
}

export function asCsv({ columns, rows }: Table): string {
  return [columns.map(({ label }) => csv(label)), ...rows.map(({ cells }) => cells.map((cell) => csv(copied(cell))))]
    .map((line) => line.join(','))
    .join('\r\n');
}

function markdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|$~#]/g, '\\$&').replace(/[\r\n]+/g, ' ');
}

/** RFC 4180, and a quote before what a spreadsheet would compute. */
function csv(text: string): string {
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
