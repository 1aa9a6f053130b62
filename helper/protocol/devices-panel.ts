/** Messages between the extension and the documents of the Devices panel and of one device's panel; messenger.ts carries them. */
import type { DevicePoll } from './device-readings';
import type { DeviceSnapshot } from './devices';

/** Sent by a document. Everything is a request, so that whatever is wrong with one is answered. */
export interface DevicesPanelRequests {
  /** First message of a document. `device`: whose panel it is; null for the Devices panel. `history`: readings so far, oldest first, without processes. */
  start: { params: { protocolVersion: number }; result: { device: string | null; content: DevicesContent; history: DevicePoll[] } };
  copyText: { params: { text: string }; result: null };
  /** Opens the panel of a device, by its id of device-parts.ts. */
  openDevice: { params: { device: string }; result: null };
  /** Null: the user cancelled. Of the Devices panel: the whole snapshot. */
  exportJson: { params: Record<string, never>; result: { file: string } | null };
  action: { params: { name: DevicesAction }; result: null };
}

export const DEVICES_ACTIONS = ['refresh', 'restart', 'showLog', 'chooseEnvironment', 'editorEnvironment', 'runDoctor'] as const;
export type DevicesAction = (typeof DEVICES_ACTIONS)[number];

/** Whose ordinals and indices a snapshot has. */
export interface SnapshotEnvironment {
  kind: 'editor' | 'terminal' | 'typed';
  /** "the editor", "terminal bash", or what was typed. */
  label: string;
}

/** Something that stands between the user and fresh values. */
export interface DevicesNotice {
  level: 'info' | 'error';
  message: string;
  nextStep: string;
}

export interface DevicesContent {
  /** Null until the first one has come. */
  snapshot: DeviceSnapshot | null;
  /** Of one device's panel, when `snapshot` does not list it: the last one that did, if there was one. */
  lastListed?: DeviceSnapshot;
  environment: SnapshotEnvironment;
  /** Sources of the preview by the ids that routes name. */
  sources: { id: string; label: string }[];
  notice: DevicesNotice | null;
  /** The drivers are being asked. */
  reading: boolean;
}

/** Sent by the extension. */
export interface DevicesHostNotifications {
  content: DevicesContent;
  reading: { poll: DevicePoll };
}

export interface DevicesHostRequests {
  inspect: { params: Record<string, never>; result: DevicesInspection };
  /** Does what the control of that name does. */
  perform: { params: { control: DevicesControl; value?: string }; result: DevicesInspection };
}

/** What tests can ask of a document; `value` where the control has one. */
export type DevicesControl =
  | 'filter'
  /** "TABLE COLUMN": a press on that column's header. */
  | 'sort'
  /** "TABLE KEY": a key pressed in that table's focused cell, as KeyboardEvent.key with modifiers: "Control+c". */
  | 'key'
  /** The label of a button. */
  | 'press';

/** What a document shows, in words. */
export interface DevicesInspection {
  heading: string;
  notice: string;
  environment: string;
  filter: string;
  tables: Record<string, { columns: { id: string; sort: string }[]; rows: string[][]; focused: string }>;
  /** "Use: 37 %, ..." */
  charts: string[];
  /** Blocks of a MIG layout in their order; the chosen one begins with "*". */
  slices: string[];
  buttons: string[];
  /** The last words to screen readers. */
  announced: string;
}
