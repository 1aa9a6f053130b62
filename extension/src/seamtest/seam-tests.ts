import * as vscode from 'vscode';
import type { SeamProgress, SeamReport, SeamSettings } from '../../../helper/protocol/seamtest';
import { engineEnvironment } from '../engine/environment';
import type { EngineService } from '../engine/service';
import type { Log } from '../log';
import { setting } from '../settings';
import type { ReportStore } from './store';

export interface SeamRequest {
  settings: SeamSettings;
  /** UUID of the only Vulkan device to test. */
  device?: string;
  /** Test without CUDA: the host takes its place. */
  host?: true;
}

export interface SeamFailure {
  message: string;
  nextStep: string;
  /** The same request with the host in CUDA's place would run. */
  withHost?: true;
}

/** What came of a request: a report, or the reason why there is none. */
export type SeamOutcome = { report: SeamReport } | { noPartner: SeamFailure } | { failure: SeamFailure } | { cancelled: true };

/** Runs seam tests, one at a time, each in sacrificial processes of its own, and keeps the last report. */
export class SeamTests implements vscode.Disposable {
  readonly #script: string;
  readonly #engine: EngineService;
  readonly #log: Log;
  readonly #store: ReportStore;
  readonly #previews: () => number;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Progress, report or failure changed. */
  readonly onDidChange = this.#changed.event;
  #cancel: AbortController | undefined;
  #progress: SeamProgress | undefined;
  #failure: SeamFailure | undefined;
  #request: SeamRequest | undefined;

  /** `script` is the bundle of the sacrificial processes; `previews` counts the open ones. */
  constructor(parts: { script: string; engine: EngineService; log: Log; store: ReportStore; previews: () => number }) {
    this.#script = parts.script;
    this.#engine = parts.engine;
    this.#log = parts.log;
    this.#store = parts.store;
    this.#previews = parts.previews;
  }

  get isRunning(): boolean {
    return this.#cancel !== undefined;
  }

  get progress(): SeamProgress | undefined {
    return this.#progress;
  }

  /** Why the last request gave no report. */
  get failure(): SeamFailure | undefined {
    return this.#failure;
  }

  /** What was asked for last. */
  get lastRequest(): SeamRequest | undefined {
    return this.#request;
  }

  lastReport(): Promise<SeamReport | undefined> {
    return this.#store.read();
  }

  cancel(): void {
    this.#cancel?.abort();
  }

  /** Never rejects. While a test runs there is no second one. */
  async run(request: SeamRequest): Promise<SeamOutcome> {
    if (this.#cancel) return { failure: { message: 'A seam test is running already.', nextStep: 'Wait for its report, or cancel it.' } };
    const cancel = new AbortController();
    this.#cancel = cancel;
    this.#request = request;
    this.#set({ done: 0, total: 1, text: 'looking at the devices' }, undefined);
    let failure: SeamFailure | undefined;
    try {
      const outcome = await this.#test(request, cancel.signal);
      if ('noPartner' in outcome) failure = outcome.noPartner;
      return outcome;
    } catch (error) {
      if (cancel.signal.aborted) return { cancelled: true };
      const { message = String(error), nextStep = '' } = error as Partial<SeamFailure>;
      failure = { message, nextStep };
      this.#log.error(`Seam test: ${message} ${nextStep}`);
      return { failure };
    } finally {
      this.#cancel = undefined;
      this.#set(undefined, failure);
    }
  }

  dispose(): void {
    this.cancel();
    this.#changed.dispose();
  }

  async #test({ settings, device, host }: SeamRequest, signal: AbortSignal): Promise<{ report: SeamReport } | { noPartner: SeamFailure }> {
    const { runSeamTest, whyNoPartner } = await import('../../../helper/engine/seamtest-api');
    const snapshot = await this.#engine.request('devices/snapshot', { refresh: true });
    const { addonPath, addonProblem } = this.#engine.info ?? {};
    if (addonProblem) throw addonProblem;
    const noPartner = whyNoPartner(snapshot, device);
    if (noPartner && !host) return { noPartner: snapshot.vulkan.devices.length > 0 ? { ...noPartner, withHost: true } : noPartner };
    const report = await runSeamTest({
      script: this.#script,
      addonPath: addonPath ?? '',
      env: engineEnvironment(process.env, setting('seamscope.engine.environment')),
      snapshot,
      settings,
      ...(device === undefined ? {} : { device }),
      notes: previewNotes(this.#previews()),
      onProgress: (progress) => this.#set(progress, undefined),
      signal,
    });
    await this.#store.write(report);
    return { report };
  }

  #set(progress: SeamProgress | undefined, failure: SeamFailure | undefined): void {
    this.#progress = progress;
    this.#failure = failure;
    this.#changed.fire();
  }
}

function previewNotes(previews: number): string[] {
  if (previews === 0) return [];
  return [`${previews} preview${previews === 1 ? ' was' : 's were'} open and used the GPU too: close previews for exact times.`];
}
