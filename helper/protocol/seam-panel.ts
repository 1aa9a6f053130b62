/** Messages between the extension and the webview of the seam test's report; messenger.ts carries them. */
import type { SeamProgress, SeamReport } from './seamtest';

export type SeamFormat = 'markdown' | 'json';
export const seamFormats: readonly SeamFormat[] = ['markdown', 'json'];

/** All that the panel shows. */
export interface SeamPanelState {
  report: SeamReport | null;
  /** While a test runs. */
  progress: SeamProgress | null;
  /** Why the last test gave no report; `withHost`: a test with the host in CUDA's place would. */
  failure: { message: string; nextStep: string; withHost?: true } | null;
}

/** Sent by the panel. */
export interface SeamPanelRequests {
  start: { params: { protocolVersion: number }; result: SeamPanelState };
  /** Asks where to. Null: the user cancelled. */
  export: { params: { format: SeamFormat }; result: { file: string } | null };
}

export interface SeamPanelNotifications {
  action: { name: SeamPanelAction };
}

export type SeamPanelAction = 'run' | 'runWithHost' | 'cancel' | 'doctor' | 'showLog' | 'words';

/** Sent by the extension. */
export interface SeamHostRequests {
  /** What the document shows, for tests. */
  inspect: { params: Record<string, never>; result: SeamInspection };
  /** Chooses in the filters of the runs as a user would. */
  filter: { params: Partial<Record<SeamFilterName, string>>; result: SeamInspection };
}

export type SeamFilterName = 'mode' | 'direction' | 'owner' | 'show';

export interface SeamHostNotifications {
  state: SeamPanelState;
}

export interface SeamInspection {
  /** Of the verdict; empty without a report. */
  headline: string;
  passed: boolean | null;
  /** Headings of the sections. */
  sections: string[];
  /** Body rows of each table, by the section's heading. */
  rows: Record<string, number>;
  /** Points of the chart, and whether the model's line is drawn. */
  points: number;
  line: boolean;
  /** Names of the devices to choose from. */
  devices: string[];
  progress: string;
  failure: string | null;
  /** Names of the buttons that can be pressed. */
  buttons: string[];
}
