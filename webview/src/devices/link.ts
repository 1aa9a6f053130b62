/** The document's end of the channel to the extension, and what VS Code stores of the document. */
import type { DevicesHostNotifications, DevicesHostRequests, DevicesPanelRequests } from '../../../helper/protocol/devices-panel';
import { Messenger } from '../../../helper/protocol/messenger';
import { vscodeApi } from '../shared/vscode-api';

export type Host = Messenger<DevicesPanelRequests, Record<never, never>, DevicesHostRequests, DevicesHostNotifications>;

export function connectHost(): Host {
  const host: Host = new Messenger((message) => vscodeApi.postMessage(message));
  window.addEventListener('message', ({ data }) => host.receive(data));
  return host;
}
