/** What a headless preview measured, as JSON and as text. Times are milliseconds. */
import type { FrameInfo, SourceDescription, ViewPass } from '../protocol/frames';
import type { Saved } from './preview-save';

const STAGES = ['render', 'ingest', 'view', 'encode'] as const;

/** One picture, as it came in. */
export interface Arrival {
  info: FrameInfo;
  bytes: number;
  /** performance.now() of this process. */
  at: number;
}

interface Spread {
  median: number;
  p95: number;
}

export interface PreviewReport {
  version: 1;
  source: string;
  /** Where the frames live and which path they take. */
  device: string;
  /** Why no GPU and no Vulkan driver draws, where the choice was left to the engine. */
  onHostBecause?: string;
  output: string;
  frames: number;
  /** Pictures a second between the first and the last; null for a single one. */
  fps: number | null;
  /** From the start of the engine process to the first picture. */
  firstPictureMs: number;
  times: Record<(typeof STAGES)[number], Spread>;
  /** Pictures that each pass drew, and the median of what it took. */
  drawn: Partial<Record<ViewPass, { pictures: number; ms: number }>>;
  /** What the pass that did not draw the last picture takes, where the engine has measured it. */
  otherPassMs?: number;
  /** Between two pictures. */
  interval: Spread | null;
  /** The producer's frames that nobody had credit for. */
  dropped: number;
  bytesPerPicture: number;
  gpuMemoryBytes: number;
  picture: { width: number; height: number; encoding: string };
  saved?: Saved;
}

export interface Measurement {
  output: string;
  source: SourceDescription;
  arrivals: Arrival[];
  startedAt: number;
  gpuMemoryBytes: number;
  saved?: Saved;
  onHostBecause?: string;
}

export function measure({ output, source, arrivals, startedAt, gpuMemoryBytes, saved, onHostBecause }: Measurement): PreviewReport {
  const first = arrivals[0]!;
  const last = arrivals.at(-1)!;
  const intervals = arrivals.slice(1).map(({ at }, i) => at - arrivals[i]!.at);
  const { width, height, encoding, dropped } = last.info;
  return {
    version: 1,
    source: source.id,
    device: source.device,
    ...(onHostBecause ? { onHostBecause } : {}),
    output,
    frames: arrivals.length,
    fps: intervals.length > 0 ? round((intervals.length * 1000) / (last.at - first.at)) : null,
    firstPictureMs: round(first.at - startedAt),
    times: Object.fromEntries(STAGES.map((stage) => [stage, spread(arrivals.map(({ info }) => info.times[stage]))])) as PreviewReport['times'],
    drawn: drawnBy(arrivals),
    ...(last.info.drawn?.otherMs !== undefined && { otherPassMs: round(last.info.drawn.otherMs) }),
    interval: intervals.length > 0 ? spread(intervals) : null,
    dropped,
    bytesPerPicture: Math.round(arrivals.reduce((sum, { bytes }) => sum + bytes, 0) / arrivals.length),
    gpuMemoryBytes,
    picture: { width, height, encoding },
    ...(saved ? { saved } : {}),
  };
}

function drawnBy(arrivals: Arrival[]): PreviewReport['drawn'] {
  const of = (pass: ViewPass) => arrivals.flatMap(({ info }) => (info.drawn?.pass === pass ? [info.drawn.ms] : []));
  const passes = (['gpu', 'cpu'] as const).map((pass) => [pass, of(pass)] as const);
  return Object.fromEntries(passes.filter(([, ms]) => ms.length > 0).map(([pass, ms]) => [pass, { pictures: ms.length, ms: spread(ms).median }]));
}

export function reportText(report: PreviewReport): string {
  const { picture, saved } = report;
  const stages = STAGES.map((stage) => `${stage} ${report.times[stage].median}`).join(', ');
  return [
    `${report.source} "${report.output}" on ${placeOf(report.device)}`,
    ...(report.onHostBecause ? [`  drawn on the CPU: ${report.onHostBecause}`] : []),
    `  ${report.frames} pictures of ${picture.width}x${picture.height} ${picture.encoding}, ${Math.round(report.bytesPerPicture / 1024)} KiB each`,
    `  ${report.fps === null ? 'one picture: no rate' : `${report.fps} fps`}; first picture after ${report.firstPictureMs} ms; ${report.dropped} frames dropped`,
    `  median ms: ${stages}`,
    `  GPU memory beyond the scene: ${(report.gpuMemoryBytes / 2 ** 20).toFixed(1)} MiB`,
    ...(saved ? [`  saved the ${saved.content} of frame ${saved.frame} to ${saved.file} (${saved.bytes} bytes)`] : []),
  ].join('\n');
}

/** The passes of a source on the host run in the same threads as the source: said once. */
function placeOf(device: string): string {
  return device.replace(/^(host, \d+ threads?), host passes, \d+ threads?$/, '$1');
}

function spread(values: number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (q: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0);
  return { median: at(0.5), p95: at(0.95) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
