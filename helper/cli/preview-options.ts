import path from 'node:path';
import { parseArgs } from 'node:util';
import type { ViewParams } from '../protocol/frames';
import { UsageError } from './usage-error';

export interface PreviewOptions {
  source: string;
  output: string;
  device: string;
  frames: number;
  /** Absolute path of the file to save. */
  out?: string;
  json: boolean;
  size: { width: number; height: number };
  view: { width: number; height: number };
  encoding: ViewParams['encoding'];
}

const MAX_FRAMES = 1_000_000;

export function parsePreviewOptions(args: string[]): PreviewOptions {
  const { values } = parseArgs({
    args,
    options: {
      source: { type: 'string', default: 'scene' },
      output: { type: 'string', default: 'color' },
      device: { type: 'string', default: 'auto' },
      frames: { type: 'string', default: '60' },
      out: { type: 'string' },
      json: { type: 'boolean', default: false },
      size: { type: 'string', default: '1280x720' },
      view: { type: 'string', default: '960x540' },
      encoding: { type: 'string', default: 'jpeg' },
    },
  });
  const { source, output, device, json, out } = values;
  return {
    ...{ source, output, device, json },
    frames: parseFrames(values.frames),
    size: parseSize('--size', values.size),
    view: parseSize('--view', values.view),
    encoding: parseEncoding(values.encoding),
    ...(out ? { out: path.resolve(out) } : {}),
  };
}

function parseFrames(text: string): number {
  const frames = Number(text);
  if (!Number.isInteger(frames) || frames < 1 || frames > MAX_FRAMES)
    throw new UsageError(`--frames must be a number from 1 to ${MAX_FRAMES}, not "${text}".`);
  return frames;
}

function parseSize(name: string, text: string): { width: number; height: number } {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
  if (!width || !height) throw new UsageError(`${name} must be WIDTHxHEIGHT, not "${text}".`);
  return { width: Number(width), height: Number(height) };
}

function parseEncoding(text: string): ViewParams['encoding'] {
  if (text === 'jpeg' || text === 'rgba' || text === 'png') return text;
  throw new UsageError(`--encoding must be jpeg, rgba or png, not "${text}".`);
}
