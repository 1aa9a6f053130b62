/** The Devices panel: every GPU, every Vulkan device, what is which, and whose environment says so. */
import type { DeviceSnapshot } from '../../../helper/protocol/devices';
import type { DevicesContent, DevicesInspection } from '../../../helper/protocol/devices-panel';
import { element, icon, iconButton } from '../shared/dom';
import type { Host } from './link';
import { machineFindings, pitfallFindings } from './model/findings';
import { gpuTable } from './model/gpu-table';
import { linksTable } from './model/links-table';
import { routingTable } from './model/routing-table';
import { visibleTable } from './model/visible-table';
import { vulkanTable } from './model/vulkan-table';
import { Page } from './page';
import type { DevicesState } from './state';
import { EnvironmentBar } from './view/environment-bar';
import { FindingList } from './view/finding-list';
import { TableView } from './view/table-view';

const LINKS_NOTE = 'NV with the number of NVLinks that are up; otherwise the closest thing that both GPUs hang under.';

export class ListPage extends Page {
  readonly #filter = element('input', { type: 'search', placeholder: 'Filter devices', 'aria-label': 'Filter devices' });
  readonly #environment = new EnvironmentBar((name) => this.act(name));
  readonly #findings = new FindingList();
  readonly #pitfalls = new FindingList();
  readonly #visibleSummary = element('div', { class: 'summary-lines', hidden: true });
  readonly #gpus = new TableView('gpus', 'GPUs and MIG instances', this.tableHost);
  readonly #vulkan = new TableView('vulkan', 'Vulkan devices', this.tableHost);
  readonly #routes = new TableView('routes', 'What runs where', this.tableHost);
  readonly #visible = new TableView('visible', 'CUDA_VISIBLE_DEVICES, entry by entry', this.tableHost);
  readonly #links = new TableView('links', 'Links between GPUs', this.tableHost, LINKS_NOTE);
  readonly #misleading = element(
    'section',
    { class: 'block', 'aria-label': 'What would mislead here', hidden: true },
    element('h2', {}, 'What would mislead here'),
    this.#pitfalls.root,
  );
  readonly #waiting = element('p', { class: 'waiting' }, icon('loading'), 'Asking the drivers…');
  protected readonly tables = [this.#gpus, this.#vulkan, this.#routes, this.#visible, this.#links];

  constructor(host: Host, state: DevicesState, remember: () => void, content: DevicesContent) {
    super(host, state, remember, content);
    this.#filter.value = state.filter;
    this.#filter.addEventListener('input', () => this.setFilter(this.#filter.value));
    this.root.append(
      element(
        'header',
        { class: 'top' },
        element('h1', {}, 'Devices'),
        this.#filter,
        element(
          'div',
          { class: 'tools' },
          iconButton('refresh', 'Refresh', undefined, () => this.act('refresh')),
          iconButton('pulse', 'Run Doctor', undefined, () => this.act('runDoctor')),
          iconButton('json', 'Export as JSON', undefined, () => this.exportJson()),
        ),
      ),
      this.#environment.root,
      this.notice.root,
      this.#waiting,
      this.#findings.root,
      this.#gpus.root,
      this.#vulkan.root,
      this.#routes.root,
      this.#visibleSummary,
      this.#visible.root,
      this.#misleading,
      this.#links.root,
    );
    for (const table of this.tables) table.filter = state.filter;
  }

  protected override setFilter(text: string): void {
    this.#filter.value = text;
    this.state.filter = text;
    this.remember();
    for (const table of this.tables) table.filter = text;
  }

  protected update(): void {
    const { snapshot, content } = this;
    this.#environment.environment = content.environment;
    this.#waiting.hidden = snapshot !== null || content.notice !== null;
    if (snapshot) this.#show(snapshot);
  }

  protected describe(): Pick<DevicesInspection, 'heading' | 'environment' | 'charts' | 'slices'> {
    return { heading: 'Devices', environment: this.#environment.text, charts: [], slices: [] };
  }

  #show(snapshot: DeviceSnapshot): void {
    this.#findings.findings = machineFindings(snapshot);
    this.#gpus.table = gpuTable(snapshot);
    this.#vulkan.table = vulkanTable(snapshot);
    this.#routes.table = routingTable(snapshot, new Map(this.content.sources.map(({ id, label }) => [id, label])));
    this.#visible.table = visibleTable(snapshot);
    this.#links.table = snapshot.links ? linksTable(snapshot) : { columns: [], rows: [] };
    const pitfalls = pitfallFindings(snapshot);
    this.#misleading.hidden = pitfalls.length === 0;
    this.#pitfalls.findings = pitfalls;
    this.#showSummary(snapshot);
  }

  /** What the variable does as a whole is worth a line even when it is not set. */
  #showSummary({ visible, cuda }: DeviceSnapshot): void {
    const lines =
      visible && cuda.devices.length + visible.entries.length > 0 ? [visible.summary, visible.order.message, visible.migRule.message] : [];
    this.#visibleSummary.hidden = lines.length === 0;
    const text = lines.filter(Boolean).join(' ');
    if (this.#visibleSummary.textContent !== text) this.#visibleSummary.textContent = text;
  }
}
