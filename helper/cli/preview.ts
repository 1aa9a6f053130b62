/** `seamscope preview`: the preview's whole way but the panel, measured. */

import path from 'node:path';
import process from 'node:process';
import { type EngineClient, UserError } from '../engine/client';
import { findHubEngine } from '../engine/hub-engine';
import { EngineErrorCode } from '../protocol/errors';
import type { OutputDescription, OutputKind, SourceDescription, ViewParams } from '../protocol/frames';
import type { Picture } from '../protocol/picture-assembler';
import { publisherFolder } from '../protocol/publisher-folder';
import { engineEnded, LEAVE_OUT_GPU } from './engine-ended';
import { complain, print, printJson } from './output';
import { type PreviewOptions, parsePreviewOptions } from './preview-options';
import { findPublisher } from './preview-publisher';
import { type Arrival, measure, type PreviewReport, reportText } from './preview-report';
import { saveFrame } from './preview-save';
import { ProgressLine } from './progress-line';
import { checkTarget } from './target-file';
import { withEngine } from './with-engine';

/** Pictures under way at once, as a panel grants them. */
const CREDITS = 2;
const PICTURE_TIMEOUT_MS = 15_000;
/** The picture of the last frame of a program that has ended may still be on its way. */
const LAST_PICTURE_MS = 300;
const FILES = 'files:';
const CHECK_FILES = 'Check that the folder has image files that can be read, or that some are written meanwhile.';
const PUBLISH_MORE = 'Let the program publish more often than once, or wait longer with --wait SECONDS.';

/** How long no picture may come, and what to do then. */
interface Silence {
  ms: number;
  step: string;
  /** What is said when not a single picture came. */
  nothing?: string;
  /** What the program says of the output meanwhile. */
  reason?: () => Promise<string>;
}

export async function runPreview(args: string[], dir: string): Promise<number> {
  const options = parsePreviewOptions(args);
  if (options.out) checkTarget(options.out, '--out');
  for (const option of options.ignored ?? []) complain(`${option} is for the built-in scene and ignored here: ${options.source} comes as it is.`);
  // Programs that publish already do so to the engine that runs.
  const publishes = options.source !== 'scene' && !options.source.startsWith(FILES);
  const running = !publishes ? null : await findHubEngine(publisherFolder(process.env, process.getuid?.() ?? 0));
  const report = await withEngine(dir, (client) => preview(client, options, running !== null), running);
  if (options.json) printJson(report);
  else print(reportText(report));
  return 0;
}

/** Listens for failures from the start: a view may fail before the reply that names it has been handled. */
async function preview(client: EngineClient, options: PreviewOptions, isShared: boolean): Promise<PreviewReport> {
  const usesDevice = options.source === 'scene' && options.device !== 'host';
  const failure = new Promise<never>((_, reject) => {
    client.on('viewFailed', ({ message, nextStep }) => reject(new UserError(message, nextStep)));
    client.on('stopped', ({ end }) => reject(engineEnded(end, { isShared, usesDevice })));
  });
  return Promise.race([failure, openAndMeasure(client, options)]);
}

async function openAndMeasure(client: EngineClient, options: PreviewOptions): Promise<PreviewReport> {
  const startedAt = performance.now();
  const { device } = options;
  const { id, output: name, size } = await choose(client, options);
  const opened = await client.request('view/open', { source: id, device, size: options.size, view: viewOf(options, name, size) });
  const { viewId } = opened;
  const described = opened.source.outputs.find((each) => each.name === name) ?? opened.source.outputs[0];
  const view = described ? { ...(id.startsWith(FILES) ? wholeOf(described) : {}), ...lookOf(described.kind) } : {};
  await client.request('view/update', { viewId, view });
  const silent =
    opened.source.kind === 'publisher'
      ? {
          ms: Math.max(PICTURE_TIMEOUT_MS, options.waitMs),
          step: PUBLISH_MORE,
          nothing: neverPublished(opened.source.label, name),
          reason: () => reasonOf(client, id, name),
        }
      : { ms: PICTURE_TIMEOUT_MS, step: opened.source.kind === 'scene' ? LEAVE_OUT_GPU : CHECK_FILES };
  const arrivals = await receive(client, viewId, options.frames, id, silent);
  if (arrivals.length < options.frames) complain(`The program ended; ${arrivals.length} of ${options.frames} pictures came.`);
  const { gpuMemoryBytes } = await client.request('stats', {});
  const source = await describe(client, id, opened.source);
  const output = source.outputs.find((each) => each.name === arrivals.at(-1)?.info.output);
  const saved = options.out && output ? await saveFrame(client, viewId, output, options.out, silent.step) : undefined;
  const onHostBecause = options.device === 'auto' && source.device.startsWith('host,') ? await whyNoVulkan(client) : undefined;
  return measure({
    output: output?.name ?? name,
    source,
    arrivals,
    startedAt,
    gpuMemoryBytes,
    ...(saved ? { saved } : {}),
    ...(onHostBecause ? { onHostBecause } : {}),
  });
}

