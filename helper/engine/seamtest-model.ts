/** Fits frame = work + hand-over / slots to the measured runs, and says in words what that means for the number of slots. Pure. */
import type { SeamAlone, SeamMode, SeamModel, SeamRun } from '../protocol/seamtest';

const MOST_SLOTS = 32;
/** Twice the slots must save at least this share of a frame to be worth having. */
const WORTH = 0.1;
/** Below this the runs do not follow the model. */
const CREDIBLE = 0.6;

interface Point {
  slots: number;
  usPerFrame: number;
}

/** One process, memory exported by Vulkan, Vulkan producing: the plain case. Timelines where there are any. Null with fewer than two points. */
export function fitModel(runs: SeamRun[], alone: SeamAlone | null): SeamModel | null {
  for (const mode of ['timeline', 'fence'] as const) {
    const fitted = pointsOf(runs, mode);
    if (fitted.length >= 2) return describe(mode, fitted, alone);
  }
  return null;
}

export function pointsOf(runs: SeamRun[], mode: SeamMode): Point[] {
  return runs.flatMap((run) => {
    const plain =
      run.mode === mode &&
      run.ownership === 'exporter' &&
      run.processes === 1 &&
      run.direction === 'vulkan-to-partner' &&
      run.resource === 'buffer' &&
      'usPerFrame' in run;
    return plain ? [{ slots: run.slots, usPerFrame: run.usPerFrame }] : [];
  });
}

function describe(mode: SeamMode, fitted: Point[], alone: SeamAlone | null): SeamModel {
  const { workUs, handoverUs, rSquared } = leastSquares(fitted);
  const slotsWorthHaving = rSquared >= CREDIBLE && handoverUs > 0 ? worthHaving(workUs, handoverUs, fitted) : 1;
  const overlap = alone ? overlapOf(workUs, alone) : null;
  const model = { fitted, mode, workUs, handoverUs, switchUs: handoverUs / 2, rSquared, alone, overlap, slotsWorthHaving };
  return { ...model, words: wordsOf(model) };
}

/** Over x = 1 / slots. Work cannot be below zero: where the free line says so, the line through zero is the closest. */
function leastSquares(points: Point[]): { workUs: number; handoverUs: number; rSquared: number } {
  const free = freeLine(points);
  return free.workUs >= 0 ? free : lineThroughZero(points);
}

function lineThroughZero(points: Point[]): { workUs: number; handoverUs: number; rSquared: number } {
  const handoverUs = sum(points.map(({ slots, usPerFrame }) => usPerFrame / slots)) / sum(points.map(({ slots }) => 1 / slots ** 2));
  const middle = mean(points.map(({ usPerFrame }) => usPerFrame));
  const spread = sum(points.map(({ usPerFrame }) => (usPerFrame - middle) ** 2));
  const left = sum(points.map(({ slots, usPerFrame }) => (usPerFrame - handoverUs / slots) ** 2));
  return { workUs: 0, handoverUs, rSquared: spread > 0 ? Math.max(0, 1 - left / spread) : 0 };
}

function freeLine(points: Point[]): { workUs: number; handoverUs: number; rSquared: number } {
  const xs = points.map(({ slots }) => 1 / slots);
  const ys = points.map(({ usPerFrame }) => usPerFrame);
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const sxx = sum(xs.map((x) => (x - meanX) ** 2));
  const sxy = sum(xs.map((x, i) => (x - meanX) * (ys[i]! - meanY)));
  const syy = sum(ys.map((y) => (y - meanY) ** 2));
  const handoverUs = sxx > 0 ? sxy / sxx : 0;
  return { workUs: meanY - handoverUs * meanX, handoverUs, rSquared: sxx > 0 && syy > 0 ? sxy ** 2 / (sxx * syy) : 0 };
}

/** Without work a frame the model knows no end of the gain: then no more than was measured. */
function worthHaving(work: number, handover: number, fitted: Point[]): number {
  if (work === 0) return mostOf(fitted);
  const frame = (slots: number) => work + handover / slots;
  for (let slots = 1; slots < MOST_SLOTS; ++slots) if (frame(2 * slots) > (1 - WORTH) * frame(slots)) return slots;
  return MOST_SLOTS;
}

function overlapOf(work: number, { vulkanUs, partnerUs }: SeamAlone): number {
  const shorter = Math.min(vulkanUs, partnerUs);
  return shorter > 0 ? Math.min(1, Math.max(0, (vulkanUs + partnerUs - work) / shorter)) : 0;
}

function wordsOf(model: Omit<SeamModel, 'words'>): string[] {
  const { mode, fitted, workUs, handoverUs, switchUs, rSquared, slotsWorthHaving, overlap } = model;
  const sync = mode === 'timeline' ? 'timeline semaphores' : 'fences (the host waits)';
  if (rSquared < CREDIBLE || handoverUs <= 0)
    return [
      `With ${sync} the number of slots makes no steady difference here${handoverUs > 0 ? ` (the model explains ${percent(rSquared)} of the spread)` : ' (frames came no faster with more of them)'}: ` +
        'use two slots for safety, not for speed, and measure again on an idle machine.',
    ];
  const words = [
    `With ${sync} a frame costs ${us(workUs)} of work and ${us(handoverUs)} of handing over there and back, which is shared by the slots ` +
      `(${fitted.length === 2 ? 'two numbers of slots give a line that nothing checks' : `the model explains ${percent(rSquared)} of the spread`}). One change between the two APIs costs about ${us(switchUs)}.`,
    ...gains(fitted),
    advice(slotsWorthHaving, workUs),
  ];
  if (overlap !== null)
    words.push(
      overlap < 0.25
        ? 'The two sides take turns on the device: more slots share out the cost of changing over, they do not make the work run side by side.'
        : `The two sides overlap: ${percent(overlap)} of the shorter one's work is hidden behind the longer one's.`,
    );
  return words;
}

function advice(slots: number, workUs: number): string {
  if (slots === 1) return `One slot is enough: a second one would save less than ${percent(WORTH)} of a frame.`;
  if (workUs === 0)
    return `Use ${slots} slots, the most that were measured: the times do not tell where more stop to pay. Measure more frames on an idle machine.`;
  return `Use ${slots} slots: twice as many would save less than ${percent(WORTH)} of a frame.`;
}

/** "3 slots give 2.6 times the frames of one." for every measured number of slots. */
function gains(fitted: Point[]): string[] {
  const one = fitted.find(({ slots }) => slots === 1);
  if (!one) return [];
  const more = fitted
    .filter(({ slots }) => slots > 1)
    .map(({ slots, usPerFrame }) => `${slots} slots ${(one.usPerFrame / usPerFrame).toFixed(2)} times`);
  return more.length > 0 ? [`Measured, compared with the frames of one slot (${us(one.usPerFrame)} a frame): ${more.join(', ')}.`] : [];
}

const mostOf = (points: Point[]) => Math.max(...points.map(({ slots }) => slots));
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: number[]) => sum(values) / values.length;
const percent = (share: number) => `${Math.round(share * 100)} %`;
const us = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} us`;
