import type { SeamMeasurement, SeamRun } from '../../../helper/protocol/seamtest';

type Axes = Partial<Pick<SeamRun, 'mode' | 'slots' | 'ownership' | 'processes' | 'direction' | 'resource' | 'frames'>>;

const axes = {
  mode: 'fence',
  slots: 1,
  ownership: 'exporter',
  processes: 1,
  direction: 'vulkan-to-partner',
  resource: 'buffer',
  frames: 100,
  width: 1920,
  height: 1080,
} as const;

const clean: SeamMeasurement = {
  fdGrowth: 0,
  hostCopies: 0,
  framesWrong: 0,
  importsPerFrame: 0,
  exportsPerFrame: 0,
  usPerFrame: 300,
  openHandles: [],
  fdsLeft: 0,
};

export const measuredRun = (which: Axes = {}, found: Partial<SeamMeasurement> = {}): SeamRun => ({ ...axes, ...which, ...clean, ...found });
export const skippedRun = (which: Axes = {}): SeamRun => ({ ...axes, ...which, skipped: 'It cannot export timeline semaphores.' });
export const failedRun = (which: Axes = {}): SeamRun => ({ ...axes, ...which, failed: { message: 'cuMemCreate failed.', nextStep: 'Free memory.' } });
