/** Helpers for Markdown tooltips and the report. */

/** Driver strings are data: nothing in them may become markup. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~$]/g, '\\$&');
}

export type Fact = [name: string, value: string | number | undefined];

/** One line a fact; facts without a value are left out. Values may hold Markdown. */
export function bullets(facts: Fact[]): string {
  return facts
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n');
}

export function code(text: string | undefined): string | undefined {
  return text ? `\`${text.replaceAll('`', "'")}\`` : undefined;
}

/** Binary units with at most one decimal: "139.8 GiB". */
export function bytes(count: number | undefined): string | undefined {
  if (count === undefined) return undefined;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = count;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit < 2 ? Math.round(value) : Number(value.toFixed(1))} ${units[unit]}`;
}
