/**
 * The seam test: jobs for its sacrificial processes, the events that they write while they run, and the report made of them.
 * Times are microseconds.
 */

export type SeamMode = 'fence' | 'timeline';
/** Who allocates: Vulkan exports ('exporter'), or the partner does and Vulkan imports ('inverted'). */
export type SeamOwnership = 'exporter' | 'inverted';
/** The partner is CUDA, or the host where there is no CUDA. */
export type SeamPartner = 'cuda' | 'host';
export type SeamDirection = 'vulkan-to-partner' | 'partner-to-vulkan';
export type SeamResource = 'buffer' | 'image';

export interface SeamCell {
  mode: SeamMode;
  slots: number;
  ownership: SeamOwnership;
  processes: 1 | 2;
  direction: SeamDirection;
  resource: SeamResource;
  /** Measured frames; `warmup` come before them and `latencyFrames`, timed one by one, after them. */
  frames: number;
  warmup: number;
  latencyFrames: number;
  width: number;
  height: number;
}

/** What a test measures. Everything when nothing is said. */
export interface SeamSettings {
  /** Measured frames a run; chosen by the kind of device when absent. */
  frames?: number;
  /** 1 and 3 slots with a quarter of the frames. */
  quick?: boolean;
  size?: { width: number; height: number };
  only?: { modes?: SeamMode[]; directions?: SeamDirection[]; processes?: (1 | 2)[]; resources?: SeamResource[] };
}

export type TeardownOrder = 'documented' | 'ownerFirst' | 'deviceFirst';

/** `parent` is the pid of the process that starts the job: the job dies with it. */
export type SeamJob = { parent: number; device: { vulkanUuid: string; cudaOrdinal?: number } } & (
  | { kind: 'cells'; cells: (SeamCell & { id: number })[]; peer: string[] }
  | { kind: 'alone' | 'streamSync' | 'connections' | 'controls' | 'peers'; cell: SeamCell }
  | { kind: 'teardown'; cell: SeamCell; order: TeardownOrder; validation: boolean }
);

export interface SeamFailure {
  message: string;
  nextStep: string;
  detail?: string;
}

export interface SeamDeviceFacts {
  vulkan: string;
  partner: SeamPartner;
  cpu: boolean;
  memoryExport: boolean;
  timelineExport: boolean;
}

export interface SeamMeasurement {
  fdGrowth: number;
  hostCopies: number;
  framesWrong: number;
  importsPerFrame: number;
  exportsPerFrame: number;
  usPerFrame: number;
  /** Of single frames, timed one by one. */
  latencyUs?: { p50: number; p95: number; p99: number };
  /** After the teardown: what is still there, in words, and descriptors more than before. */
  openHandles: string[];
  fdsLeft: number;
}

export interface SeamCallCost {
  call: string;
  kind: 'memoryExport' | 'memoryImport' | 'semaphoreExport' | 'semaphoreImport';
  count: number;
  p50Us: number;
  p99Us: number;
}

export interface SeamViolation {
  released: string;
  usedBy: string[];
  consequence: string;
}

export interface SeamControlResult {
  counter: 'hostCopies' | 'fdGrowth' | 'framesWrong';
  counted: number;
  expected: string;
  tripped: boolean;
  usPerFrame?: number;
  importsPerFrame?: number;
}

export interface SeamAlone {
  vulkanUs: number;
  partnerUs: number;
}

export interface SeamStreamSync {
  rows: { imports: number; ownership: SeamOwnership; p50Us: number; p99Us: number }[];
}

export interface SeamConnections {
  /** CUDA_DEVICE_MAX_CONNECTIONS of the process; null when it was not set. */
  maxConnections: string | null;
  streams: number;
  vulkanUsIdle: number;
  vulkanUsWaiting: number;
  /** null: the kernel did not run within half a second. */
  kernelUsIdle: number | null;
  kernelUsWaiting: number | null;
}

/** A frame copied from one CUDA device to others. */
export interface SeamPeers {
  rows: {
    ordinal: number;
    /** cuDeviceCanAccessPeer. */
    canAccess: boolean;
    bytes: number;
    /** Without peer access: the driver stages the copy as it sees fit. */
    stagedUs: number;
    /** With peer access; null where there is none. */
    directUs: number | null;
    wordsWrong: number;
  }[];
}

export type SeamPeerCopy = { from: number } & SeamPeers['rows'][number];

/** Memory that Vulkan exported on one GPU, imported by CUDA on another. */
export interface SeamCrossing {
  vulkanUuid: string;
  cudaOrdinal: number;
  outcome: 'refused' | 'worked' | 'wrong-frames';
  detail: string;
}

