/** A table on the screen: sorted by its headers, walked through with the arrow keys, copied cell by cell or row by row. */
import { element, icon } from '../../shared/dom';
import { asCsv, asMarkdown, asTabs, copied } from '../model/copy';
import { filtered } from '../model/filter';
import { nextSorting, type Sorting, sorted } from '../model/sort';
import { type Column, type Row, type Table, withoutEmptyColumns } from '../model/table';
import { CellGrid } from './cell-grid';

export interface TableHost {
  sortingOf(id: string): Sorting | undefined;
  setSorting(id: string, sorting: Sorting | undefined): void;
  open(device: string): void;
  copy(text: string, what: string): void;
  announce(text: string): void;
}

export class TableView {
  readonly root: HTMLElement;
  readonly id: string;
  readonly #host: TableHost;
  readonly #head = element('tr');
  readonly #grid: CellGrid;
  readonly #count = element('span', { class: 'count' });
  readonly #title: string;
  #all: Table = { columns: [], rows: [] };
  #shown: Table = this.#all;
  #filter = '';

  constructor(id: string, title: string, host: TableHost, note = '') {
    this.id = id;
    this.#title = title;
    this.#host = host;
    this.#grid = new CellGrid({
      copyCell: (row, at) => this.#copyCell(row, at),
      copyRow: (row) => this.#copyRow(row),
      open: (row) => row.device && host.open(row.device),
    });
    const heading = element('h2', { id: `${id}-title` }, title);
    const table = element(
      'table',
      { role: 'grid', 'aria-labelledby': `${id}-title`, 'aria-readonly': 'true' },
      element('thead', {}, this.#head),
      this.#grid.body,
    );
    this.root = element(
      'section',
      { class: 'block', 'aria-labelledby': `${id}-title`, 'data-table': id, hidden: true },
      element('div', { class: 'block-head' }, heading, this.#count, this.#copyButton('Markdown', asMarkdown), this.#copyButton('CSV', asCsv)),
      ...(note ? [element('p', { class: 'note' }, note)] : []),
      element('div', { class: 'scroller', tabindex: '-1' }, table),
    );
  }

  get shown(): Table {
    return this.#shown;
  }

  get focused(): string {
    return this.#grid.focused;
  }

  /** A table without rows is not there. */
  set table(table: Table) {
    this.#all = withoutEmptyColumns(table);
    this.#update();
  }

  set filter(text: string) {
    this.#filter = text;
    this.#update();
  }

  /** A press on a header. */
  sort(column: string): void {
    const sorting = nextSorting(this.#host.sortingOf(this.id), column);
    this.#host.setSorting(this.id, sorting);
    this.#update();
    const { label } = this.#all.columns.find(({ id }) => id === column) ?? { label: column };
    this.#host.announce(sorting ? `Sorted by ${label}, ${sorting.descending ? 'descending' : 'ascending'}.` : 'In the order of the machine.');
  }

  press(key: string): void {
    this.#grid.press(key);
  }

  #update(): void {
    const sorting = this.#host.sortingOf(this.id);
    this.#shown = sorted(filtered(this.#all, this.#filter), sorting);
    this.root.hidden = this.#all.rows.length === 0;
    const [shown, all] = [this.#shown.rows.length, this.#all.rows.length];
    this.#count.textContent = shown === all ? '' : `${shown} of ${all}`;
    this.#showHead(sorting);
    this.#grid.show(this.#shown);
  }

  /** Buttons stay when only the direction changes: the focus is on one of them. */
  #showHead(sorting: Sorting | undefined): void {
    const { columns } = this.#all;
    const same = columns.length === this.#head.cells.length && columns.every(({ id }, at) => this.#head.cells[at]?.dataset.column === id);
    if (!same) this.#head.replaceChildren(...columns.map((column) => this.#header(column)));
    for (const cell of this.#head.cells) {
      const active = cell.dataset.column === sorting?.column;
      const direction = sorting?.descending ? 'descending' : 'ascending';
      cell.setAttribute('aria-sort', active ? direction : 'none');
    }
  }

  #header(column: Column): HTMLElement {
    const button = element('button', { type: 'button', class: 'sorter', title: column.title }, element('span', {}, column.label), icon('arrow-up'));
    button.addEventListener('click', () => this.sort(column.id));
    return element('th', { scope: 'col', 'data-column': column.id, class: column.numeric ? 'numeric' : undefined }, button);
  }

  #copyButton(format: string, text: (table: Table) => string): HTMLButtonElement {
    const label = `Copy ${this.#title} as ${format}`;
    const button = element('button', { type: 'button', class: 'text-button quiet', title: label, 'aria-label': label }, icon('copy'), format);
    button.addEventListener('click', () => this.#host.copy(text(this.#shown), `${this.#title} as ${format}`));
    return button;
  }

  #copyCell(row: Row, at: number): void {
    const cell = row.cells[at];
    if (cell) this.#host.copy(copied(cell), copied(cell) || 'nothing');
  }

  #copyRow(row: Row): void {
    this.#host.copy(asTabs(row), 'the row');
  }
}
