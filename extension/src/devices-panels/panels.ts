import * as vscode from 'vscode';
import { deviceName, deviceWith } from '../../../helper/protocol/device-parts';
import type { DevicesContent } from '../../../helper/protocol/devices-panel';
import { Command, Panel } from '../contributions/ids';
import type { DeviceNode } from '../devices/node';
import type { DeviceWatcher } from '../devices/watcher';
import type { EngineService } from '../engine/service';
import type { Log } from '../log';
import { checkedDevice } from './answers';
import { EnvironmentChoice } from './environment-choice';
import { DevicesPanel, type PanelParts } from './panel';
import { DeviceReadings } from './readings';
import { ChosenSnapshots } from './snapshots';

interface Needs {
  engine: EngineService;
  watcher: DeviceWatcher;
  log: Log;
  context: vscode.ExtensionContext;
}

/** The Devices panel, of which there is one, and the panels of single devices, one a device. */
export class DevicesPanels implements vscode.Disposable {
  readonly choice: EnvironmentChoice;
  readonly readings: DeviceReadings;
  readonly #parts: PanelParts;
  readonly #panels = new Set<DevicesPanel>();
  readonly #subscriptions: vscode.Disposable;
  #sources: DevicesContent['sources'] = [];

  constructor({ engine, watcher, log, context }: Needs) {
    this.choice = new EnvironmentChoice(context.workspaceState);
    this.readings = new DeviceReadings(engine, watcher, log);
    const snapshots = new ChosenSnapshots(engine, watcher, this.choice);
    const openDevice = (device: string) => void this.open(device);
    const sources = () => this.#sources;
    this.#parts = {
      engine,
      watcher,
      readings: this.readings,
      snapshots,
      choice: this.choice,
      extensionUri: context.extensionUri,
      sources,
      openDevice,
    };
    this.#subscriptions = vscode.Disposable.from(
      this.choice,
      this.readings,
      snapshots,
      engine.onSourcesChanged(() => void this.#readSources()),
      engine.onDidChangeState((state) => state === 'running' && void this.#readSources()),
      vscode.commands.registerCommand(Command.ShowDevices, () => void this.open(null)),
      vscode.commands.registerCommand(Command.ShowDevice, (node?: DeviceNode) => node?.uuid && void this.open(node.uuid)),
      vscode.window.registerWebviewPanelSerializer(
        Panel.Devices,
        this.#serializer(() => null),
      ),
      vscode.window.registerWebviewPanelSerializer(
        Panel.Device,
        this.#serializer((state) => checkedDevice(state.device)),
      ),
    );
  }

  get panels(): readonly DevicesPanel[] {
    return [...this.#panels];
  }

  /** Shows the panel of a device, or with null the Devices panel; the one that is open already, if one is. */
  open(device: string | null): DevicesPanel {
    const open = this.panels.find((panel) => panel.device === device);
    if (open) {
      open.panel.reveal();
      return open;
    }
    if (device === null) return this.#adopt(vscode.window.createWebviewPanel(Panel.Devices, 'Devices', vscode.ViewColumn.Active), null);
    return this.#adopt(vscode.window.createWebviewPanel(Panel.Device, this.#titleOf(device), vscode.ViewColumn.Active), device);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #adopt(panel: vscode.WebviewPanel, device: string | null): DevicesPanel {
    const adopted = new DevicesPanel(panel, device, this.#parts);
    this.#panels.add(adopted);
    panel.onDidDispose(() => this.#panels.delete(adopted));
    if (this.#parts.engine.state === 'running') void this.#readSources();
    return adopted;
  }

  /** `deviceOf` reads what the document stored; what it cannot read is closed. */
  #serializer(deviceOf: (state: { device?: unknown }) => string | null): vscode.WebviewPanelSerializer {
    return {
      deserializeWebviewPanel: async (panel, state) => {
        try {
          this.#adopt(panel, deviceOf(state ?? {}));
        } catch {
          panel.dispose();
        }
      },
    };
  }

  #titleOf(device: string): string {
    const { snapshot } = this.#parts.snapshots;
    const parts = snapshot && deviceWith(snapshot, device);
    return parts ? deviceName(parts) : 'Device';
  }

  /** Routes name sources by their ids; a source that came may run on another device. */
  async #readSources(): Promise<void> {
    if (this.#panels.size === 0) return;
    const sources = await this.#parts.engine.request('sources/list', {}).catch(() => []);
    this.#sources = sources.map(({ id, label }) => ({ id, label }));
    await this.#parts.watcher.refresh({ again: false });
    for (const panel of this.#panels) panel.sendContent();
  }
}
