import type { Messenger } from '../../../helper/protocol/messenger';
import type {
  SeamFormat,
  SeamHostNotifications,
  SeamHostRequests,
  SeamInspection,
  SeamPanelNotifications,
  SeamPanelRequests,
  SeamPanelState,
} from '../../../helper/protocol/seam-panel';
import { PROTOCOL_VERSION } from '../../../helper/protocol/version';
import { element } from '../shared/dom';
import { inspectDocument } from './inspect';
import { notice } from './notice';
import { progressBar } from './progress-bar';
import { reportView } from './report-view';
import { type Filter, unfiltered } from './run-filter';

export type SeamHost = Messenger<SeamPanelRequests, SeamPanelNotifications, SeamHostRequests, SeamHostNotifications>;

/** Longer than anyone takes to choose a file. */
const EXPORT_TIMEOUT_MS = 600_000;

export class App {
  readonly #host: SeamHost;
  readonly #progress = element('div', { class: 'running', 'aria-live': 'off' });
  readonly #main = element('main', {});
  readonly #live = element('div', { class: 'visually-hidden', 'aria-live': 'polite' });
  #state: SeamPanelState = { report: null, progress: null, failure: null };
  #filter: Filter = unfiltered;
  #device = 0;

  constructor(host: SeamHost) {
    this.#host = host;
  }

  async start(): Promise<void> {
    document.body.append(this.#progress, this.#main, this.#live);
    this.#host.onNotification('state', (state) => this.#show(state));
    this.#host.onRequest('inspect', () => inspectDocument(document));
    this.#host.onRequest('filter', (choice) => this.#choose({ ...this.#filter, ...choice } as Filter));
    try {
      this.#show(await this.#host.request('start', { protocolVersion: PROTOCOL_VERSION }));
    } catch (error) {
      const { message, nextStep = '' } = error as { message: string; nextStep?: string };
      this.#show({ report: null, progress: null, failure: { message, nextStep } });
    }
  }

  #choose(filter: Filter): SeamInspection {
    this.#filter = filter;
    this.#render();
    return inspectDocument(document);
  }

  #show(state: SeamPanelState): void {
    const before = this.#state;
    this.#state = state;
    if (state.report?.takenAt !== before.report?.takenAt) this.#device = 0;
    this.#progress.replaceChildren(...progressBar(state.progress, () => this.#host.notify('action', { name: 'cancel' })));
    // A step of a test leaves the old report, its scroll position and its focus alone.
    if (state.report?.takenAt !== before.report?.takenAt || state.failure?.message !== before.failure?.message || this.#main.childElementCount === 0)
      this.#render();
    this.#main.toggleAttribute('data-running', state.progress !== null);
    if (before.progress && !state.progress) this.#live.textContent = state.failure?.message ?? state.report?.verdict.headline ?? '';
  }

  #render(): void {
    const { report, failure } = this.#state;
    const act = (name: SeamPanelNotifications['action']['name']) => () => this.#host.notify('action', { name });
    const parts: Node[] = [];
    if (failure) {
      const host: Record<string, () => void> = failure.withHost ? { 'Test with the Host Instead': act('runWithHost') } : {};
      parts.push(notice('error', failure.message, failure.nextStep, { 'Run Doctor': act('doctor'), ...host, 'Show Log': act('showLog') }));
    }
    if (report) {
      const hooks = {
        act,
        export: (format: SeamFormat) => void this.#host.request('export', { format }, EXPORT_TIMEOUT_MS).catch(() => null),
        filter: (filter: Filter) => void this.#choose(filter),
        device: (index: number) => {
          this.#device = index;
          this.#render();
        },
      };
      parts.push(...reportView(report, { filter: this.#filter, device: this.#device }, hooks));
    } else if (!failure) {
      const text = 'The seam test runs a producer and a consumer on this machine and counts what goes wrong between them.';
      parts.push(notice('beaker', 'There is no report yet.', text, { 'Run Seam Test': act('run') }));
    }
    this.#main.replaceChildren(...parts);
  }
}
