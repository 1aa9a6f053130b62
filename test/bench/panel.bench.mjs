// The way of frames to the eye: a program with 1920x1080 frames in host memory, the served workbench in headless Chromium, a panel with a canvas of
// 960x540. Rate and age at the canvas, what each process pays for a picture, memory over 10,000 pictures; and the same frames as raw RGBA.
//   SEAMSCOPE_BENCH_PICTURES  how many pictures memory is watched for, 10,000 by default
import os from 'node:os';
import { buildPublisher, startPublisher } from './hub-publisher.mjs';
import { openPanel } from './panel.mjs';
import { askable, watchMemory } from './panel-memory.mjs';
import { measurePeer } from './panel-peer.mjs';

const size = { width: 960, height: 540 };
const secondsMs = 12_000;
const pictures = Number(process.env.SEAMSCOPE_BENCH_PICTURES ?? 10_000);
/** Ten pictures a second would be a failure of its own. */
const flatLimitMs = pictures * 100;

const at = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN;
const median = (values) => at(values, 0.5);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Milliseconds that the wall clock is ahead of the monotonic one, by which programs and engine count. */
const ahead = () => Date.now() - Number(process.hrtime.bigint()) / 1e6;

async function open(root, program, movingPictures, heaps) {
  const settings = {
    'seamscope.preview.maxRate': 240,
    'seamscope.publishers.maxRate': 240,
    'seamscope.preview.movingPictures': movingPictures,
    'seamscope.preview.historyBudget': 64,
    ...heaps.settings,
  };
  return openPanel({ root, settings, size, inspectPort: heaps.inspectPort, source: (socket) => startPublisher(program, [1920, 1080, 60], socket) });
}

/** What is drawn in some seconds, and the processor time of each process meanwhile. */
async function measure(panel) {
  await pause(3000);
  await panel.take();
  const before = panel.roles();
  const begin = performance.now();
  await pause(secondsMs);
  const drawn = (await panel.take()).filter(({ lossless }) => !lossless);
  const seconds = (performance.now() - begin) / 1000;
  const after = panel.roles();
  const cpu = Object.fromEntries(Object.keys(after).map((role) => [role, ((after[role].cpu - before[role].cpu) / Math.max(drawn.length, 1)) * 1000]));
  return { drawn, seconds, cpu };
}

function rowsOf(name, { drawn, seconds, cpu }) {
  const offset = ahead();
  const ages = drawn.map((each) => each.at - each.producedAt - offset);
  const stage = (label, of) => {
    const p95 = at(drawn.map(of), 0.95).toFixed(1);
    return { metric: `${name}: ${label}, median`, value: median(drawn.map(of)), unit: 'ms', note: `p95 ${p95}` };
  };
  const inEngine = ({ times }) => (times.handoff ?? 0) + times.ingest + times.view + times.encode;
  return [
    { metric: `${name}: rate at the canvas`, value: drawn.length / seconds, unit: 'fps', goal: '>= 40' },
    { metric: `${name}: publish to canvas, median`, value: median(ages), unit: 'ms' },
    { metric: `${name}: publish to canvas, p95`, value: at(ages, 0.95), unit: 'ms', goal: '< 80' },
    stage('until the engine has it', ({ times }) => times.handoff ?? 0),
    stage('statistics', ({ times }) => times.ingest),
    stage('view pass', ({ times }) => times.view),
    stage('encoding', ({ times }) => times.encode),
    stage('on the way to the panel', (each) => each.arrivedAt - each.producedAt - offset - inEngine(each)),
    stage('decoding', (each) => each.decodedAt - each.arrivedAt),
    stage('drawing', (each) => each.at - each.decodedAt),
    ...Object.entries(cpu).map(([role, ms]) => ({ metric: `${name}: processor time of a picture, ${role}`, value: ms, unit: 'ms' })),
  ];
}

const load = () => ({ metric: 'load average of the machine', value: os.loadavg()[0], unit: '', note: `${os.cpus().length} processors` });

export default {
  title: 'Panel (1920x1080 host memory into a canvas of 960x540, served workbench)',
  needs: ['workbench'],
  // Two starts of the workbench, on a machine that may be busy.
  limitMs: 2 * 300_000 + flatLimitMs,
  async run({ root }) {
    const program = buildPublisher(root);
    if (!program) return [];
    const heaps = await askable();
    const rows = [load(), ...measurePeer(root)];
    for (const [name, kind] of [
      ['JPEG', 'jpeg'],
      ['raw RGBA', 'exact'],
    ]) {
      const panel = await open(root, program, kind, heaps);
      try {
        rows.push(...rowsOf(name, await measure(panel)));
        if (kind === 'jpeg' && pictures > 0) rows.push(...(await watchMemory(panel, heaps, { pictures, limitMs: flatLimitMs })));
      } finally {
        await panel.program.stop().catch(() => {});
        await panel.close();
      }
    }
    heaps.remove();
    return [...rows, { ...load(), metric: 'load average at the end' }];
  },
};
