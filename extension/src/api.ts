/** What activate() returns. For tests and for the curious; not a stable interface. */
import type { Event } from 'vscode';
import type { DeviceSnapshot } from '../../helper/protocol/devices';
import type { EngineRequests } from '../../helper/protocol/engine';
import type { Picture } from '../../helper/protocol/picture-assembler';
import type { SeamProgress, SeamReport } from '../../helper/protocol/seamtest';
import type { DeviceTree } from './devices/node';
import type { DevicesPanels } from './devices-panels/panels';
import type { DoctorNode } from './doctor/node';
import type { EngineState } from './engine/service';
import type { PreviewPanel } from './preview/panel';
import type { SeamPanel } from './seamtest/panel';

export interface SeamscopeApi {
  /** Milliseconds that activate() took. */
  readonly activationMs: number;
  readonly devices: {
    readonly snapshot: DeviceSnapshot | undefined;
    readonly tree: DeviceTree;
    refresh(): Promise<void>;
  };
  readonly devicesPanels: DevicesPanels;
  readonly doctor: {
    readonly roots: readonly DoctorNode[];
    run(): Promise<void>;
  };
  readonly engine: {
    readonly state: EngineState;
    readonly pid: number | undefined;
    readonly onPicture: Event<Picture>;
    request<M extends keyof EngineRequests>(method: M, params: EngineRequests[M]['params']): Promise<EngineRequests[M]['result']>;
  };
  readonly seamTests: {
    readonly isRunning: boolean;
    readonly progress: SeamProgress | undefined;
    readonly failure: { message: string; nextStep: string } | undefined;
    readonly onDidChange: Event<void>;
    lastReport(): Promise<SeamReport | undefined>;
    cancel(): void;
  };
  readonly seamPanel: SeamPanel | undefined;
  readonly previews: readonly PreviewPanel[];
  /** Where programs of this window publish their frames: SEAMSCOPE_SOCKET. */
  readonly socket: string | undefined;
  /** The last lines of the log. */
  log(lines: number): string[];
}
