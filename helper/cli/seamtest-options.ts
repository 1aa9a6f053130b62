import { parseArgs } from 'node:util';
import type { SeamSettings } from '../protocol/seamtest';
import { UsageError } from './usage-error';

export interface SeamTestArguments {
  json: boolean;
  markdown?: string;
  device?: string;
  settings: SeamSettings;
}

const MAX_FRAMES = 10_000_000;
const MAX_SIDE = 16_384;

export function parseSeamTest(args: string[]): SeamTestArguments {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean' },
      markdown: { type: 'string' },
      device: { type: 'string' },
      frames: { type: 'string' },
      size: { type: 'string' },
      quick: { type: 'boolean' },
    },
  });
  return {
    json: values.json ?? false,
    ...(values.markdown === undefined ? {} : { markdown: values.markdown }),
    ...(values.device === undefined ? {} : { device: values.device }),
    settings: {
      quick: values.quick ?? false,
      ...(values.frames === undefined ? {} : { frames: wholeNumber('--frames', values.frames, MAX_FRAMES) }),
      ...(values.size === undefined ? {} : { size: parseSize(values.size) }),
    },
  };
}

function wholeNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > most) throw new UsageError(`${name} needs a number from 1 to ${most}, not "${text}".`);
  return value;
}

function parseSize(text: string): { width: number; height: number } {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(text) ?? [];
  if (width === undefined || height === undefined) throw new UsageError(`--size needs WIDTHxHEIGHT, not "${text}".`);
  return { width: wholeNumber('each side of --size', width, MAX_SIDE), height: wholeNumber('each side of --size', height, MAX_SIDE) };
}
