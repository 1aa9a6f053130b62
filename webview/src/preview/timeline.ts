/** Where the time of each picture went. Pure: the chart draws what this keeps. */
import type { FrameInfo } from '../../../helper/protocol/frames';

export const stages = ['produce', 'handoff', 'ingest', 'view', 'encode', 'draw'] as const;
export type Stage = (typeof stages)[number];
export type FrameTimes = Record<Stage, number>;

/** Pictures that the chart shows. */
const LENGTH = 96;

/** Milliseconds a stage. `draw` is decoding and painting in the panel. */
export function timesOf({ times }: Pick<FrameInfo, 'times'>, draw: number): FrameTimes {
  return { produce: times.render, handoff: times.handoff ?? 0, ingest: times.ingest, view: times.view, encode: times.encode, draw };
}

const passes = { gpu: 'GPU', cpu: 'C++' } as const;

/** "View by GPU, 0.3 ms (C++ 1.2 ms)"; nothing where it was not told. */
export function describeDrawn({ drawn }: Pick<FrameInfo, 'drawn'>): string {
  if (!drawn) return '';
  const other = drawn.otherMs === undefined ? '' : ` (${passes[drawn.pass === 'gpu' ? 'cpu' : 'gpu']} ${drawn.otherMs.toFixed(1)} ms)`;
  return `View by ${passes[drawn.pass]}, ${drawn.ms.toFixed(1)} ms${other}`;
}

export class Timeline {
  #frames: FrameTimes[] = [];

  add(times: FrameTimes): void {
    this.#frames = [...this.#frames.slice(1 - LENGTH), times];
  }

  clear(): void {
    this.#frames = [];
  }

  get frames(): readonly FrameTimes[] {
    return this.#frames;
  }

  get length(): number {
    return LENGTH;
  }

  /** Of the kept pictures; zeros before the first. */
  mean(): FrameTimes {
    const count = Math.max(this.#frames.length, 1);
    return Object.fromEntries(stages.map((stage) => [stage, this.#frames.reduce((sum, times) => sum + times[stage], 0) / count])) as FrameTimes;
  }

  /** The chart's top in milliseconds: a round number above the slowest pictures, which single stragglers do not flatten. */
  top(): number {
    const totals = this.#frames.map(total).sort((a, b) => a - b);
    const high = totals[Math.floor((totals.length - 1) * 0.95)] ?? 1;
    return steps.find((step) => step >= high) ?? high;
  }
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export function total(times: FrameTimes): number {
  return stages.reduce((sum, stage) => sum + times[stage], 0);
}

/** One SVG path a stage: stacked bars in a box `length` wide and `height` high, the newest at the right. */
export function stackedBars(frames: readonly FrameTimes[], length: number, height: number, top: number): Record<Stage, string> {
  const paths = Object.fromEntries(stages.map((stage) => [stage, ''])) as Record<Stage, string>;
  frames.forEach((times, at) => {
    const x = length - frames.length + at;
    let y = height;
    for (const stage of stages) {
      const bar = Math.min((times[stage] / top) * height, y);
      if (bar > 0.01) paths[stage] += `M${x} ${y.toFixed(2)}h0.9v${(-bar).toFixed(2)}h-0.9z`;
      y -= bar;
    }
  });
  return paths;
}
