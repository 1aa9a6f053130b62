/** What a document of the Devices panels asks for, checked before anything happens. Free of VS Code, for tests. */
import type { DevicePoll } from '../../../helper/protocol/device-readings';
import {
  DEVICES_ACTIONS,
  type DevicesAction,
  type DevicesContent,
  type DevicesHostNotifications,
  type DevicesHostRequests,
  type DevicesPanelRequests,
} from '../../../helper/protocol/devices-panel';
import type { Messenger } from '../../../helper/protocol/messenger';
import { PROTOCOL_VERSION } from '../../../helper/protocol/version';

export type DevicesMessenger = Messenger<DevicesHostRequests, DevicesHostNotifications, DevicesPanelRequests, Record<never, never>>;

/** The largest text that a document copies: a table of many images as CSV. */
const MAX_TEXT = 4_000_000;
const DEVICE_ID = /^[\w:.-]{1,80}$/;

export interface DevicesAnswers {
  start(): { device: string | null; content: DevicesContent; history: DevicePoll[] };
  copyText(text: string): Promise<void>;
  openDevice(device: string): void;
  exportJson(): Promise<{ file: string } | null>;
  act(name: DevicesAction): Promise<void>;
}

export function answerDevicesPanel(messenger: DevicesMessenger, answers: DevicesAnswers): void {
  messenger.onRequest('start', (params) => {
    checkVersion(field(params, 'protocolVersion'));
    return answers.start();
  });
  messenger.onRequest('copyText', async (params) => {
    await answers.copyText(checkedText(field(params, 'text')));
    return null;
  });
  messenger.onRequest('openDevice', (params) => {
    answers.openDevice(checkedDevice(field(params, 'device')));
    return null;
  });
  messenger.onRequest('exportJson', () => answers.exportJson());
  messenger.onRequest('action', async (params) => {
    await answers.act(checkedAction(field(params, 'name')));
    return null;
  });
}

/** The id of a device, as a document or VS Code's store of panels names it. */
export function checkedDevice(value: unknown): string {
  if (typeof value === 'string' && DEVICE_ID.test(value)) return value;
  throw new Error('That is not the id of a device.');
}

function field(params: unknown, name: string): unknown {
  return typeof params === 'object' && params !== null ? (params as Record<string, unknown>)[name] : undefined;
}

function checkVersion(version: unknown): void {
  if (version === PROTOCOL_VERSION) return;
  const text = `This panel speaks protocol version ${String(version)}, the extension speaks ${PROTOCOL_VERSION}.`;
  throw Object.assign(new Error(text), { nextStep: 'Close the panel and open it again.' });
}

function checkedText(value: unknown): string {
  if (typeof value === 'string' && value.length <= MAX_TEXT) return value;
  throw new Error(`Only text of up to ${MAX_TEXT} characters can be copied.`);
}

function checkedAction(value: unknown): DevicesAction {
  const action = DEVICES_ACTIONS.find((each) => each === value);
  if (action) return action;
  throw new Error('That is not an action of this panel.');
}
