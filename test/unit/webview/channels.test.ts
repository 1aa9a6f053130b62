import { describe, expect, it } from 'vitest';
import { channelNames, nextMask } from '../../../webview/src/preview/channels';
import { colorMaps } from '../../../webview/src/preview/colors';
import { defaultLook } from '../../../webview/src/preview/state';

describe('channel mask', () => {
  it.each([
    [0b1111, 0, false, 0b1110],
    [0b1110, 0, false, 0b1111],
    [0b1111, 2, true, 0b0100],
    // Alone again: all.
    [0b0100, 2, true, 0b1111],
    [0b0001, 3, true, 0b1000],
    // Never nothing at all.
    [0b0010, 1, false, 0b1111],
  ])('%d, channel %d, alone %s', (mask, channel, solo, expected) => {
    expect(nextMask(mask, channel, solo)).toBe(expected);
  });
});

describe('channel names', () => {
  it.each([
    ['color', 4, 'RGBA'],
    ['hdr', 3, 'RGB'],
    ['color', 2, 'VA'],
    ['normal', 3, 'XYZ'],
    ['motion', 2, 'XY'],
    ['depth', 1, 'Z'],
    ['id', 1, 'ID'],
    ['tensor', 1, 'V'],
  ] as const)('of %s with %d', (kind, channels, names) => {
    expect(channelNames({ kind, channels }).join('')).toBe(names);
  });
});

describe('colour maps', () => {
  const kinds = ['color', 'hdr', 'depth', 'id', 'normal', 'motion', 'tensor'] as const;
  const cases = kinds.flatMap((kind) =>
    ([1, 3] as const).flatMap((channels) => (['u8', 'bool', 'f32'] as const).map((dtype) => ({ kind, channels, dtype }))),
  );

  it.each(cases)('offer what $kind of $channels x $dtype begins with', (output) => {
    expect(colorMaps(output).map(({ value }) => value)).toContain(defaultLook(output).falseColor);
  });
});
