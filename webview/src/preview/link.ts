/** The panel's end of the channel to the extension. */
import type { Messenger } from '../../../helper/protocol/messenger';
import type { HostNotifications, HostRequests, PanelNotifications, PanelRequests } from '../../../helper/protocol/webview';

export type Host = Messenger<PanelRequests, PanelNotifications, HostRequests, HostNotifications>;

/** Starting the engine and compiling its pipelines may take this long, in milliseconds. */
export const START_TIMEOUT_MS = 60_000;
/** A save waits for the user's dialogue. */
export const SAVE_TIMEOUT_MS = 600_000;
