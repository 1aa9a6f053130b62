/** The values of a GPU that change while one looks: use, memory, heat, clocks, errors, processes. Sizes are bytes. */
import type { Reason } from './devices';

/** A value that is not there for a reason that no user can mend: the words to show in its place. */
export interface NotMeasured {
  code:
    | 'not-measurable-on-this-chip' // a MIG instance's use before Hopper: no GPM
    | 'needs-driver' // the driver lacks the call
    | 'needs-second-reading' // GPM compares two samples: the next poll has it
    | 'no-permission'
    | 'failed';
  message: string;
}

export interface GpuProcess {
  pid: number;
  /** The command's name; absent when the process belongs to another namespace or has ended. */
  name?: string;
  kinds: ('compute' | 'graphics' | 'mps')[];
  memoryBytes?: number;
  /** Set in MIG mode: whose slice the process is on. */
  gpuInstanceId?: number;
  computeInstanceId?: number;
}

export interface GpuClocks {
  graphicsMhz?: number;
  smMhz?: number;
  memoryMhz?: number;
  videoMhz?: number;
}

/** Why clocks are lower than asked for; `idle` and `application-setting` are no throttling. */
export type ClockLimit =
  | 'idle'
  | 'application-setting'
  | 'power-cap'
  | 'hardware-slowdown'
  | 'sync-boost'
  | 'software-thermal'
  | 'hardware-thermal'
  | 'power-brake'
  | 'display-setting';

export interface EccState {
  enabled: boolean;
  /** The mode after the next reset, where it differs. */
  pending?: boolean;
  /** Since the driver was loaded. */
  correctedErrors?: number;
  uncorrectedErrors?: number;
}

/** What a device or an instance is busy with, in percent. One of `percent` and `missing` is set. */
export interface DeviceUse {
  percent?: number;
  missing?: NotMeasured;
}

export interface MigReading {
  index: number;
  uuid: string;
  gpuInstanceId: number;
  computeInstanceId: number;
  memoryBytes?: number;
  memoryUsedBytes?: number;
  /** Share of the instance's SMs that were busy, through GPM: of the whole GPU instance where several compute instances share it. */
  use: DeviceUse;
}

export interface GpuReading {
  /** NVML's index, as in the snapshot. */
  index: number;
  uuid: string;
  memoryBytes?: number;
  memoryUsedBytes?: number;
  /** Share of time in which a kernel ran; absent, with the reason, in MIG mode. */
  use: DeviceUse;
  /** Share of time in which memory was read or written. */
  memoryUsePercent?: number;
  temperatureC?: number;
  powerWatts?: number;
  clocks: GpuClocks;
  clockLimits?: ClockLimit[];
  processes: GpuProcess[];
  instances: MigReading[];
  problems: Reason[];
}

/** The answer to devices/poll. */
export interface DevicePoll {
  version: 1;
  /** ISO 8601. */
  takenAt: string;
  available: boolean;
  reason?: Reason;
  gpus: GpuReading[];
  /** Changes whenever GPUs or MIG instances came or went: ask for a new snapshot then. */
  generation: string;
  /** What this reading cost the engine, in milliseconds. */
  cost: { cpuMs: number; wallMs: number };
}
