import * as vscode from 'vscode';
import type { DeviceSnapshot, Reason } from '../../../helper/protocol/devices';
import type { EngineService } from '../engine/service';
import type { Log } from '../log';
import { setting } from '../settings';

/** The newest device snapshot. Reads only while somebody looks, and when asked. */
export class DeviceWatcher implements vscode.Disposable {
  readonly #engine: EngineService;
  readonly #log: Log;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  /** Fires when snapshot or failure differ from before. */
  readonly onDidChange = this.#changed.event;
  #snapshot: DeviceSnapshot | undefined;
  #failure: { message: string; nextStep: string } | undefined;
  readonly #lookers = new Set<object>();
  /** The user wants an answer in spite of a hang; a restart that is under way must not swallow the wish. */
  #askedAgain = false;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;

  constructor(engine: EngineService, log: Log) {
    this.#engine = engine;
    this.#log = log;
    this.#subscription = engine.onDidChangeState((state) => {
      if (state === 'starting') this.#askedAgain = true;
      if (state === 'running' && this.#watching && !this.hangs) void this.refresh({ again: false });
      if (state === 'failed') this.#set(undefined, engine.failure);
    });
  }

  get snapshot(): DeviceSnapshot | undefined {
    return this.#snapshot;
  }

  get failure(): { message: string; nextStep: string } | undefined {
    return this.#failure;
  }

  /** A driver that hangs took the engine with it: it is asked again only when the user says so. */
  get hangs(): boolean {
    return this.#snapshot?.nvml.reason?.code === 'driver-hangs' && !this.#askedAgain;
  }

  /** Devices are read from time to time while anybody looks. */
  watch(looker: object, on: boolean): void {
    if (on) this.#lookers.add(looker);
    else this.#lookers.delete(looker);
    if (!this.#watching) clearTimeout(this.#timer);
    else if (on) void this.refresh({ again: false });
  }

  /** A reading of somebody else met a driver call that never returns. */
  noteHang(reason: Reason): void {
    this.#askedAgain = false;
    clearTimeout(this.#timer);
    if (this.#snapshot) this.#set({ ...this.#snapshot, nvml: { available: false, reason, gpus: [] } }, undefined);
  }

  /** `again` looks at the drivers anew even if nothing seems changed. Never rejects: see `failure`. */
  async refresh({ again }: { again: boolean }): Promise<void> {
    if (again) this.#askedAgain = true;
    if (this.#reading && !again) return this.#reading;
    await this.#reading;
    this.#reading = this.#read(again).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  dispose(): void {
    this.#lookers.clear();
    clearTimeout(this.#timer);
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  async #read(again: boolean): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const snapshot = await this.#engine.request('devices/snapshot', { refresh: again });
      this.#askedAgain = false;
      const { reason } = snapshot.nvml;
      // What CUDA and Vulkan list does not hang on NVML: the former answer stays.
      if (reason?.code === 'driver-hangs' && this.#snapshot) this.noteHang(reason);
      else this.#set(snapshot, undefined);
      this.#schedule();
    } catch (error) {
      this.#log.error(`Devices: ${(error as Error).message}`);
      // An engine that is about to come back has not failed: its start reads again.
      if (this.#engine.state !== 'restarting') this.#set(undefined, error as { message: string; nextStep: string });
    }
  }

  get #watching(): boolean {
    return this.#lookers.size > 0;
  }

  #schedule(): void {
    if (this.#watching && !this.hangs)
      this.#timer = setTimeout(() => void this.refresh({ again: false }), setting('seamscope.devices.refreshInterval') * 1000);
  }

  #set(snapshot: DeviceSnapshot | undefined, failure: { message: string; nextStep: string } | undefined): void {
    const before = fingerprint(this.#snapshot, this.#failure);
    this.#snapshot = snapshot;
    this.#failure = failure;
    if (before !== fingerprint(snapshot, failure)) this.#changed.fire();
  }
}

function fingerprint(snapshot: DeviceSnapshot | undefined, failure: { message: string } | undefined): string {
  return JSON.stringify([snapshot && { ...snapshot, takenAt: '' }, failure?.message]);
}
