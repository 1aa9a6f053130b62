import path from 'node:path';
import { parseArgs } from 'node:util';
import type { ViewParams } from '../protocol/frames';
import { UsageError } from './usage-error';

export interface PreviewOptions {
  /** 'scene', `files:` with a folder or pattern, or the name of a program that publishes. */
  source: string;
  /** Left out: the first one, as soon as a source has one. */
  output?: string;
  device: string;
  frames: number;
  /** Absolute path of the file to save. */
  out?: string;
  json: boolean;
  /** Options given that mean nothing to this source. */
  ignored?: string[];
  size: { width: number; height: number };
  view: { width: number; height: number };
  encoding: ViewParams['encoding'];
  /** Frames a second at most. */
  rate: number;
  /** How long to wait for a program to publish, in milliseconds. */
  waitMs: number;
}

const MAX_FRAMES = 1_000_000;
const MAX_WAIT_S = 86_400;
const MAX_RATE = 1000;
/** What the engine renders and sends at most. */
const MAX_SCENE_SIDE = 16_384;
const MAX_PICTURE_SIDE = 8192;

export function parsePreviewOptions(args: string[]): PreviewOptions {
  const { values } = parseArgs({
    args,
    options: {
      source: { type: 'string', default: 'scene' },
      output: { type: 'string' },
      device: { type: 'string' },
      frames: { type: 'string' },
      out: { type: 'string' },
      json: { type: 'boolean', default: false },
      size: { type: 'string' },
      view: { type: 'string', default: '960x540' },
      encoding: { type: 'string', default: 'jpeg' },
      // As fast as it goes: this measures.
      rate: { type: 'string', default: String(MAX_RATE) },
      wait: { type: 'string', default: '30' },
    },
  });
  const { source, output, json, out } = values;
  const device = values.device ?? 'auto';
  return {
    ...(source === 'scene' ? {} : { ignored: (['device', 'size'] as const).filter((name) => values[name] !== undefined).map((name) => `--${name}`) }),
    ...{ source, device, json },
    ...(output ? { output } : source === 'scene' ? { output: 'color' } : {}),
    // Files that nobody writes to any more have one frame.
    frames: parseFrames(values.frames ?? (source.startsWith('files:') ? '1' : '60')),
    size: parseSize('--size', values.size ?? '1280x720', 16, MAX_SCENE_SIDE),
    view: parseSize('--view', values.view, 1, MAX_PICTURE_SIDE),
    encoding: parseEncoding(values.encoding),
    rate: parseRate(values.rate),
    waitMs: parseWait(values.wait),
    ...(out ? { out: path.resolve(out) } : {}),
  };
}

function parseFrames(text: string): number {
  const frames = Number(text);
  if (!Number.isInteger(frames) || frames < 1 || frames > MAX_FRAMES)
    throw new UsageError(`--frames must be a number from 1 to ${MAX_FRAMES}, not "${text}".`);
  return frames;
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (!(rate >= 0.1 && rate <= MAX_RATE)) throw new UsageError(`--rate must be a number from 0.1 to ${MAX_RATE}, not "${text}".`);
  return rate;
}

function parseWait(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 0 && seconds <= MAX_WAIT_S)) throw new UsageError(`--wait must be a number of seconds up to ${MAX_WAIT_S}, not "${text}".`);
  return seconds * 1000;
}

function parseSize(name: string, text: string, least: number, most: number): { width: number; height: number } {
  const [width, height] = (/^(\d{1,9})x(\d{1,9})$/.exec(text) ?? []).slice(1).map(Number);
  if (width === undefined || height === undefined) throw new UsageError(`${name} must be WIDTHxHEIGHT, not "${text}".`);
  for (const side of [width, height])
    if (side < least || side > most) throw new UsageError(`Width and height of ${name} must be from ${least} to ${most}, not "${text}".`);
  return { width, height };
}

function parseEncoding(text: string): ViewParams['encoding'] {
  if (text === 'jpeg' || text === 'rgba' || text === 'png') return text;
  throw new UsageError(`--encoding must be jpeg, rgba or png, not "${text}".`);
}
