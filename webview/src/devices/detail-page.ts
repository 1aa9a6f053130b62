/** One device: who it is, what it can do, how busy it is, and the lines of code that select it. */
import { type DeviceParts, deviceName, deviceWith, visibleDevicesValue } from '../../../helper/protocol/device-parts';
import type { DevicePoll } from '../../../helper/protocol/device-readings';
import type { DeviceSnapshot } from '../../../helper/protocol/devices';
import type { DevicesContent, DevicesInspection } from '../../../helper/protocol/devices-panel';
import { element, icon, textButton } from '../shared/dom';
import type { Host } from './link';
import { cudaTable, handleTable, imageTable } from './model/capabilities';
import { factsTable } from './model/device-facts';
import { deviceFindings, type Finding } from './model/findings';
import { gpuTable } from './model/gpu-table';
import { peersTable } from './model/peers-table';
import { processesTable } from './model/processes-table';
import { sliceLayout } from './model/slices';
import { cppSnippet, pythonSnippet, visibleDevicesLine } from './model/snippets';
import type { Table } from './model/table';
import { Page } from './page';
import type { DevicesState } from './state';
import { ChartsView } from './view/charts-view';
import { FindingList } from './view/finding-list';
import { SlicesView } from './view/slices-view';
import { TableView } from './view/table-view';

const EMPTY: Table = { columns: [], rows: [] };

