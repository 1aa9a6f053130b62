/** Readings of one device over time, as its charts draw them. */
import type { DeviceParts } from '../../../../helper/protocol/device-parts';
import type { DevicePoll } from '../../../../helper/protocol/device-readings';

export interface Sample {
  /** Milliseconds since 1970. */
  time: number;
  use?: number | undefined;
  memoryUse?: number | undefined;
  memory?: number | undefined;
  temperature?: number | undefined;
  power?: number | undefined;
  smClock?: number | undefined;
  memoryClock?: number | undefined;
}

export type SampleValue = Exclude<keyof Sample, 'time'>;

/** Undefined where the reading does not know the device. */
export function sampleOf({ gpu, instance }: DeviceParts, poll: DevicePoll): Sample | undefined {
  const reading = poll.gpus.find(({ uuid }) => uuid === gpu?.uuid);
  if (!reading) return undefined;
  const time = Date.parse(poll.takenAt);
  const part = reading.instances.find(({ uuid }) => uuid === instance?.uuid);
  const whole = {
    temperature: reading.temperatureC,
    power: reading.powerWatts,
    smClock: reading.clocks.smMhz,
    memoryClock: reading.clocks.memoryMhz,
  };
  if (!instance) return { time, use: reading.use.percent, memoryUse: reading.memoryUsePercent, memory: reading.memoryUsedBytes, ...whole };
  return part && { time, use: part.use.percent, memory: part.memoryUsedBytes, ...whole };
}

/** A longer pause between two readings breaks a line: nobody knows what was in it. */
export const GAP_MS = 6_000;

export interface Scale {
  /** The right end of the chart; what is older than `span` before it is left out. */
  end: number;
  span: number;
  low: number;
  high: number;
}

/** Runs of points with x and y from 0 to 1, y upwards. */
export function linesOf(samples: readonly Sample[], value: SampleValue, { end, span, low, high }: Scale): [number, number][][] {
  const lines: [number, number][][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const sample of samples) {
    const at = sample[value];
    if (at === undefined || sample.time < end - span) continue;
    if (sample.time - last > GAP_MS) lines.push([]);
    last = sample.time;
    lines.at(-1)!.push([(sample.time - end + span) / span, Math.max(0, Math.min(1, (at - low) / (high - low)))]);
  }
  return lines;
}

/** A round number above all values, at least `least`. */
export function topOf(samples: readonly Sample[], values: readonly SampleValue[], least: number): number {
  const most = Math.max(least, ...samples.flatMap((sample) => values.map((value) => sample[value] ?? 0)));
  const step = 10 ** Math.floor(Math.log10(most)) / 2;
  return Math.ceil(most / step) * step;
}
