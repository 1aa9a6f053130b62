import * as vscode from 'vscode';
import type { SourceDescription } from '../../../helper/protocol/frames';
import { Messenger } from '../../../helper/protocol/messenger';
import type { Picture } from '../../../helper/protocol/picture-assembler';
import { PROTOCOL_VERSION } from '../../../helper/protocol/version';
import type { HostRequests, PanelControl, PanelInspection, PanelRequests, StreamName } from '../../../helper/protocol/webview';
import type { EngineService } from '../engine/service';
import { onSettingChanged, setting } from '../settings';
import { panelHtml, webviewRoot } from '../webview/html';
import { answerPanel, type PanelMessenger } from './panel-requests';
import { type PanelRates, PictureStream } from './picture-stream';
import { tellRecording } from './record';

/** A document that VS Code is just creating again does not answer. */
const INSPECT_TIMEOUT_MS = 3000;
/** The map in the corner of a zoomed picture needs neither speed nor detail. */
const MAP_RATES: PanelRates = { maxRate: 4, jpegQuality: 70, encoding: 'jpeg' };

/** One preview panel: passes messages between its document and the engine's views of it. */
export class PreviewPanel {
  readonly #panel: vscode.WebviewPanel;
  readonly #engine: EngineService;
  readonly #source: SourceDescription | undefined;
  readonly #messenger: PanelMessenger;
  readonly #streams: Record<StreamName, PictureStream>;
  readonly #disposables: vscode.Disposable[] = [];
  #started = false;
  #isClosed = false;

  /** `source` is what it was opened for, where the user has said so. */
  constructor(panel: vscode.WebviewPanel, engine: EngineService, extensionUri: vscode.Uri, source?: SourceDescription) {
    const media = (file: string) => vscode.Uri.joinPath(extensionUri, 'extension', 'media', file);
    this.#panel = panel;
    this.#engine = engine;
    this.#source = source;
    // The answer to a document that was closed meanwhile has nowhere to go.
    this.#messenger = new Messenger((message) => this.#isClosed || void panel.webview.postMessage(message));
    const send =
      (stream: StreamName) =>
      ({ info, bytes }: Picture) =>
        this.#messenger.notify('picture', { stream, info, bytes: bytes.buffer });
    const main = new PictureStream(engine, rates, send('main'), { onRecorded: tellRecording });
    this.#streams = { main, map: new PictureStream(engine, () => MAP_RATES, send('map'), { leader: main }) };
    answerPanel(this.#messenger, this.#streams);
    this.#messenger.onRequest('start', ({ protocolVersion }) => this.#start(protocolVersion));
    this.#messenger.onNotification('titled', ({ source, output }) => {
      panel.title = `${output} (${source})`;
    });
    this.#watch();
    panel.iconPath = { light: media('preview-light.svg'), dark: media('preview-dark.svg') };
    panel.webview.options = { enableScripts: true, localResourceRoots: [webviewRoot(extensionUri)] };
    panel.webview.html = panelHtml(panel.webview, extensionUri, { bundle: 'preview', title: 'Preview' });
  }

  get viewId(): number | undefined {
    return this.#streams.main.viewId;
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

  get #all(): PictureStream[] {
    return Object.values(this.#streams);
  }

  #watch(): void {
    this.#disposables.push(
      this.#panel.webview.onDidReceiveMessage((message) => this.#messenger.receive(message)),
      this.#panel.onDidChangeViewState(() => {
        for (const stream of this.#all) stream.setHidden(!this.#panel.visible);
      }),
      this.#panel.onDidDispose(() => this.#dispose()),
      this.#engine.onPicture((picture) => {
        for (const stream of this.#all) stream.deliver(picture);
      }),
      this.#engine.onViewFailed(({ viewId, message, nextStep }) => {
        if (viewId !== this.viewId) return;
        for (const stream of this.#all) void stream.close();
        this.#messenger.notify('failed', { message, nextStep });
      }),
      this.#engine.onDidChangeState(() => void this.#engineChanged()),
      this.#engine.onSourcesChanged(() => void this.#sourcesChanged()),
      ...(['maxRate', 'jpegQuality', 'movingPictures'] as const).map((name) =>
        onSettingChanged(`seamscope.preview.${name}`, () => this.#streams.main.update({})),
      ),
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
    return { sources, ...(this.#source && { source: this.#source }) };
  }

  async #sourcesChanged(): Promise<void> {
    if (!this.#started || this.#engine.state !== 'running') return;
    const sources = await this.#engine.request('sources/list', {}).catch(() => null);
    if (sources) this.#messenger.notify('sources', { sources });
  }

  /** A new engine knows nothing of this panel: its document opens its output again. */
  async #engineChanged(): Promise<void> {
    const { state, failure } = this.#engine;
    if (state === 'restarting' || state === 'starting') this.#forget();
    if (state === 'failed' && failure) this.#messenger.notify('failed', failure);
    if (state === 'restarting') this.#messenger.notify('failed', { message: 'The GPU engine stopped.', nextStep: 'It is being started again.' });
    if (state !== 'running' || (!this.#started && this.viewId === undefined)) return;
    this.#forget();
    const sources = await this.#engine.request('sources/list', {}).catch(() => []);
    this.#messenger.notify('restarted', { sources });
  }

  #forget(): void {
    for (const stream of this.#all) stream.forget();
  }

  #dispose(): void {
    this.#isClosed = true;
    this.#messenger.close('The preview was closed.');
    for (const stream of this.#all) void stream.close();
    vscode.Disposable.from(...this.#disposables).dispose();
  }
}

function rates(): PanelRates {
  return {
    maxRate: setting('seamscope.preview.maxRate'),
    jpegQuality: setting('seamscope.preview.jpegQuality'),
    encoding: setting('seamscope.preview.movingPictures') === 'exact' ? 'rgba' : 'jpeg',
  };
}
