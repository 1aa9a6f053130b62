import { describe, expect, it } from 'vitest';
import type { FrameInfo } from '../../../helper/protocol/frames';
import { anomalies, describeMetrics, describePicture, describePixel, formatScale, hasNumbers } from '../../../webview/src/preview/describe';
import { RateMeter } from '../../../webview/src/preview/rate';
import { defaultLook, initialState } from '../../../webview/src/preview/state';

const info: FrameInfo = {
  viewId: 1,
  sequence: 5,
  frame: 812,
  output: 'hdr',
  width: 640,
  height: 360,
  encoding: 'jpeg',
  lossless: false,
  frameWidth: 1280,
  frameHeight: 720,
  stats: { min: 0, max: 1, nan: 3, inf: 0, negative: 0 },
  producedAt: 0,
  times: { render: 0, ingest: 0, view: 0, encode: 0 },
  dropped: 0,
};

describe('hasNumbers', () => {
  const of = (channels: number, nan: number, inf = 0, max = 0) =>
    hasNumbers({
      frameWidth: 4,
      frameHeight: 2,
      stats: { min: 0, max, nan, inf, negative: 0 },
      format: { channels } as NonNullable<FrameInfo['format']>,
    });

  it.each([
    ['a frame of NaN alone', of(1, 8), false],
    ['of NaN and infinities', of(1, 5, 3), false],
    ['of three channels', of(3, 24), false],
    ['of four, without alpha', of(4, 24), false],
    ['with one zero', of(1, 7), true],
    ['of zeros', of(1, 0), true],
    ['with another channel', of(3, 16), true],
    ['with a number', of(1, 8, 0, 1), true],
  ])('%s', (_, has, expected) => {
    expect(has).toBe(expected);
  });
});

describe('describeMetrics', () => {
  const metrics = { reference: 1, frame: 2, mae: 0.25, psnr: null, ssim: 1 };

  it('names what was measured', () => {
    expect(describeMetrics(metrics).map(([name, value]) => `${name} ${value}`)).toEqual(['MAE 0.25', 'PSNR equal', 'SSIM 1.0000']);
    expect(describeMetrics({ ...metrics, flip: 0.12345 }).at(-1)).toEqual(['FLIP', '0.1235', expect.any(String)]);
  });
});

describe('describePicture', () => {
  it.each([
    [info, false, 'hdr, frame 812, 1280 by 720, 3 NaN values'],
    [{ ...info, stats: { ...info.stats, nan: 0 } }, true, 'hdr, frame 812, 1280 by 720, paused, no NaN or infinite values'],
    [{ ...info, rect: { x: 10, y: 0, width: 100, height: 100 } }, false, 'hdr, frame 812, 1280 by 720, part of it visible, 3 NaN values'],
    [{ ...info, rect: { x: 0, y: 0, width: 1280, height: 720 } }, false, 'hdr, frame 812, 1280 by 720, 3 NaN values'],
  ])('case %#', (picture, paused, expected) => {
    expect(describePicture(picture, paused)).toBe(expected);
  });
});

describe('words', () => {
  it.each([
    [{ nan: 1, inf: 0 }, '1 NaN value'],
    [{ nan: 12345, inf: 2 }, '12,345 NaN values, 2 infinite values'],
    [{ nan: 0, inf: 0 }, ''],
  ])('anomalies %j', (counts, expected) => {
    expect(anomalies({ ...info.stats, ...counts })).toBe(expected);
  });

  it('shows f32 with all its digits and ids as they came', () => {
    expect(describePixel({ x: 3, y: 4, frame: 1, values: [0.1 + 0.2, 1e-8, '0xffffffffffffffff'], hex: [] })).toBe(
      '3, 4: 0.3  1e-8  0xffffffffffffffff',
    );
  });

  it.each([
    [1, '100 %'],
    [0.0312, '3.1 %'],
    [12.8, '1280 %'],
  ])('scale %d', (scale, expected) => {
    expect(formatScale(scale)).toBe(expected);
  });
});

describe('RateMeter', () => {
  it('counts the last second only', () => {
    const meter = new RateMeter();
    for (let now = 0; now < 3000; now += 20) meter.tick(now);
    expect(Math.round(meter.perSecond(2980))).toBe(50);
    expect(meter.perSecond(10_000)).toBe(0);
  });
});

describe('panel state', () => {
  it.each([undefined, null, 'text', {}, { version: 1 }])('starts anew from %j', (stored) => {
    expect(initialState(stored)).toMatchObject({ version: 2, paused: false, camera: { fit: true } });
  });

  it('takes back what it stored', () => {
    const stored = { ...initialState(null), output: 'depth', paused: true };
    expect(initialState(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
  });

  it.each([
    ['color', { toneMap: 'none', falseColor: 'none', holdFirstRange: false }],
    ['hdr', { toneMap: 'aces' }],
    ['depth', { falseColor: 'turbo', holdFirstRange: true, range: null }],
    ['id', { falseColor: 'ids' }],
    ['normal', { falseColor: 'normal', range: [-1, 1] }],
    ['motion', { falseColor: 'motion', holdFirstRange: true }],
    ['tensor', { falseColor: 'viridis', holdFirstRange: true }],
  ] as const)('looks at %s so', (kind, expected) => {
    expect(defaultLook({ kind, channels: 1, dtype: 'f32' })).toMatchObject(expected);
  });
});
