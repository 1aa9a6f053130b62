import { describe, expect, it } from 'vitest';
import { wholeTexels } from '../../../webview/src/preview/camera';
import { describeMetrics, formatBytes, formatId, formatShort, formatValue } from '../../../webview/src/preview/describe';

describe('texels of a rectangle', () => {
  it.each([
    [
      { x: 0, y: 0, width: 4, height: 2 },
      { x: 0, y: 0, width: 4, height: 2 },
    ],
    [
      { x: 1.5, y: 2.25, width: 1, height: 0.5 },
      { x: 1, y: 2, width: 2, height: 1 },
    ],
    [
      { x: -0.5, y: 0, width: 1000, height: 1 },
      { x: -1, y: 0, width: 64, height: 1 },
    ],
  ])('%j', (rect, expected) => {
    expect(wholeTexels(rect, 64)).toEqual(expected);
  });
});

describe('values in words', () => {
  it.each([
    [Number.NaN, 'NaN'],
    ['NaN', 'NaN'],
    ['-Infinity', '-Inf'],
    [Number.POSITIVE_INFINITY, 'Inf'],
    [16777217, '16777217'],
    [0.1, '0.1'],
    [1 / 3, '0.3333333'],
  ])('%s', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it('has identifiers in hex, short labels and sizes', () => {
    expect(formatId(305)).toBe('0x131 (305)');
    expect(formatId('0x20000000000001')).toBe('0x20000000000001');
    expect(formatShort(12.34567)).toBe('12.35');
    expect([512, 1536, 14_745_600, 2 ** 31].map(formatBytes)).toEqual(['512 B', '1.5 KiB', '14.1 MiB', '2 GiB']);
  });

  it('says of equal frames that they are', () => {
    const metrics = { reference: 1, frame: 2, mae: 0, psnr: null, ssim: 1 };
    expect(describeMetrics(metrics).map(([name, value]) => `${name} ${value}`)).toEqual(['MAE 0', 'PSNR equal', 'SSIM 1.0000']);
    expect(describeMetrics({ ...metrics, psnr: 31.4159 })[1]?.[1]).toBe('31.42 dB');
  });
});
