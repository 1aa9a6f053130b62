/** The charts of one device. */
import type { DeviceParts } from '../../../../helper/protocol/device-parts';
import type { DevicePoll } from '../../../../helper/protocol/device-readings';
import { element } from '../../shared/dom';
import { bytes, percent } from '../model/format';
import { type Sample, sampleOf } from '../model/samples';
import { Chart, SPAN_MS } from './chart';

const megahertz = (value: number): string => `${Math.round(value)} MHz`;
const watts = (value: number): string => `${Math.round(value)} W`;
const degrees = (value: number): string => `${Math.round(value)} °C`;

export class ChartsView {
  readonly root = element('section', { class: 'charts', 'aria-label': 'The last two minutes', hidden: true });
  readonly #device: DeviceParts;
  readonly #charts: { use: Chart; memory: Chart; others: Chart[] };
  #samples: Sample[] = [];

  constructor(device: DeviceParts) {
    this.#device = device;
    const { gpu, instance } = device;
    const total = (instance ?? gpu)?.memoryBytes ?? 1;
    const { powerLimitWatts, slowdownTemperatureC, maxClocks } = gpu?.health ?? {};
    const useLines = [
      { value: 'use' as const, name: instance ? '' : 'busy', format: percent },
      ...(instance ? [] : [{ value: 'memoryUse' as const, name: 'memory', format: percent }]),
    ];
    const clocks = [
      { value: 'smClock' as const, name: 'SM', format: megahertz },
      { value: 'memoryClock' as const, name: 'memory', format: megahertz },
    ];
    this.#charts = {
      use: new Chart({ title: 'Use', lines: useLines, top: 100, fixed: true }),
      memory: new Chart({ title: `Memory of ${bytes(total)}`, lines: [{ value: 'memory', name: '', format: bytes }], top: total, fixed: true }),
      // An instance shares these with its GPU.
      others: instance
        ? []
        : [
            new Chart({
              title: 'Power',
              lines: [{ value: 'power', name: '', format: watts }],
              top: powerLimitWatts ?? 100,
              fixed: powerLimitWatts !== undefined,
            }),
            new Chart({
              title: 'Temperature',
              lines: [{ value: 'temperature', name: '', format: degrees }],
              top: slowdownTemperatureC ?? 100,
              fixed: true,
            }),
            new Chart({ title: 'Clocks', lines: clocks, top: Math.max(maxClocks?.smMhz ?? 0, maxClocks?.memoryMhz ?? 0, 1000), fixed: false }),
          ],
    };
    this.root.append(...this.#all.map((chart) => chart.root));
  }

  get words(): string[] {
    return this.root.hidden ? [] : this.#all.filter(({ root }) => !root.hidden).map(({ text }) => text);
  }

  add(poll: DevicePoll): void {
    const sample = sampleOf(this.#device, poll);
    if (!sample) return;
    const oldest = sample.time - SPAN_MS;
    this.#samples = [...this.#samples.filter(({ time }) => time >= oldest), sample];
  }

  /** `device` with its newest values: why it has no use. */
  show({ gpu, instance }: DeviceParts): void {
    const end = this.#samples.at(-1)?.time;
    this.root.hidden = end === undefined;
    if (end === undefined) return;
    const missing = (instance ?? gpu)?.use?.missing?.message ?? 'The driver does not tell.';
    this.#charts.use.show(this.#samples, end, missing);
    this.#charts.memory.show(this.#samples, end, 'The driver does not tell.');
    for (const chart of this.#charts.others) chart.show(this.#samples, end, undefined);
  }

  get #all(): Chart[] {
    return [this.#charts.use, this.#charts.memory, ...this.#charts.others];
  }
}
