/** The extension's side of this panel. */
import { Messenger } from '../../../helper/protocol/messenger';
import type { HostNotifications, HostRequests, PanelNotifications, PanelRequests } from '../../../helper/protocol/webview';
import { vscodeApi } from './vscode-api';

export type Host = Messenger<PanelRequests, PanelNotifications, HostRequests, HostNotifications>;

/** Starting the engine and compiling its pipelines may take this long, in milliseconds. */
export const START_TIMEOUT_MS = 60_000;
/** A save waits for the user's dialogue. */
export const SAVE_TIMEOUT_MS = 600_000;

export function connectHost(): Host {
  const host: Host = new Messenger((message) => vscodeApi.postMessage(message));
  window.addEventListener('message', ({ data }) => host.receive(data));
  return host;
}

/** What is on the canvas, into the clipboard as a PNG. */
export async function copyPicture(canvas: HTMLCanvasElement): Promise<void> {
  const picture = new Promise<Blob>((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture is empty.'))), 'image/png');
  });
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
}
