/** What the Devices panel and a device's panel have in common: content comes, readings come, texts are copied, tests look. */
import type { DevicePoll } from '../../../helper/protocol/device-readings';
import type { DeviceSnapshot } from '../../../helper/protocol/devices';
import type { DevicesAction, DevicesContent, DevicesControl, DevicesInspection } from '../../../helper/protocol/devices-panel';
import { element } from '../shared/dom';
import type { Host } from './link';
import { withReading } from './model/live';
import type { DevicesState } from './state';
import { NoticeView } from './view/notice-view';
import type { TableHost, TableView } from './view/table-view';

const DIALOGUE_TIMEOUT_MS = 600_000;

export abstract class Page {
  readonly root = element('main', { class: 'page' });
  protected readonly host: Host;
  protected readonly state: DevicesState;
  protected readonly notice: NoticeView;
  readonly #remember: () => void;
  readonly #live = element('div', { class: 'visually-hidden', 'aria-live': 'polite' });
  #content: DevicesContent;
  #poll: DevicePoll | undefined;

  constructor(host: Host, state: DevicesState, remember: () => void, content: DevicesContent) {
    this.host = host;
    this.state = state;
    this.#remember = remember;
    this.#content = content;
    this.notice = new NoticeView((name) => this.act(name));
  }

  protected abstract readonly tables: TableView[];
  /** Shows content and newest reading. */
  protected abstract update(): void;
  protected abstract describe(): Pick<DevicesInspection, 'heading' | 'environment' | 'charts' | 'slices'>;
  /** A reading came, before `update`. */
  protected noteReading(_poll: DevicePoll): void {}

  /** Puts the page into the document and follows what the extension sends. */
  attach(): void {
    document.body.replaceChildren(this.root, this.#live);
    this.host.onNotification('content', (content) => {
      this.#content = content;
      this.#refresh();
    });
    this.host.onNotification('reading', ({ poll }) => {
      this.#poll = poll;
      this.noteReading(poll);
      this.#refresh();
    });
    this.host.onRequest('inspect', () => this.#inspect());
    this.host.onRequest('perform', ({ control, value = '' }) => this.#perform(control, value));
    this.#refresh();
  }

  protected get content(): DevicesContent {
    return this.#content;
  }

  /** With the newest values; null until there is one. */
  protected get snapshot(): DeviceSnapshot | null {
    const { snapshot } = this.#content;
    return snapshot && withReading(snapshot, this.#poll);
  }

  protected act(name: DevicesAction): void {
    void this.host.request('action', { name }, DIALOGUE_TIMEOUT_MS).catch((error: Error) => this.announce(error.message));
  }

  protected exportJson(): void {
    this.host.request('exportJson', {}, DIALOGUE_TIMEOUT_MS).then(
      (done) => done && this.announce(`Written to ${done.file}.`),
      (error: Error) => this.announce(error.message),
    );
  }

  protected copy(text: string, what: string): void {
    this.host.request('copyText', { text }).then(
      () => this.announce(`Copied ${what}.`),
      (error: Error) => this.announce(error.message),
    );
  }

  protected open(device: string): void {
    this.host.request('openDevice', { device }).catch((error: Error) => this.announce(error.message));
  }

  protected announce(text: string): void {
    this.#live.textContent = text;
  }

  protected readonly tableHost: TableHost = {
    sortingOf: (id) => this.state.sorting[id],
    setSorting: (id, sorting) => {
      if (sorting) this.state.sorting[id] = sorting;
      else delete this.state.sorting[id];
      this.remember();
    },
    open: (device) => this.open(device),
    copy: (text, what) => this.copy(text, what),
    announce: (text) => this.announce(text),
  };

  protected remember(): void {
    this.#remember();
  }

  /** Types into the filter, where the page has one. */
  protected setFilter(_text: string): void {}

  #refresh(): void {
    this.notice.notice = this.#content.notice;
    this.root.setAttribute('aria-busy', String(this.#content.reading));
    this.update();
  }

  #inspect(): DevicesInspection {
    const visible = this.tables.filter(({ root }) => !root.closest('[hidden]'));
    return {
      ...this.describe(),
      notice: this.notice.text,
      filter: this.state.filter,
      tables: Object.fromEntries(visible.map((table) => [table.id, inspectTable(table, this.state)])),
      buttons: this.#buttons().map(({ name }) => name),
      announced: this.#live.textContent ?? '',
    };
  }

  #perform(control: DevicesControl, value: string): DevicesInspection {
    const [id, rest = ''] = value.split(' ');
    const table = this.tables.find((each) => each.id === id);
    if (control === 'filter') this.setFilter(value);
    else if (control === 'press')
      this.#buttons()
        .find(({ name }) => name === value)!
        .button.click();
    else if (control === 'sort') table?.sort(rest);
    else table?.press(rest);
    return this.#inspect();
  }

  #buttons(): { name: string; button: HTMLButtonElement }[] {
    const all = [...this.root.querySelectorAll('button')].filter((button) => !button.closest('[hidden], thead'));
    return all.map((button) => ({ name: button.getAttribute('aria-label') ?? button.textContent ?? '', button }));
  }
}

function inspectTable({ shown, focused, id }: TableView, { sorting }: DevicesState): DevicesInspection['tables'][string] {
  const { column, descending } = sorting[id] ?? {};
  const columns = shown.columns.map((each) => ({ id: each.id, sort: each.id === column ? (descending ? 'descending' : 'ascending') : 'none' }));
  return { columns, rows: shown.rows.map(({ cells }) => cells.map(({ text }) => text)), focused };
}