export interface SeamAcross {
  copies: SeamPeerCopy[];
  crossings: SeamCrossing[];
  notMeasured: string[];
  /** Sentences for a user. */
  words: string[];
}

export interface Skipped {
  skipped: string;
}

/** One line of a job's output. `id` is a cell's number or a control's name. */
export type SeamEvent =
  | { event: 'device'; facts: SeamDeviceFacts }
  | { event: 'started'; id: number | string }
  | { event: 'run'; id: number; result: SeamMeasurement }
  | { event: 'skipped'; id?: number; reason: string }
  | { event: 'failed'; id: number | string; error: SeamFailure }
  | { event: 'costs'; costs: SeamCallCost[] }
  | { event: 'control'; id: string; result: SeamControlResult }
  | { event: 'alone'; result: SeamAlone }
  | { event: 'streamSync'; result: SeamStreamSync | Skipped }
  | { event: 'peers'; result: SeamPeers | Skipped }
  | { event: 'connections'; result: SeamConnections | Skipped }
  | { event: 'validating' }
  | { event: 'validation'; messages: string[] }
  | { event: 'predicted'; violations: SeamViolation[] }
  | { event: 'step'; text: string }
  | { event: 'teardown'; use: string; violations: SeamViolation[]; openHandles: string[]; validation: string[] }
  | { event: 'error'; error: SeamFailure }
  | { event: 'done' };

/** A cell of the matrix with what came of it: numbers, the reason why it cannot run here, or a failure. */
export type SeamRun = Omit<SeamCell, 'warmup' | 'latencyFrames'> & (SeamMeasurement | Skipped | { failed: SeamFailure });

export interface SeamControl {
  name: string;
  result: SeamControlResult | { failed: SeamFailure };
}

export interface SeamTeardown {
  order: TeardownOrder;
  ownership: SeamOwnership;
  /** Which of the repetitions of this order. */
  repetition: number;
  /** What the ledger said before any driver was asked. */
  predicted: SeamViolation[];
  /** What happened, in one sentence. */
  outcome: 'clean' | 'validation-message' | 'sanitizer-report' | 'crash' | 'driver-error' | 'hang' | 'skipped';
  detail: string;
  validated: boolean;
}

/** frame = work + handover / slots. */
export interface SeamModel {
  /** The runs that it was fitted to. */
  fitted: { slots: number; usPerFrame: number }[];
  mode: SeamMode;
  workUs: number;
  handoverUs: number;
  /** One change between the two APIs: half of a hand-over there and back. */
  switchUs: number;
  /** How much of the spread the model explains: 1 = all. */
  rSquared: number;
  alone: SeamAlone | null;
  /** 0: the two sides take turns; 1: the shorter one costs nothing. */
  overlap: number | null;
  slotsWorthHaving: number;
  /** Sentences for a user. */
  words: string[];
}

/** The hand-off list of interop code: what the next person must know. */
export interface SeamHandoff {
  interopPath: string[];
  transferPoints: string[];
  freeOrder: string[];
  buffering: string[];
  toleratedAsymmetries: string[];
  runsOnDevice: string[];
  runsOnHost: string[];
  evidence: string[];
}

export interface SeamCheck {
  name: string;
  ok: boolean;
  message: string;
}

/** The report in a few plain sentences. */
export interface SeamVerdict {
  headline: string;
  sentences: string[];
  /** What to do about what failed; empty when everything holds. */
  nextSteps: string[];
}

export interface SeamDeviceReport {
  device: { name: string; vulkanUuid: string; cudaOrdinal?: number; partner: SeamPartner; driver: string; timelineExport: boolean };
  runs: SeamRun[];
  costs: SeamCallCost[];
  controls: SeamControl[];
  teardown: SeamTeardown[];
  model: SeamModel | null;
  streamSync: SeamStreamSync | Skipped;
  connections: (SeamConnections | Skipped)[];
  /** What the measurements beside the matrix say, in sentences. */
  findings: string[];
  handoff: SeamHandoff;
  checks: SeamCheck[];
}

/** The first device's members stand at the top as well, so that a machine with one device reads simply. */
export interface SeamReport extends SeamDeviceReport {
  version: 1;
  takenAt: string;
  passed: boolean;
  verdict: SeamVerdict;
  settings: SeamSettings;
  /** Measured frames of all runs. */
  frames: number;
  seconds: number;
  /** Every device tested, the first one included. */
  devices: SeamDeviceReport[];
  /** With two matched devices or more. */
  across?: SeamAcross & { check: SeamCheck };
  /** Devices that could have been tested and were not, with the reason. */
  notTested: { name: string; vulkanUuid: string; reason: string }[];
}

export interface SeamProgress {
  /** Work done and all work, in steps. */
  done: number;
  total: number;
  text: string;
}
