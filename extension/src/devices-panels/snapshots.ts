import * as vscode from 'vscode';
import type { DeviceSnapshot } from '../../../helper/protocol/devices';
import type { DeviceWatcher } from '../devices/watcher';
import type { EngineService } from '../engine/service';
import type { EnvironmentChoice } from './environment-choice';

/** The devices as the chosen environment lists them. The editor's are the watcher's; others are asked for when the hardware or the choice changes. */
export class ChosenSnapshots implements vscode.Disposable {
  readonly #engine: EngineService;
  readonly #watcher: DeviceWatcher;
  readonly #choice: EnvironmentChoice;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;
  readonly onDidChange = this.#changed.event;
  #snapshot: DeviceSnapshot | undefined;
  #failure: { message: string; nextStep: string } | undefined;
  #hardware = '';
  #asked = 0;
  #reading = false;

  constructor(engine: EngineService, watcher: DeviceWatcher, choice: EnvironmentChoice) {
    this.#engine = engine;
    this.#watcher = watcher;
    this.#choice = choice;
    this.#subscriptions = vscode.Disposable.from(
      choice.onDidChange(() => {
        this.#snapshot = undefined;
        void this.refresh({ again: false });
      }),
      watcher.onDidChange(() => this.#follow()),
    );
  }

  get snapshot(): DeviceSnapshot | undefined {
    return this.#isEditors ? this.#watcher.snapshot : this.#snapshot;
  }

  get failure(): { message: string; nextStep: string } | undefined {
    return this.#isEditors ? this.#watcher.failure : this.#failure;
  }

  get isReading(): boolean {
    return this.#reading;
  }

  /** Somebody looks: asks for what has not been asked for yet. The editor's devices come from the watcher. */
  need(): void {
    if (!this.#isEditors && !this.#snapshot && !this.#reading) void this.refresh({ again: false });
  }

  /** Never rejects: see `failure`. */
  async refresh({ again }: { again: boolean }): Promise<void> {
    const mine = ++this.#asked;
    this.#reading = true;
    this.#changed.fire();
    if (this.#isEditors) await this.#watcher.refresh({ again });
    else await this.#ask(again, mine);
    // The answer to an older choice is not shown.
    if (mine !== this.#asked) return;
    this.#reading = false;
    this.#changed.fire();
  }

  dispose(): void {
    this.#asked++;
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  get #isEditors(): boolean {
    return this.#choice.environment.kind === 'editor';
  }

  async #ask(again: boolean, mine: number): Promise<void> {
    try {
      const snapshot = await this.#engine.request('devices/snapshot', { env: this.#choice.overrides, refresh: again });
      if (mine !== this.#asked) return;
      this.#snapshot = snapshot;
      this.#failure = undefined;
    } catch (error) {
      if (mine === this.#asked) this.#failure = error as { message: string; nextStep: string };
    }
  }

  #follow(): void {
    if (this.#isEditors) this.#changed.fire();
    const hardware = hardwareOf(this.#watcher.snapshot);
    if (!this.#isEditors && hardware !== this.#hardware) void this.refresh({ again: false });
    this.#hardware = hardware;
  }
}

/** What is there, without how busy it is. */
function hardwareOf(snapshot: DeviceSnapshot | undefined): string {
  const gpus = snapshot?.nvml.gpus.map(({ uuid, mig, instances }) => [uuid, mig.current, instances.map((instance) => instance.uuid)]);
  return JSON.stringify([gpus, snapshot?.nvml.reason?.code, snapshot?.vulkan.devices.map(({ deviceUuid }) => deviceUuid)]);
}
