import * as vscode from 'vscode';
import { Messenger } from '../../../helper/protocol/messenger';
import { PROTOCOL_VERSION } from '../../../helper/protocol/version';
import type {
  HostNotifications,
  HostRequests,
  PanelControl,
  PanelInspection,
  PanelNotifications,
  PanelRequests,
} from '../../../helper/protocol/webview';
import { Command } from '../contributions/ids';
import type { EngineService } from '../engine/service';
import { setting } from '../settings';
import { previewHtml, webviewRoot } from './html';
import { type PanelRates, PictureStream } from './picture-stream';
import { savePicture } from './save';

type PanelMessenger = Messenger<HostRequests, HostNotifications, PanelRequests, PanelNotifications>;

/** A document that VS Code is just creating again does not answer. */
const INSPECT_TIMEOUT_MS = 3000;

/** One preview panel: passes messages between its document and one view of the engine. */
export class PreviewPanel {
  readonly #panel: vscode.WebviewPanel;
  readonly #engine: EngineService;
  readonly #messenger: PanelMessenger;
  readonly #stream: PictureStream;
  readonly #disposables: vscode.Disposable[] = [];
  #started = false;

  constructor(panel: vscode.WebviewPanel, engine: EngineService, extensionUri: vscode.Uri) {
    const media = (file: string) => vscode.Uri.joinPath(extensionUri, 'extension', 'media', file);
    this.#panel = panel;
    this.#engine = engine;
    this.#messenger = new Messenger((message) => void panel.webview.postMessage(message));
    this.#stream = new PictureStream(engine, rates, ({ info, bytes }) => this.#messenger.notify('picture', { info, bytes: bytes.buffer }));
    this.#answer();
    this.#watch();
    panel.iconPath = { light: media('preview-light.svg'), dark: media('preview-dark.svg') };
    panel.webview.options = { enableScripts: true, localResourceRoots: [webviewRoot(extensionUri)] };
    panel.webview.html = previewHtml(panel.webview, extensionUri);
  }

  get viewId(): number | undefined {
    return this.#stream.viewId;
  }

  get panel(): vscode.WebviewPanel {
    return this.#panel;
  }

  reveal(): void {
    this.#panel.reveal();
  }

  inspect(part: HostRequests['inspect']['params']): Promise<PanelInspection> {
    return this.#messenger.request('inspect', part, INSPECT_TIMEOUT_MS);
  }

  perform(control: PanelControl, value?: string | number): Promise<PanelInspection> {
    return this.#messenger.request('perform', { control, ...(value !== undefined && { value }) });
  }

  #answer(): void {
    const messenger = this.#messenger;
    messenger.onRequest('start', ({ protocolVersion }) => this.#start(protocolVersion));
    messenger.onRequest('open', async ({ source, view, paused }) => ({ source: await this.#stream.open(source, view, paused) }));
    messenger.onRequest('pixel', ({ x, y }) => this.#stream.pixel(x, y));
    messenger.onRequest('save', () => savePicture(this.#stream));
    messenger.onNotification('update', ({ view, paused }) => this.#stream.update(view, paused));
    messenger.onNotification('credit', ({ credits }) => this.#stream.drawn(credits));
    messenger.onNotification('action', ({ name }) => {
      void vscode.commands.executeCommand(name === 'restart' ? Command.RestartHelpers : Command.ShowLog);
    });
  }

  #watch(): void {
    this.#disposables.push(
      this.#panel.webview.onDidReceiveMessage((message) => this.#messenger.receive(message)),
      this.#panel.onDidChangeViewState(() => this.#stream.setHidden(!this.#panel.visible)),
      this.#panel.onDidDispose(() => this.#dispose()),
      this.#engine.onPicture((picture) => this.#stream.deliver(picture)),
      this.#engine.onViewFailed(({ viewId, message, nextStep }) => {
        if (viewId !== this.#stream.viewId) return;
        void this.#stream.close();
        this.#messenger.notify('failed', { message, nextStep });
      }),
      this.#engine.onDidChangeState(() => void this.#engineChanged()),
    );
  }

  async #start(protocolVersion: number): Promise<PanelRequests['start']['result']> {
    if (protocolVersion !== PROTOCOL_VERSION) {
      const text = `This panel speaks protocol version ${protocolVersion}, the extension speaks ${PROTOCOL_VERSION}.`;
      throw Object.assign(new Error(text), { nextStep: 'Close the panel and open the preview again.' });
    }
    const sources = await this.#engine.request('sources/list', {});
    const problem = this.#engine.info?.addonProblem;
    if (problem) throw Object.assign(new Error(problem.message), { nextStep: problem.nextStep });
    this.#started = true;
    return { sources };
  }

  /** A new engine knows nothing of this panel: its document opens its output again. */
  async #engineChanged(): Promise<void> {
    const { state, failure } = this.#engine;
    if (state === 'restarting' || state === 'starting') this.#stream.forget();
    if (state === 'failed' && failure) this.#messenger.notify('failed', failure);
    if (state === 'restarting') this.#messenger.notify('failed', { message: 'The GPU engine stopped.', nextStep: 'It is being started again.' });
    if (state !== 'running' || (!this.#started && this.#stream.viewId === undefined)) return;
    this.#stream.forget();
    const sources = await this.#engine.request('sources/list', {}).catch(() => []);
    this.#messenger.notify('restarted', { sources });
  }

  #dispose(): void {
    this.#messenger.close('The preview was closed.');
    void this.#stream.close();
    vscode.Disposable.from(...this.#disposables).dispose();
  }
}

function rates(): PanelRates {
  return { maxRate: setting('seamscope.preview.maxRate'), jpegQuality: setting('seamscope.preview.jpegQuality') };
}