/** Undefined when Vulkan lists devices: then it is not Vulkan that is missing. */
async function whyNoVulkan(client: EngineClient): Promise<string | undefined> {
  const { vulkan } = await client.request('devices/snapshot', {});
  return vulkan.reason && `${vulkan.reason.message} ${vulkan.reason.nextStep}`;
}

interface Choice {
  id: string;
  output: string;
  size: { width: number; height: number };
}

async function choose(client: EngineClient, options: PreviewOptions): Promise<Choice> {
  if (options.source === 'scene') return { id: 'scene', output: options.output ?? 'color', size: options.size };
  // What is in the files is known once they are open.
  if (options.source.startsWith(FILES)) {
    const pattern = path.resolve(options.source.slice(FILES.length));
    return { id: FILES + pattern, output: options.output ?? '*', size: options.size };
  }
  const { source, output } = await findPublisher(client, options);
  return { id: source.id, output: output.name, size: { width: Math.max(output.width, 1), height: Math.max(output.height, 1) } };
}

/** The whole image of a source whose size was not known before it was opened. */
function wholeOf({ width, height }: OutputDescription): Partial<ViewParams> {
  return { rect: { x: 0, y: 0, width: Math.max(width, 1), height: Math.max(height, 1) } };
}

/** A publisher's description is more than what it was before its first frame. */
async function describe(client: EngineClient, id: string, before: SourceDescription): Promise<SourceDescription> {
  if (before.kind !== 'publisher') return before;
  const now = (await client.request('sources/list', {})).find((source) => source.id === id);
  return now ? { ...now, device: before.device.includes(now.device) ? before.device : now.device } : before;
}

function viewOf({ view, encoding, rate: maxRate }: PreviewOptions, output: string, size: Choice['size']): ViewParams {
  const look = { exposure: 0, gamma: 1, toneMap: 'none', falseColor: 'none', range: null, channelMask: 15 } as const;
  const marks = { flipY: false, swapRb: false, overlayNan: true, overlayClip: false };
  const rate = { encoding, jpegQuality: 80, maxRate };
  return { output, ...view, rect: { x: 0, y: 0, ...size }, ...look, ...marks, ...rate };
}

/** The look that makes each kind of output readable; what a panel chooses as well. */
function lookOf(kind: OutputKind): Partial<ViewParams> {
  const looks: Partial<Record<OutputKind, Partial<ViewParams>>> = {
    hdr: { toneMap: 'aces' },
    depth: { falseColor: 'turbo' },
    id: { falseColor: 'ids' },
    normal: { falseColor: 'normal' },
    motion: { falseColor: 'motion' },
  };
  return looks[kind] ?? {};
}

/** A program that ends leaves what it has shown. */
function receive(client: EngineClient, viewId: number, frames: number, source: string, silent: Silence): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  const progress = new ProgressLine();
  return new Promise<Arrival[]>((resolve, reject) => {
    const giveUp = async () => reject(silence(arrivals.length, frames, silent, await silent.reason?.().catch(() => '')));
    const timer = setTimeout(giveUp, silent.ms).unref();
    const finish = () => {
      clearTimeout(timer);
      client.off('picture', take);
      client.off('sourcesChanged', look);
      resolve(arrivals);
    };
    const look = async () => {
      const sources = await client.request('sources/list', {}).catch(() => []);
      if (arrivals.length > 0 && sources.some(({ id, state }) => id === source && state === 'gone')) setTimeout(finish, LAST_PICTURE_MS);
    };
    function take({ info, bytes }: Picture) {
      // The same frame once more: without loss as it is at rest, or as a view that has changed shows it.
      if (info.lossless || info.frame === arrivals.at(-1)?.info.frame) return client.grant(viewId, 1);
      arrivals.push({ info, bytes: bytes.length, at: performance.now() });
      timer.refresh();
      progress.show(() => `${arrivals.length} of ${frames} pictures`);
      if (arrivals.length + CREDITS <= frames) client.grant(viewId, 1);
      if (arrivals.length >= frames) finish();
    }
    client.on('picture', take);
    client.on('sourcesChanged', look);
    client.grant(viewId, Math.min(CREDITS, frames));
  }).finally(() => progress.clear());
}

/** Frames are only copied while somebody watches: what was published before cannot be shown. */
const neverPublished = (label: string, output: string) => `"${label}" has the output "${output}", and published no frame of it since this watches`;

/** Such as a frame without a size: nothing that waiting would mend. */
async function reasonOf(client: EngineClient, id: string, name: string): Promise<string> {
  const source = (await client.request('sources/list', {})).find((each) => each.id === id);
  return source?.outputs.find((each) => each.name === name)?.note ?? '';
}

function silence(got: number, wanted: number, { ms, step, nothing }: Silence, reason = ''): UserError {
  const said = reason && ` ${reason}`;
  if (got === 0 && nothing) return new UserError(`${nothing}, ${ms / 1000} s.${said}`, step, EngineErrorCode.timedOut);
  return new UserError(`No picture came within ${ms / 1000} s; ${got} of ${wanted} did.${said}`, step, EngineErrorCode.timedOut);
}
