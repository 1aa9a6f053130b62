/** Words for what is on screen: status line and screen reader. */
import type { FrameInfo, FrameStats, Metrics, PixelValue, Rect } from '../../../helper/protocol/frames';

/** "color, frame 812, 1280 by 720, 3 NaN pixels" */
export function describePicture(info: FrameInfo, paused: boolean): string {
  return [
    info.output,
    `frame ${info.frame}`,
    `${info.frameWidth} by ${info.frameHeight}`,
    ...(paused ? ['paused'] : []),
    ...(isWhole(info) ? [] : ['part of it visible']),
    anomalies(info.stats) || 'no NaN or infinite values',
  ].join(', ');
}

function isWhole({ rect, frameWidth, frameHeight }: FrameInfo): boolean {
  return !rect || contains(rect, frameWidth, frameHeight);
}

function contains({ x, y, width, height }: Rect, frameWidth: number, frameHeight: number): boolean {
  const slack = 1e-3;
  return x <= slack && y <= slack && x + width >= frameWidth - slack && y + height >= frameHeight - slack;
}

/** Empty when there is nothing wrong with the values. */
export function anomalies({ nan, inf }: FrameStats): string {
  return [count(nan, 'NaN value'), count(inf, 'infinite value')].filter(Boolean).join(', ');
}

/** Whether the extremes say something: a frame of NaN and infinities alone has none. Alpha may not be counted. */
export function hasNumbers({ stats, frameWidth, frameHeight, format }: Pick<FrameInfo, 'stats' | 'frameWidth' | 'frameHeight' | 'format'>): boolean {
  const { nan, inf, min, max } = stats;
  const channels = format?.channels ?? 1;
  const least = frameWidth * frameHeight * (channels % 2 === 0 ? channels - 1 : channels);
  return min !== 0 || max !== 0 || nan + inf < least;
}

function count(number: number, noun: string): string {
  return number === 0 ? '' : `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

export function describePixel({ x, y, values }: PixelValue): string {
  return `${x}, ${y}: ${values.map(formatValue).join('  ')}`;
}

/** Seven significant digits are all an f32 has; whole numbers keep theirs. NaN and infinities come as words. */
export function formatValue(value: number | string): string {
  if (typeof value !== 'number') return value.replace('Infinity', 'Inf');
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf';
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(7)));
}

/** An identifier in hex, as it is mostly written, and as a number. */
export function formatId(value: number | string): string {
  return typeof value === 'number' ? `0x${value.toString(16)} (${value})` : value;
}

/** Four significant digits: for labels, never for values that somebody may copy. */
export function formatShort(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : formatValue(value);
}

export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** "1.5 GiB" */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const unit = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const value = bytes / 1024 ** unit;
  return `${value >= 100 || unit === 0 ? Math.round(value) : Number(value.toFixed(1))} ${units[unit]}`;
}

export function formatScale(scale: number): string {
  const percent = scale * 100;
  return `${percent >= 10 ? Math.round(percent) : Number(percent.toFixed(1))} %`;
}

export function describeMetrics({ mae, psnr, ssim, flip }: Metrics): [name: string, value: string, title: string][] {
  return [
    ['MAE', formatShort(mae), 'Mean absolute error, in stored units'],
    ['PSNR', psnr === null ? 'equal' : `${psnr.toFixed(2)} dB`, 'Peak signal-to-noise ratio'],
    ['SSIM', ssim.toFixed(4), 'Mean structural similarity of the luminance'],
    ...(flip === undefined
      ? []
      : [['FLIP', flip.toFixed(4), 'How much the difference is seen when both are shown in turn, 0 to 1'] as [string, string, string]]),
  ];
}
