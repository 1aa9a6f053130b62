/** The extension's side of this panel, and what the browser does for it. */
import { Messenger } from '../../../helper/protocol/messenger';
import { vscodeApi } from '../shared/vscode-api';
import type { Host } from './link';

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
