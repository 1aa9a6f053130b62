import { describe, expect, it } from 'vitest';
import type { FrameInfo } from '../../../helper/protocol/frames';
import { clippedShare } from '../../../webview/src/preview/clipping';

/** Ten values in ten bins over 0..`high`. */
function picture(format: Partial<NonNullable<FrameInfo['format']>>, high: number, outside = 0): FrameInfo {
  const histogram = { low: 0, high, below: 0, above: outside, counts: new Array(10).fill(1), frame: 1 };
  const whole = { kind: 'hdr', dtype: 'f32', channels: 3, colorSpace: 'linear', batches: 1, ...format };
  return { histogram, stats: { min: 0, max: high, nan: 0, inf: 0, negative: 0 }, format: whole } as FrameInfo;
}

const look = { range: null, exposure: 0, toneMap: 'none', falseColor: 'none' } as const;

describe('share of clipped values', () => {
  it.each([
    ['colour above white', picture({}, 2), look, 0.5],
    ['a stop darker', picture({}, 2), { ...look, exposure: -1 }, 0],
    ['a tone map has no white', picture({}, 2), { ...look, toneMap: 'aces' }, 0],
    ['bytes never exceed white', picture({ dtype: 'u8', colorSpace: 'srgb' }, 255), look, 0],
    ['data outside its range', picture({ colorSpace: 'data' }, 10), { ...look, range: [2, 8] }, 0.4],
    ['data that follows each frame', picture({ colorSpace: 'data' }, 10), look, 0],
    ['what the histogram does not hold', picture({ colorSpace: 'data' }, 10, 10), look, 0.5],
  ] as const)('%s', (_, info, { ...how }, share) => {
    expect(clippedShare(info, { ...how, range: how.range && [...how.range] }, info.format)).toBeCloseTo(share);
  });

  it('is unknown for names and without a histogram', () => {
    expect(clippedShare(picture({}, 1), { ...look, falseColor: 'ids' })).toBeNull();
    expect(clippedShare({ ...picture({}, 1), histogram: undefined } as unknown as FrameInfo, look)).toBeNull();
  });
});
