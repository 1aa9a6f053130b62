// A program that publishes 1920x1080 frames from host memory, over the hub: latency to the client, rate of the engine, memory over 10,000
// frames; and the same frames as raw RGBA over the same channel, in the same run.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { buildPublisher, startPublisher } from './hub-publisher.mjs';

const require = createRequire(import.meta.url);
const CREDITS = 2;
const FLAT_FRAMES = 10_000;
/** Large enough for a busy machine, small enough for the run's own limit. */
const FLAT_LIMIT_MS = 120_000;

const sorted = (values) => [...values].sort((a, b) => a - b);
const at = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN;
const median = (values) => at(values, 0.5);

async function published(client) {
  const deadline = performance.now() + 20_000;
  while (performance.now() < deadline) {
    const source = (await client.request('sources/list', {})).find(
      ({ label, outputs, state }) => label === 'hub-bench' && state === 'live' && outputs.length > 0,
    );
    if (source) return source;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the publisher did not appear');
}

function viewOf(width, height, encoding) {
  const look = { exposure: 0, gamma: 1, toneMap: 'none', falseColor: 'none', range: null, channelMask: 15, flipY: false, swapRb: false };
  const rect = { x: 0, y: 0, width: 1920, height: 1080 };
  return { output: 'color', width, height, rect, ...look, overlayNan: true, overlayClip: false, encoding, jpegQuality: 80, maxRate: 1000 };
}

/** Pictures as they come, each with its age: both clocks are CLOCK_MONOTONIC. */
async function watch(client, view, frames, limitMs = 20_000, onPicture = () => {}) {
  const source = await published(client);
  const { viewId } = await client.request('view/open', { source: source.id, view });
  const pictures = [];
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => (pictures.length > 0 ? finish() : reject(new Error('no picture came'))), limitMs);
    function finish() {
      clearTimeout(timer);
      client.off('picture', take);
      resolve();
    }
    function take({ info, bytes }) {
      const now = Number(process.hrtime.bigint()) / 1e6;
      pictures.push({ age: now - info.producedAt, at: now, bytes: bytes.length, times: info.times, frame: info.frame });
      onPicture(pictures.length);
      client.grant(viewId, 1);
      if (pictures.length >= frames) finish();
    }
    client.on('picture', take);
    client.grant(viewId, CREDITS);
  });
  await client.request('view/close', { viewId });
  return pictures;
}

const rate = (pictures) => ((pictures.length - 1) * 1000) / (pictures.at(-1).at - pictures[0].at);

function rowsOf(name, pictures) {
  const ages = pictures.slice(5).map(({ age }) => age);
  return [
    { metric: `${name}: publish to picture, median`, value: median(ages), unit: 'ms' },
    { metric: `${name}: publish to picture, p95`, value: at(ages, 0.95), unit: 'ms', goal: '< 80' },
    { metric: `${name}: pictures that reached the client`, value: rate(pictures), unit: 'fps' },
    { metric: `${name}: bytes of a picture`, value: median(pictures.map(({ bytes }) => bytes)) / 1024, unit: 'KiB' },
  ];
}

function residentMiB(pid) {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 2 ** 20;
}

async function flatMemory(client, pid) {
  const samples = [];
  const pictures = await watch(client, viewOf(240, 135, 'jpeg'), FLAT_FRAMES, FLAT_LIMIT_MS, (count) => {
    if (count % 500 === 0) samples.push(residentMiB(pid));
  });
  const settled = samples.slice(1);
  return [
    { metric: 'memory of the engine after 1,000 pictures', value: settled[0] ?? Number.NaN, unit: 'MiB' },
    { metric: `memory of the engine after ${pictures.length} pictures`, value: settled.at(-1) ?? Number.NaN, unit: 'MiB', goal: 'flat' },
    {
      metric: 'frames that went backwards',
      value: pictures.filter(({ frame }, i) => i > 0 && frame < pictures[i - 1].frame).length,
      unit: '',
      goal: '0',
    },
  ];
}

export default {
  title: 'Hub (a 1920x1080 RGBA8 publisher in host memory)',
  async run({ root, dist }) {
    const program = buildPublisher(root);
    if (!program) return [];
    const { EngineClient, localEngine } = require(path.join(dist, 'lazy-helper-engine-client.js'));
    const client = new EngineClient({ name: 'bench', launch: localEngine(path.join(dist, 'engine.js'), process.env) });
    const { socket } = await client.request('publishers/configure', { enabled: true });
    const timed = async (args, view, frames) => {
      const publisher = startPublisher(program, args, socket);
      const pictures = await watch(client, view, frames);
      return { pictures, ...(await publisher.stop()) };
    };
    try {
      const steady = await timed([1920, 1080, 60], viewOf(960, 540, 'jpeg'), 300);
      const raw = await timed([1920, 1080, 60], viewOf(960, 540, 'rgba'), 300);
      const fast = await timed([1920, 1080], viewOf(1920, 1080, 'jpeg'), 200);
      const stages = (stage) => median(fast.pictures.map(({ times }) => times[stage] ?? 0));
      const before = stages('render') + stages('ingest') + stages('view');
      const rows = [
        ...rowsOf('60 fps, 960x540 JPEG', steady.pictures),
        ...rowsOf('60 fps, 960x540 raw RGBA', raw.pictures),
        { metric: '1920x1080: copy, statistics and view', value: before, unit: 'ms' },
        { metric: '1920x1080: rate before encoding', value: 1000 / before, unit: 'fps', goal: '>= 500 on an H200' },
        { metric: '1920x1080: JPEG encoding', value: stages('encode'), unit: 'ms' },
        { metric: 'cost of a publish to the program, mean', value: fast.meanMs * 1000, unit: 'us' },
      ];
      const publisher = startPublisher(program, [1920, 1080, 240], socket);
      rows.push(...(await flatMemory(client, client.pid)));
      await publisher.stop();
      // Kept frames are 512 MiB of what was there while somebody watched.
      await new Promise((resolve) => setTimeout(resolve, 1000));
      rows.push({ metric: 'memory of the engine once nobody watches', value: residentMiB(client.pid), unit: 'MiB' });
      return rows;
    } finally {
      await client.dispose();
    }
  },
};
