import * as vscode from 'vscode';
import type { DevicePoll } from '../../../helper/protocol/device-readings';
import type { DeviceWatcher } from '../devices/watcher';
import type { EngineService } from '../engine/service';
import type { Log } from '../log';

const INTERVAL_MS = 1_000;
/** Without NVML there is nothing to read: whether that has changed is asked less often. */
const WITHOUT_NVML_MS = 10_000;
/** Two minutes, as the charts show them. */
const KEPT = 120;

/** Readings of all GPUs, once a second, for as long as somebody looks; the last one lets NVML go. */
export class DeviceReadings implements vscode.Disposable {
  readonly #engine: EngineService;
  readonly #watcher: DeviceWatcher;
  readonly #log: Log;
  readonly #read = new vscode.EventEmitter<DevicePoll>();
  readonly #subscription: vscode.Disposable;
  readonly #lookers = new Set<object>();
  #history: DevicePoll[] = [];
  #timer: NodeJS.Timeout | undefined;
  #asking = false;
  #generation: string | undefined;
  readonly onDidRead = this.#read.event;

  constructor(engine: EngineService, watcher: DeviceWatcher, log: Log) {
    this.#engine = engine;
    this.#watcher = watcher;
    this.#log = log;
    this.#subscription = vscode.Disposable.from(
      engine.onDidChangeState((state) => state === 'running' && this.#begin()),
      // A driver that hung and answers again.
      watcher.onDidChange(() => this.#schedule(INTERVAL_MS)),
    );
  }

  /** Oldest first, without processes. */
  get history(): DevicePoll[] {
    return this.#history;
  }

  get isReading(): boolean {
    return this.#timer !== undefined || this.#asking;
  }

  watch(looker: object, on: boolean): void {
    const before = this.#lookers.size;
    if (on) this.#lookers.add(looker);
    else this.#lookers.delete(looker);
    if (before === 0 && on) this.#begin();
    if (before > 0 && this.#lookers.size === 0) this.#stop();
  }

  dispose(): void {
    this.#lookers.clear();
    clearTimeout(this.#timer);
    this.#subscription.dispose();
    this.#read.dispose();
  }

  /** At once, whatever was planned. */
  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule(0);
  }

  /** An earlier date than the one that is set does not count: two events must not double the rate. */
  #schedule(afterMs: number): void {
    if (this.#lookers.size === 0 || this.#timer || this.#asking || this.#watcher.hangs || this.#engine.state === 'failed') return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#ask();
    }, afterMs);
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    const poll = await this.#engine.request('devices/poll', {}).catch((error: Error) => {
      this.#log.warn(`Devices: ${error.message}`);
      return undefined;
    });
    this.#asking = false;
    if (poll) this.#take(poll);
    if (this.#lookers.size === 0) this.#stop();
    else this.#schedule(poll?.available === false ? WITHOUT_NVML_MS : INTERVAL_MS);
  }

  #take(poll: DevicePoll): void {
    if (poll.reason?.code === 'driver-hangs') {
      this.#watcher.noteHang(poll.reason);
      return;
    }
    const kept = { ...poll, gpus: poll.gpus.map((gpu) => ({ ...gpu, processes: [] })) };
    this.#history = [...this.#history, kept].slice(-KEPT);
    this.#read.fire(poll);
    if (this.#generation !== undefined && this.#generation !== poll.generation) void this.#watcher.refresh({ again: false });
    this.#generation = poll.generation;
  }

  /** While NVML is open a MIG mode change may be refused. */
  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#engine.state === 'running' && !this.#asking) void this.#engine.request('devices/poll', { last: true }).catch(() => {});
  }
}
