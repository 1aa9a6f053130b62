import * as vscode from 'vscode';
import type { EngineClient, EngineInfo, EngineLaunch, UserError } from '../../../helper/engine/client';
import type { EngineRequests } from '../../../helper/protocol/engine';
import type { Picture } from '../../../helper/protocol/picture-assembler';
import type { Log } from '../log';
import { setting } from '../settings';
import { engineEnvironment } from './environment';

/** Settings are saved in bursts while somebody types. */
const SETTING_SETTLES_MS = 500;

export type EngineState = 'idle' | 'starting' | 'running' | 'restarting' | 'failed';

export interface ViewFailure {
  viewId: number;
  message: string;
  nextStep: string;
}

/** The GPU engine as the extension sees it: not started before the first request, its state observable. */
export class EngineService implements vscode.Disposable {
  readonly #log: Log;
  readonly #script: string;
  readonly #stateChanged = new vscode.EventEmitter<EngineState>();
  readonly #pictures = new vscode.EventEmitter<Picture>();
  readonly #viewFailures = new vscode.EventEmitter<ViewFailure>();
  readonly #sourcesChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeState = this.#stateChanged.event;
  readonly onPicture = this.#pictures.event;
  readonly onViewFailed = this.#viewFailures.event;
  /** Sources or their outputs came or went; `sources/list` says which. */
  readonly onSourcesChanged = this.#sourcesChanged.event;
  readonly #settingChanged: vscode.Disposable;
  #settling: NodeJS.Timeout | undefined;
  /** The environment setting that the engine was started with, as JSON. */
  #startedWith: string | undefined;
  #client: Promise<EngineClient> | undefined;
  #live: EngineClient | undefined;
  #state: EngineState = 'idle';
  #info: EngineInfo | undefined;
  #failure: { message: string; nextStep: string } | undefined;

  /** `script` is the engine's bundle. */
  constructor(script: string, log: Log) {
    this.#script = script;
    this.#log = log;
    // Of any setting: the event that drops the local settings from a remote window names none of them.
    this.#settingChanged = vscode.workspace.onDidChangeConfiguration(() => {
      clearTimeout(this.#settling);
      this.#settling = setTimeout(() => this.#followSetting(), SETTING_SETTLES_MS);
    });
  }

  get state(): EngineState {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#live?.pid;
  }

  /** What the engine said of itself at its last start. */
  get info(): EngineInfo | undefined {
    return this.#info;
  }

  /** Why it is down, in state `failed`. */
  get failure(): { message: string; nextStep: string } | undefined {
    return this.#failure;
  }

  /** Starts the engine when it does not run. Rejects with an error that has a `nextStep`. */
  async request<M extends keyof EngineRequests>(method: M, params: EngineRequests[M]['params']): Promise<EngineRequests[M]['result']> {
    const client = await this.#started();
    return client.request(method, params);
  }

  grant(viewId: number, credits: number): void {
    this.#live?.grant(viewId, credits);
  }

  async restart(): Promise<void> {
    this.#setState('starting');
    const client = await this.#connect();
    await client.restart().catch((error) => this.#fail(error));
  }

  dispose(): Promise<void> {
    clearTimeout(this.#settling);
    this.#settingChanged.dispose();
    this.#stateChanged.dispose();
    this.#pictures.dispose();
    this.#viewFailures.dispose();
    this.#sourcesChanged.dispose();
    return this.#live?.dispose() ?? Promise.resolve();
  }

  async #started(): Promise<EngineClient> {
    if (this.#state === 'idle') this.#setState('starting');
    const client = await this.#connect();
    try {
      await client.start();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    return client;
  }

  #connect(): Promise<EngineClient> {
    this.#client ??= this.#create();
    return this.#client;
  }

  async #create(): Promise<EngineClient> {
    const { EngineClient } = await import('../../../helper/engine/client');
    const client = new EngineClient({ name: 'vscode', launch: this.#launch(), autoRestart: true });
    client.on('stderr', (text) => this.#log.info(`engine: ${text}`));
    client.on('picture', (picture) => this.#pictures.fire(picture));
    client.on('viewFailed', (failure) => this.#viewFailures.fire(failure));
    client.on('sourcesChanged', () => this.#sourcesChanged.fire());
    client.on('started', (info) => {
      this.#info = info;
      this.#failure = undefined;
      this.#log.info(`Engine ${info.engineVersion} runs as process ${info.pid}${info.addonPath ? `, addon ${info.addonPath}` : ''}.`);
      if (info.addonStale) this.#log.warn(`${info.addonStale.message} ${info.addonStale.nextStep}`);
      if (info.addonProblem) this.#log.error(`${info.addonProblem.message} ${info.addonProblem.nextStep}`);
      this.#setState('running');
    });
    client.on('stopped', ({ end, willRestart, error }) => {
      if (end.expected) return;
      this.#log.error([end.message, ...end.lastWords].join('\n'));
      if (error) this.#fail(error);
      else this.#setState(willRestart ? 'restarting' : 'idle');
    });
    this.#live = client;
    return client;
  }

  /** The environment is read anew at each start. */
  #launch(): EngineLaunch {
    const environment = () => {
      const changes = setting('seamscope.engine.environment');
      this.#startedWith = JSON.stringify(changes);
      return engineEnvironment(process.env, changes);
    };
    return {
      command: process.execPath,
      args: [this.#script],
      get env() {
        return environment();
      },
    };
  }

  /** In a remote window the settings of the machine may come after the engine's first start; it must not stay with what was there before. */
  #followSetting(): void {
    if (this.#startedWith === undefined || this.#startedWith === JSON.stringify(setting('seamscope.engine.environment'))) return;
    this.#log.info('The environment of the engine was changed: it restarts.');
    void this.restart();
  }

  #fail(error: unknown): void {
    const { message, nextStep = '' } = error as UserError;
    if (this.#state === 'failed' && this.#failure?.message === message) return;
    this.#failure = { message, nextStep };
    this.#log.error(`${message} ${nextStep}`);
    this.#setState('failed');
  }

  #setState(state: EngineState): void {
    if (this.#state === state && state !== 'running') return;
    this.#state = state;
    this.#stateChanged.fire(state);
  }
}
