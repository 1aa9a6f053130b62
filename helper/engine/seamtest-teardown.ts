/** Tears a seam down in processes of their own, in the documented order and in wrong ones, and says what happened beside what was predicted. */
import type { SeamCell, SeamEvent, SeamJob, SeamOwnership, SeamTeardown, TeardownOrder } from '../protocol/seamtest';
import { howItEnded, sanitizerLine } from './seamtest-end';
import { runSeamProcess, type SeamEnd, type SeamProcessOptions } from './seamtest-process';

export interface TeardownCase {
  order: TeardownOrder;
  ownership: SeamOwnership;
  repetition: number;
}

/** The wrong order of inverted ownership is the dangerous one: it must be caught every time, so it is tried several times. */
export const TEARDOWN_CASES: TeardownCase[] = [
  { order: 'documented', ownership: 'exporter', repetition: 1 },
  { order: 'documented', ownership: 'inverted', repetition: 1 },
  { order: 'ownerFirst', ownership: 'exporter', repetition: 1 },
  ...[1, 2, 3].map((repetition): TeardownCase => ({ order: 'ownerFirst', ownership: 'inverted', repetition })),
  { order: 'deviceFirst', ownership: 'exporter', repetition: 1 },
];

const SILENCE_MS = 60_000;
const FRAMES = 5;

export async function runTeardown(
  options: SeamProcessOptions,
  device: SeamJob['device'],
  base: SeamCell,
  which: TeardownCase,
  signal?: AbortSignal,
): Promise<SeamTeardown> {
  const events: SeamEvent[] = [];
  const cell: SeamCell = { ...base, ownership: which.ownership, slots: 1, frames: FRAMES, warmup: 0, latencyFrames: 0 };
  const job: SeamJob = { kind: 'teardown', parent: process.pid, device, cell, order: which.order, validation: true };
  const end = await runSeamProcess(options, job, {
    onEvent: (event) => events.push(event),
    silenceMs: SILENCE_MS,
    ...(signal ? { signal } : {}),
  });
  return { ...which, ...judge(events, end) };
}

/** Exported for its tests. */
export function judge(events: SeamEvent[], end: SeamEnd): Omit<SeamTeardown, keyof TeardownCase> {
  const of = <K extends SeamEvent['event']>(name: K) => events.find((event): event is Extract<SeamEvent, { event: K }> => event.event === name);
  const common = { predicted: of('predicted')?.violations ?? [], validated: of('validating') !== undefined };
  const skipped = of('skipped');
  if (skipped) return { ...common, outcome: 'skipped', detail: skipped.reason };
  const sanitizer = sanitizerLine(end.words);
  if (sanitizer) return { ...common, outcome: 'sanitizer-report', detail: sanitizer.trim() };
  if (end.how === 'hung') return { ...common, outcome: 'hang', detail: `The process ${howItEnded(end)} (after: ${lastStep(events)}).` };
  if (end.how !== 'exited') return { ...common, outcome: 'crash', detail: `The process ${howItEnded(end)} (after: ${lastStep(events)}).` };
  const error = of('error');
  if (error) return { ...common, outcome: 'driver-error', detail: error.error.message };
  const result = of('teardown');
  if (!result) return { ...common, outcome: 'crash', detail: `The process ${howItEnded(end)} (after: ${lastStep(events)}).` };
  const [message] = result.validation;
  if (message) return { ...common, outcome: 'validation-message', detail: firstSentence(message) };
  if (result.use.startsWith('the driver answered')) return { ...common, outcome: 'driver-error', detail: `${capital(result.use)}` };
  return { ...common, outcome: 'clean', detail: `Nothing was reported; ${result.use}.` };
}

function lastStep(events: SeamEvent[]): string {
  const steps = events.flatMap((event) => (event.event === 'step' ? [event.text] : []));
  return steps.at(-1) ?? 'the set-up';
}

/** "Validation Error: [ VUID-x ] Object 0: ... | MessageID = 0x1 | words" without the handles. */
function firstSentence(message: string): string {
  const id = /\[ (\S+) \]/.exec(message)?.[1];
  const words = message.split(' | ').at(-1) ?? message;
  return `${id ? `${id}: ` : ''}${words.split(' The Vulkan spec states')[0]}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
