/** What crosses from one GPU to another: copies between CUDA devices, and what a driver does with memory that is imported on the wrong one. */
import type { DeviceSnapshot } from '../protocol/devices';
import type {
  SeamAcross,
  SeamCell,
  SeamCheck,
  SeamCrossing,
  SeamEvent,
  SeamJob,
  SeamPeerCopy,
  SeamPeers,
  SeamSettings,
  Skipped,
} from '../protocol/seamtest';
import { runCells } from './seamtest-cells';
import { describeEnd } from './seamtest-end';
import { baseCell, type SeamTarget } from './seamtest-plan';
import { runSeamProcess, type SeamProcessOptions } from './seamtest-process';

export interface AcrossOptions extends SeamProcessOptions {
  snapshot: DeviceSnapshot;
  settings: SeamSettings;
  onStep: (text: string) => void;
  signal?: AbortSignal;
}

const SILENCE_MS = 60_000;
const CROSSING_FRAMES = 20;
type MatchedTarget = SeamTarget & { cudaOrdinal: number };

const isMatched = (target: SeamTarget): target is MatchedTarget => target.cudaOrdinal !== undefined;

/** Steps that `testAcross` announces. */
export function acrossSteps(targets: SeamTarget[]): number {
  const matched = targets.filter(isMatched).length;
  return matched < 2 ? 0 : matched + matched * (matched - 1);
}

/** Undefined with fewer than two matched devices: nothing can cross. */
export async function testAcross(options: AcrossOptions, targets: SeamTarget[]): Promise<SeamAcross | undefined> {
  const matched = targets.filter(isMatched);
  if (matched.length < 2) return undefined;
  const copies: SeamPeerCopy[] = [];
  const crossings: SeamCrossing[] = [];
  const notMeasured: string[] = [];
  for (const from of matched) {
    options.onStep(`copies from CUDA ${from.cudaOrdinal}`);
    const peers = await peersOf(options, from);
    if ('skipped' in peers) notMeasured.push(`CUDA ${from.cudaOrdinal}: ${peers.skipped}`);
    else copies.push(...peers.rows.map((row) => ({ from: from.cudaOrdinal, ...row })));
  }
  for (const vulkan of matched)
    for (const cuda of matched)
      if (vulkan !== cuda) {
        options.onStep(`memory of ${vulkan.device.name} (Vulkan ${vulkan.device.index}) imported by CUDA ${cuda.cudaOrdinal}`);
        crossings.push(await cross(options, vulkan, cuda));
      }
  return { copies, crossings, notMeasured, words: wordsOf(crossings) };
}

async function peersOf(options: AcrossOptions, from: MatchedTarget): Promise<SeamPeers | Skipped> {
  let result: SeamPeers | Skipped | undefined;
  const cell = { ...baseCell(from, options.settings), warmup: 0, latencyFrames: 0 };
  const job: SeamJob = { kind: 'peers', parent: process.pid, device: { vulkanUuid: from.device.deviceUuid, cudaOrdinal: from.cudaOrdinal }, cell };
  const onEvent = (event: SeamEvent) => {
    if (event.event === 'peers') result = event.result;
    if (event.event === 'error') result = { skipped: event.error.message };
  };
  const end = await runSeamProcess(options, job, { onEvent, silenceMs: SILENCE_MS, ...(options.signal ? { signal: options.signal } : {}) });
  return result ?? { skipped: describeEnd(end, 'The measurement').message };
}

/** In a process of its own: what a driver does with a foreign descriptor is its affair. */
async function cross(options: AcrossOptions, vulkan: MatchedTarget, cuda: MatchedTarget): Promise<SeamCrossing> {
  const cell: SeamCell = { ...baseCell(vulkan, options.settings), frames: CROSSING_FRAMES, warmup: 0, latencyFrames: 0 };
  const device = { vulkanUuid: vulkan.device.deviceUuid, cudaOrdinal: cuda.cudaOrdinal };
  const hooks = { onCell: () => {}, ...(options.signal ? { signal: options.signal } : {}) };
  const { runs, problem } = await runCells(options, device, [cell], hooks);
  const [run] = runs;
  const which = { vulkanUuid: device.vulkanUuid, cudaOrdinal: device.cudaOrdinal };
  if (problem) return { ...which, outcome: 'refused', detail: problem.message };
  if (!run || 'skipped' in run) return { ...which, outcome: 'refused', detail: run && 'skipped' in run ? run.skipped : 'It did not run.' };
  if ('failed' in run) return { ...which, outcome: 'refused', detail: run.failed.message };
  const { framesWrong, usPerFrame } = run;
  const outcome = framesWrong === 0 ? 'worked' : 'wrong-frames';
  return { ...which, outcome, detail: `${framesWrong} of ${CROSSING_FRAMES} frames wrong, ${usPerFrame.toFixed(1)} us a frame` };
}

function wordsOf(crossings: SeamCrossing[]): string[] {
  const crossed = crossings.map(({ vulkanUuid, cudaOrdinal, outcome, detail }) => {
    const what = { refused: 'was refused', worked: 'worked', 'wrong-frames': 'gave WRONG FRAMES without any error' }[outcome];
    return `Memory of Vulkan ${vulkanUuid} imported by CUDA ${cudaOrdinal} ${what}: ${detail}`;
  });
  return [...crossed, 'Open a frame on the GPU that made it: match by UUID, never by index.'];
}

export function acrossCheck({ copies, notMeasured }: SeamAcross): SeamCheck {
  const wrong = copies.filter(({ wordsWrong }) => wordsWrong !== 0);
  const [problem] = notMeasured;
  const message =
    problem ??
    (wrong[0] ? `CUDA ${wrong[0].from} to CUDA ${wrong[0].ordinal}: ${wrong[0].wordsWrong} words wrong` : `${copies.length} pairs, every word right`);
  return { name: 'copies across devices', ok: wrong.length === 0 && notMeasured.length === 0, message };
}
