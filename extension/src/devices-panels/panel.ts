import * as vscode from 'vscode';
import { deviceWith } from '../../../helper/protocol/device-parts';
import type { DeviceSnapshot } from '../../../helper/protocol/devices';
import type { DevicesAction, DevicesContent, DevicesControl, DevicesInspection, DevicesNotice } from '../../../helper/protocol/devices-panel';
import { Messenger } from '../../../helper/protocol/messenger';
import { Command } from '../contributions/ids';
import type { DeviceWatcher } from '../devices/watcher';
import type { EngineService } from '../engine/service';
import { panelHtml, webviewRoot } from '../webview/html';
import { answerDevicesPanel, type DevicesMessenger } from './answers';
import type { EnvironmentChoice } from './environment-choice';
import { exportDevices } from './export';
import type { DeviceReadings } from './readings';
import type { ChosenSnapshots } from './snapshots';

const INSPECT_TIMEOUT_MS = 5_000;

/** What all panels share. */
export interface PanelParts {
  engine: EngineService;
  watcher: DeviceWatcher;
  readings: DeviceReadings;
  snapshots: ChosenSnapshots;
  choice: EnvironmentChoice;
  extensionUri: vscode.Uri;
  /** The newest answer to sources/list. */
  sources: () => DevicesContent['sources'];
  openDevice: (device: string) => void;
}

/** The Devices panel, or the panel of one device: passes content and readings on while it is visible. */
export class DevicesPanel {
  readonly panel: vscode.WebviewPanel;
  /** Null: the Devices panel. */
  readonly device: string | null;
  readonly #parts: PanelParts;
  readonly #messenger: DevicesMessenger;
  readonly #subscriptions: vscode.Disposable;
  #lastListed: DeviceSnapshot | undefined;
  #started = false;
  #isClosed = false;

  constructor(panel: vscode.WebviewPanel, device: string | null, parts: PanelParts) {
    const { engine, watcher, readings, snapshots, choice, extensionUri } = parts;
    const media = (file: string) => vscode.Uri.joinPath(extensionUri, 'extension', 'media', file);
    this.panel = panel;
    this.device = device;
    this.#parts = parts;
    this.#messenger = new Messenger((message) => this.#isClosed || void panel.webview.postMessage(message));
    this.#answer();
    const send = () => this.sendContent();
    this.#subscriptions = vscode.Disposable.from(
      panel.webview.onDidReceiveMessage((message) => this.#messenger.receive(message)),
      panel.onDidChangeViewState(() => this.#follow()),
      panel.onDidDispose(() => this.#dispose()),
      device === null ? snapshots.onDidChange(send) : watcher.onDidChange(send),
      device === null ? choice.onDidChange(send) : { dispose() {} },
      engine.onDidChangeState(send),
      readings.onDidRead((poll) => this.#started && panel.visible && this.#messenger.notify('reading', { poll })),
    );
    panel.iconPath = { light: media('devices-light.svg'), dark: media('devices-dark.svg') };
    panel.webview.options = { enableScripts: true, localResourceRoots: [webviewRoot(extensionUri)] };
    panel.webview.html = panelHtml(panel.webview, extensionUri, { bundle: 'devices', title: panel.title });
    this.#follow();
  }

  inspect(): Promise<DevicesInspection> {
    return this.#messenger.request('inspect', {}, INSPECT_TIMEOUT_MS);
  }

  perform(control: DevicesControl, value = ''): Promise<DevicesInspection> {
    return this.#messenger.request('perform', { control, value }, INSPECT_TIMEOUT_MS);
  }

  sendContent(): void {
    const content = this.#content();
    if (this.#started && this.panel.visible) this.#messenger.notify('content', content);
  }

  get #snapshot(): DeviceSnapshot | undefined {
    return (this.device === null ? this.#parts.snapshots : this.#parts.watcher).snapshot;
  }

  #answer(): void {
    const { readings, openDevice } = this.#parts;
    answerDevicesPanel(this.#messenger, {
      start: () => {
        this.#started = true;
        if (this.device === null) this.#parts.snapshots.need();
        return { device: this.device, content: this.#content(), history: this.device === null ? [] : readings.history };
      },
      copyText: async (text) => vscode.env.clipboard.writeText(text),
      openDevice,
      exportJson: () => exportDevices(this.#snapshot, this.device),
      act: (name) => this.#act(name),
    });
  }

  #content(): DevicesContent {
    const { choice, snapshots, sources } = this.#parts;
    const snapshot = this.#snapshot;
    return {
      snapshot: snapshot ?? null,
      ...(this.#isGone(snapshot) && this.#lastListed && { lastListed: this.#lastListed }),
      environment: this.device === null ? choice.environment : { kind: 'editor', label: 'the editor' },
      sources: sources(),
      notice: this.#notice(),
      reading: this.device === null && snapshots.isReading,
    };
  }

  /** Whether the device is not listed any more; remembers the last snapshot that lists it. */
  #isGone(snapshot: DeviceSnapshot | undefined): boolean {
    if (!snapshot || this.device === null) return false;
    if (!deviceWith(snapshot, this.device)) return true;
    this.#lastListed = snapshot;
    return false;
  }

  /** What the drivers cannot say themselves. A hanging driver's words are in the snapshot. */
  #notice(): DevicesNotice | null {
    const { engine, watcher, snapshots } = this.#parts;
    const { failure } = this.device === null ? snapshots : watcher;
    if (engine.state === 'restarting')
      return { level: 'info', message: 'The GPU engine stopped.', nextStep: 'It is being started again; what stands below is from before.' };
    const problem = engine.state === 'failed' ? (engine.failure ?? failure) : failure;
    if (problem) return { level: 'error', message: problem.message, nextStep: problem.nextStep };
    const hang = this.#snapshot?.nvml.reason;
    return hang?.code === 'driver-hangs' ? { level: 'error', message: hang.message, nextStep: hang.nextStep } : null;
  }

  async #act(name: DevicesAction): Promise<void> {
    const { choice, snapshots, watcher } = this.#parts;
    const actions: Record<DevicesAction, () => unknown> = {
      refresh: () => (this.device === null ? snapshots : watcher).refresh({ again: true }),
      restart: () => vscode.commands.executeCommand(Command.RestartHelpers),
      showLog: () => vscode.commands.executeCommand(Command.ShowLog),
      chooseEnvironment: () => choice.choose(),
      editorEnvironment: () => choice.useEditor(),
      runDoctor: () => vscode.commands.executeCommand(Command.RunDoctor),
    };
    await actions[name]();
  }

  /** Reading goes on only while somebody can see it. A document that was hidden is made anew and starts again. */
  #follow(): void {
    const { visible } = this.panel;
    this.#parts.watcher.watch(this, visible);
    this.#parts.readings.watch(this, visible);
    if (!visible) this.#started = false;
  }

  #dispose(): void {
    this.#isClosed = true;
    this.#parts.watcher.watch(this, false);
    this.#parts.readings.watch(this, false);
    this.#messenger.close('The panel was closed.');
    this.#subscriptions.dispose();
  }
}