export class DetailPage extends Page {
  readonly #id: string;
  readonly #history: DevicePoll[];
  readonly #heading = element('h1', {}, 'Device');
  readonly #subtitle = element('p', { class: 'subtitle', title: "Numbers as in the editor's environment" });
  readonly #copies = element('div', { class: 'copies', role: 'group', 'aria-label': 'Copy' });
  readonly #waiting = element('p', { class: 'waiting' }, icon('loading'), 'Asking the drivers…');
  readonly #findings = new FindingList();
  readonly #chartsPlace = element('div');
  readonly #slices: SlicesView;
  readonly #instances = new TableView('instances', 'MIG instances', this.tableHost);
  readonly #processes = new TableView('processes', 'Processes', this.tableHost);
  readonly #facts = new TableView('facts', 'Identity', this.tableHost);
  readonly #cuda = new TableView('cuda', 'CUDA: what can be shared', this.tableHost);
  readonly #peers = new TableView('peers', 'CUDA: peers', this.tableHost);
  readonly #handles = new TableView('handles', 'Vulkan: memory of buffers, and semaphores', this.tableHost);
  readonly #images = new TableView('images', 'Vulkan: memory of images', this.tableHost);
  protected readonly tables = [this.#instances, this.#processes, this.#facts, this.#cuda, this.#peers, this.#handles, this.#images];
  #charts: ChartsView | undefined;
  /** The device as it was last listed: it stays on the screen when it is gone. */
  #last: DeviceParts | undefined;

  constructor(host: Host, state: DevicesState, remember: () => void, content: DevicesContent, id: string, history: DevicePoll[]) {
    super(host, state, remember, content);
    this.#id = id;
    this.#history = history;
    this.#slices = new SlicesView(id, (device) => this.open(device));
    this.root.append(
      element('header', { class: 'top detail' }, element('div', { class: 'names' }, this.#heading, this.#subtitle), this.#copies),
      this.notice.root,
      this.#waiting,
      this.#findings.root,
      this.#chartsPlace,
      this.#slices.root,
      this.#instances.root,
      this.#processes.root,
      element('div', { class: 'columns' }, this.#facts.root, this.#cuda.root),
      this.#peers.root,
      element('div', { class: 'columns' }, this.#handles.root, this.#images.root),
    );
  }

  protected override noteReading(poll: DevicePoll): void {
    if (this.#charts) this.#charts.add(poll);
    else this.#history.push(poll);
  }

  protected update(): void {
    const { snapshot } = this;
    const { lastListed } = this.content;
    const found = snapshot ? deviceWith(snapshot, this.#id) : undefined;
    const last = lastListed && deviceWith(lastListed, this.#id);
    this.#last = found ?? last ?? this.#last;
    this.#waiting.hidden = snapshot !== null || this.content.notice !== null;
    this.root.classList.toggle('gone', snapshot !== null && !found);
    this.#findings.findings = snapshot && !found ? [goneFinding(this.#last, snapshot)] : found ? deviceFindings(found) : [];
    if (found && snapshot) this.#show(found, snapshot);
    else if (last && lastListed) this.#show(last, lastListed);
  }

  protected describe(): Pick<DevicesInspection, 'heading' | 'environment' | 'charts' | 'slices'> {
    const { textContent } = this.#heading;
    return { heading: textContent ?? '', environment: '', charts: this.#charts?.words ?? [], slices: this.#slices.words };
  }

  #show(device: DeviceParts, snapshot: DeviceSnapshot): void {
    const { gpu, instance, cuda, vulkan } = device;
    this.#heading.textContent = deviceName(device);
    this.#subtitle.textContent = subtitle(device);
    this.#showCopies(device);
    this.#showCharts(device);
    this.#slices.layout = gpu && sliceLayout(gpu);
    this.#instances.table = gpu && !instance ? instancesOf(snapshot, gpu.instances) : EMPTY;
    this.#processes.table = processesTable(device);
    this.#facts.table = factsTable(device, snapshot);
    this.#cuda.table = cuda ? cudaTable(cuda) : EMPTY;
    this.#peers.table = cuda ? peersTable(cuda, snapshot) : EMPTY;
    this.#handles.table = vulkan ? handleTable(vulkan) : EMPTY;
    this.#images.table = vulkan ? imageTable(vulkan) : EMPTY;
  }

  /** Made once: what they copy is read when they are pressed. */
  #showCopies(device: DeviceParts): void {
    const copies: [label: string, title: string, text: (device: DeviceParts) => string | undefined][] = [
      ['UUID', 'Copy the UUID', (now) => visibleDevicesValue(now) ?? now.vulkan?.deviceUuid],
      ['CUDA_VISIBLE_DEVICES', 'Copy the line that shows a program this device alone', visibleDevicesLine],
      ['C++', 'Copy C++ that finds this device by its UUID', cppSnippet],
      ['Python', "Copy Python that finds this device's ordinal by its UUID", pythonSnippet],
    ];
    const offered = copies.filter(([, , text]) => text(device) !== undefined);
    if (this.#copies.childElementCount === offered.length + 1) return;
    this.#copies.replaceChildren(
      ...offered.map(([label, title, text]) => {
        const button = textButton(label, title, () => this.copy(text(this.#last ?? device) ?? '', label));
        button.prepend(icon('copy'));
        return button;
      }),
      textButton('Export JSON…', 'Write everything that is known of this device to a file', () => this.exportJson()),
    );
  }

  #showCharts(device: DeviceParts): void {
    if (!device.gpu) return;
    if (!this.#charts) {
      this.#charts = new ChartsView(device);
      this.#chartsPlace.replaceChildren(this.#charts.root);
      for (const poll of this.#history.splice(0)) this.#charts.add(poll);
    }
    this.#charts.show(device);
  }
}

function instancesOf(snapshot: DeviceSnapshot, instances: { uuid: string }[]): Table {
  const { columns, rows } = gpuTable(snapshot);
  const own = rows.filter(({ id }) => instances.some(({ uuid }) => uuid === id));
  return { columns, rows: own.map(({ nested: _, ...row }) => row) };
}

/** Numbers are those of the editor's environment; the Devices panel has other ones. */
function subtitle({ gpu, instance, cuda, vulkan }: DeviceParts): string {
  const whole = gpu && !instance;
  const inMig = whole && gpu.mig.current && gpu.instances.length > 0;
  const parts = [
    inMig ? 'in MIG mode: CUDA lists its instances' : cuda ? `CUDA ${cuda.ordinal}` : 'not listed by CUDA',
    !inMig && (vulkan ? `Vulkan ${vulkan.index}` : 'not listed by Vulkan'),
    whole && `GPU ${gpu.index} of nvidia-smi`,
    instance && `instance ${instance.gpuInstanceId}/${instance.computeInstanceId} of GPU ${gpu?.index}`,
  ];
  return parts.filter(Boolean).join(' · ');
}

function goneFinding(device: DeviceParts | undefined, { nvml }: DeviceSnapshot): Finding {
  if (device?.gpu && nvml.reason) return { level: 'error', message: nvml.reason.message, nextStep: nvml.reason.nextStep };
  return {
    level: 'error',
    message: `${device ? deviceName(device) : 'This device'} is not listed any more. What stands below is its last state.`,
    nextStep: device?.instance
      ? 'The MIG layout was changed: open the instance that took its place from the Devices panel.'
      : 'Run the doctor to see what the drivers say.',
  };
}
