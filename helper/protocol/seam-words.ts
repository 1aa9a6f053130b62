/** What the seam test's terms are called in front of users, and what they mean: shared by Markdown and report view. Pure. */
import type { SeamControlResult, SeamDirection, SeamHandoff, SeamMode, SeamOwnership, SeamPartner, SeamTeardown, TeardownOrder } from './seamtest';

export const modeNames: Record<SeamMode, string> = { fence: 'fence (the host waits)', timeline: 'timeline semaphores' };
export const ownershipNames: Record<SeamOwnership, string> = { exporter: 'Vulkan (exporter)', inverted: 'partner (inverted)' };
export const orderNames: Record<TeardownOrder, string> = {
  documented: 'documented order',
  ownerFirst: 'owner first (wrong)',
  deviceFirst: 'device first (wrong)',
};
export const outcomeNames: Record<SeamTeardown['outcome'], string> = {
  clean: 'nothing reported',
  'validation-message': 'validation message',
  'sanitizer-report': 'sanitizer report',
  crash: 'crash',
  'driver-error': 'driver error',
  hang: 'hung',
  skipped: 'not tried',
};
export const counterNames: Record<SeamControlResult['counter'], string> = {
  hostCopies: 'host copies',
  fdGrowth: 'descriptor growth',
  framesWrong: 'wrong frames',
};
export const handoffTitles: Record<keyof SeamHandoff, string> = {
  interopPath: 'Interop path',
  transferPoints: 'Ownership and transfer points',
  freeOrder: 'Free order',
  buffering: 'Buffering',
  toleratedAsymmetries: 'Tolerated asymmetries',
  runsOnDevice: 'Runs on the device',
  runsOnHost: 'Runs on the host',
  evidence: 'Evidence',
};
export const controlNames: Record<string, string> = {
  staging: 'Staging path: the frame goes through host memory',
  leakingImporter: 'Leaking importer: imports for each frame, closes nothing',
  staleReader: 'Stale reader: reads the frame before',
};

export function directionName(direction: SeamDirection, partner: SeamPartner): string {
  const other = partner === 'cuda' ? 'CUDA' : 'host';
  return direction === 'vulkan-to-partner' ? `Vulkan → ${other}` : `${other} → Vulkan`;
}

export interface SeamTerm {
  word: string;
  meaning: string;
  /** Heading of docs/seam-test.md. */
  anchor: string;
}

export const seamTerms: readonly SeamTerm[] = [
  { word: 'Slot', meaning: 'One frame-sized piece of shared memory. Several of them let the producer write ahead of the consumer.', anchor: 'slots' },
  {
    word: 'Hand-off',
    meaning:
      'From the moment a frame is written to the moment its consumer has read it. The median says what is usual, p95 what one frame in twenty takes.',
    anchor: 'hand-off',
  },
  {
    word: 'Exporter-owned',
    meaning: 'Vulkan allocates and exports, CUDA imports. Vulkan is the owner.',
    anchor: 'ownership',
  },
  {
    word: 'Inverted ownership',
    meaning: 'CUDA allocates (cuMemCreate) and exports, Vulkan imports. CUDA is the owner, and the import must go before the allocation.',
    anchor: 'ownership',
  },
  {
    word: 'Owner first',
    meaning: 'The wrong order of freeing: the allocation goes while the other API still holds its import of it. Its next access is undefined.',
    anchor: 'teardown',
  },
  {
    word: 'Ledger',
    meaning: "Seamscope's list of who made what from what. It predicts violations from the order of frees alone, before any driver is asked.",
    anchor: 'teardown',
  },
  {
    word: 'Control run',
    meaning: 'A run with a fault made on purpose. Its counter must move: only then do the zeros of the other runs mean something.',
    anchor: 'controls',
  },
  {
    word: 'Switch',
    meaning: 'What the GPU pays to change between Vulkan and CUDA work. Slots share it out.',
    anchor: 'slots',
  },
];
