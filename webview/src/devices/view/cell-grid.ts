/** The body of a table. One cell is in the tab order; arrows move within. Rows and cells are kept from one reading to the next. */
import { element } from '../../shared/dom';
import type { Cell, Row, Table } from '../model/table';

export interface GridActions {
  copyCell(row: Row, column: number): void;
  copyRow(row: Row): void;
  open(row: Row): void;
}

export class CellGrid {
  readonly body = element('tbody');
  readonly #actions: GridActions;
  #table: Table = { columns: [], rows: [] };
  /** The focused cell, by row and column: rows move when they are sorted. */
  #at = { row: '', column: '' };

  constructor(actions: GridActions) {
    this.#actions = actions;
    this.body.addEventListener('keydown', (event) => this.#onKey(event));
    this.body.addEventListener('focusin', ({ target }) => this.#note(target));
    this.body.addEventListener('dblclick', ({ target }) => this.#open(target));
    this.body.addEventListener('click', ({ target }) => {
      if (target instanceof Element && target.closest('.opens')) this.#open(target);
    });
  }

  /** Row, column and text of the cell in the tab order. */
  get focused(): string {
    return this.#cell()?.textContent ?? '';
  }

  show(table: Table): void {
    this.#table = table;
    const hadFocus = this.body.contains(document.activeElement);
    const known = new Map([...this.body.rows].map((row) => [row.dataset.row, row]));
    const rows = table.rows.map((row) => this.#showRow(known.get(row.id) ?? element('tr', { 'data-row': row.id }), row));
    if (rows.length !== this.body.rows.length || rows.some((row, at) => row !== this.body.rows[at])) this.body.replaceChildren(...rows);
    const cell = this.#roam();
    // A row that was moved lost the focus with it.
    if (hadFocus && !this.body.contains(document.activeElement)) cell?.focus();
  }

  /** As a key event in the focused cell would be: "ArrowDown", "Control+c". */
  press(keys: string): void {
    const parts = keys.split('+');
    const key = parts.pop()!;
    const event = new KeyboardEvent('keydown', {
      key,
      ctrlKey: parts.includes('Control'),
      shiftKey: parts.includes('Shift'),
      bubbles: true,
      cancelable: true,
    });
    this.#cell()?.dispatchEvent(event);
  }

  #showRow(line: HTMLTableRowElement, { cells, nested, device }: Row): HTMLTableRowElement {
    line.className = nested ? 'nested' : '';
    while (line.cells.length > cells.length) line.deleteCell(-1);
    // The name is the link; a table without names has its first column for it.
    const link = Math.max(
      0,
      this.#table.columns.findIndex(({ id }) => id === 'device'),
    );
    for (const [at, cell] of cells.entries()) {
      const column = this.#table.columns[at]!;
      const shown = line.cells[at] ?? line.appendChild(element(at === 0 ? 'th' : 'td', { ...(at === 0 && { scope: 'row' }), tabindex: '-1' }));
      shown.dataset.column = column.id;
      showCell(shown, cell, { numeric: column.numeric === true, opens: at === link && device !== undefined });
    }
    return line;
  }

  /** Exactly one cell can be reached with Tab. */
  #roam(): HTMLTableCellElement | undefined {
    for (const cell of this.body.querySelectorAll<HTMLElement>('[tabindex="0"]')) cell.tabIndex = -1;
    const cell = this.#cell();
    if (cell) cell.tabIndex = 0;
    return cell;
  }

  #cell(): HTMLTableCellElement | undefined {
    const row = [...this.body.rows].find(({ dataset }) => dataset.row === this.#at.row) ?? this.body.rows[0];
    return [...(row?.cells ?? [])].find(({ dataset }) => dataset.column === this.#at.column) ?? row?.cells[0];
  }

  #note(target: EventTarget | null): void {
    const cell = target instanceof Element ? target.closest('td, th') : null;
    if (!(cell instanceof HTMLTableCellElement)) return;
    this.#at = { row: cell.parentElement?.dataset.row ?? '', column: cell.dataset.column ?? '' };
    this.#roam();
  }

  #onKey(event: KeyboardEvent): void {
    const cell = this.#cell();
    const row = this.#rowOf(cell);
    if (!cell || !row || event.altKey || event.metaKey) return;
    if (event.ctrlKey && event.key.toLowerCase() === 'c') {
      if (event.shiftKey) this.#actions.copyRow(row);
      // Text that the user has marked is copied by the browser.
      else if (document.getSelection()?.isCollapsed !== false) this.#actions.copyCell(row, cell.cellIndex);
      else return;
    } else if (event.key === 'Enter') this.#actions.open(row);
    else if (!this.#move(cell, event)) return;
    event.preventDefault();
  }

  #move(cell: HTMLTableCellElement, { key, ctrlKey }: KeyboardEvent): boolean {
    const rows = [...this.body.rows];
    const at = rows.indexOf(cell.parentElement as HTMLTableRowElement);
    const last = this.#table.columns.length - 1;
    const steps: Record<string, [row: number, column: number]> = {
      ArrowUp: [at - 1, cell.cellIndex],
      ArrowDown: [at + 1, cell.cellIndex],
      ArrowLeft: [at, cell.cellIndex - 1],
      ArrowRight: [at, cell.cellIndex + 1],
      Home: [ctrlKey ? 0 : at, 0],
      End: [ctrlKey ? rows.length - 1 : at, last],
      PageUp: [Math.max(0, at - 10), cell.cellIndex],
      PageDown: [Math.min(rows.length - 1, at + 10), cell.cellIndex],
    };
    const step = steps[key];
    if (!step) return false;
    rows[step[0]]?.cells[step[1]]?.focus();
    return true;
  }

  #open(target: EventTarget | null): void {
    const row = target instanceof Element ? this.#rowOf(target.closest('td, th')) : undefined;
    if (row) this.#actions.open(row);
  }

  #rowOf(cell: Element | null | undefined): Row | undefined {
    const id = cell?.parentElement?.dataset.row;
    return this.#table.rows.find((row) => row.id === id);
  }
}

/** Writes only what has changed: a screen reader would read it again. */
function showCell(shown: HTMLTableCellElement, { text, title, share, level }: Cell, { numeric, opens }: { numeric: boolean; opens: boolean }): void {
  const names = [level, numeric && 'numeric', opens && 'device', share !== undefined && 'share'].filter(Boolean).join(' ');
  if (shown.className !== names) shown.className = names;
  if (shown.title !== (title ?? '')) shown.title = title ?? '';
  if (share !== undefined) shown.style.setProperty('--share', String(share));
  let holder: HTMLElement = shown.querySelector('span') ?? shown.appendChild(element('span'));
  if (opens !== holder.classList.contains('opens')) holder.classList.toggle('opens', opens);
  holder = shown.querySelector('span')!;
  if (holder.textContent !== text) holder.textContent = text;
}
