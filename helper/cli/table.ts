/** Aligned columns. Columns of numbers, with or without a unit, are aligned to the right. */
export function table(header: string[], rows: string[][], indent = '  '): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const numeric = header.map((_, column) => rows.every((row) => /^\d*(\.\d+)?( [A-Za-z%]+)?$/.test(row[column] ?? '')));
  const line = (cells: string[]) =>
    indent +
    cells
      .map((cell, column) => (numeric[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd();
  return [header, ...rows].map(line).join('\n');
}

export function gibibytes(bytes: number | undefined): string {
  return bytes === undefined ? '' : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
