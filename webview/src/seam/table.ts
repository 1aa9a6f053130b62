import { element } from '../shared/dom';

export interface Cell {
  text: string;
  /** Numbers stand right; what is wrong or right is marked by an icon too, not by colour alone. */
  kind?: 'number' | 'good' | 'bad' | 'faint';
  title?: string;
  /** Columns that it takes. */
  span?: number;
}

/** Longer texts may break. */
const LONG = 24;

export type CellLike = Cell | string;

export const number = (text: string | number): Cell => ({ text: String(text), kind: 'number' });
export const good = (text: string): Cell => ({ text, kind: 'good' });
export const bad = (text: string): Cell => ({ text, kind: 'bad' });

/** A count that must be 0. */
export const zero = (count: number): Cell => (count === 0 ? number(0) : bad(String(count)));

/** Headings of number columns stand right as their cells do. */
export function table(caption: string, header: string[], rows: CellLike[][]): HTMLElement {
  const first = rows[0] ?? [];
  const head = header.map((text, at) => element('th', { scope: 'col', class: isNumber(first[at]) ? 'number' : undefined }, text));
  const body = rows.map((cells) => element('tr', {}, ...cells.map(cellElement)));
  return element(
    'div',
    { class: 'scroller', tabindex: '0', role: 'group', 'aria-label': caption },
    element(
      'table',
      {},
      element('caption', { class: 'visually-hidden' }, caption),
      element('thead', {}, element('tr', {}, ...head)),
      element('tbody', {}, ...body),
    ),
  );
}

function isNumber(cell: CellLike | undefined): boolean {
  return typeof cell === 'object' && cell.kind === 'number';
}

function cellElement(cell: CellLike): HTMLElement {
  const { text, kind, title, span } = typeof cell === 'string' ? ({ text: cell } as Cell) : cell;
  const mark = kind === 'good' || kind === 'bad';
  const symbol = mark ? [element('span', { class: `codicon codicon-${kind === 'good' ? 'pass' : 'error'}`, 'aria-hidden': 'true' }), ' '] : [];
  const names = [kind, text.length > LONG ? 'long' : undefined].filter(Boolean).join(' ');
  return element('td', { class: names || undefined, title, colspan: span === undefined ? undefined : String(span) }, ...symbol, text);
}
