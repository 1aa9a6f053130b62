import * as vscode from 'vscode';
import type { Messenger } from '../../../helper/protocol/messenger';
import type { HostNotifications, HostRequests, PanelAction, PanelNotifications, PanelRequests, StreamName } from '../../../helper/protocol/webview';
import { Command } from '../contributions/ids';
import type { PictureStream } from './picture-stream';
import { startRecording, stopRecording } from './record';
import { savePicture } from './save';
import { chooseFiles } from './watch-files';

export type PanelMessenger = Messenger<HostRequests, HostNotifications, PanelRequests, PanelNotifications>;

const commands: Record<PanelAction, [command: string, ...args: unknown[]]> = {
  restart: [Command.RestartHelpers],
  showLog: [Command.ShowLog],
  addPublisher: [Command.AddPublisher],
  openSettings: ['workbench.action.openSettings', 'seamscope.preview'],
};

/** Passes what the panel's document asks for to its streams and to VS Code. */
export function answerPanel(messenger: PanelMessenger, streams: Record<StreamName, PictureStream>): void {
  const { main } = streams;
  messenger.onRequest('open', async ({ stream, source, view, paused }) => ({ source: await streams[stream].open(source, view, paused) }));
  messenger.onRequest('pixel', (at) => main.ask('view/pixel', at));
  messenger.onRequest('pixels', (rect) => main.ask('view/pixels', rect));
  messenger.onRequest('pin', () => main.ask('view/pin', {}));
  messenger.onRequest('unpin', (which) => main.ask('view/unpin', which));
  messenger.onRequest('history', () => main.ask('view/history', {}));
  messenger.onRequest('step', () => main.ask('view/step', {}));
  messenger.onRequest('save', () => savePicture(main));
  messenger.onRequest('record', () => startRecording(main));
  messenger.onRequest('recordStop', () => stopRecording(main));
  messenger.onRequest('watchFiles', chooseFiles);
  messenger.onRequest('copyText', async ({ text }) => {
    await vscode.env.clipboard.writeText(text);
    return null;
  });
  messenger.onNotification('update', ({ stream, view, paused }) => streams[stream].update(view, paused));
  messenger.onNotification('close', ({ stream }) => void streams[stream].close());
  messenger.onNotification('credit', ({ stream, credits }) => streams[stream].drawn(credits));
  messenger.onNotification('action', ({ name }) => void vscode.commands.executeCommand(...commands[name]));
}
