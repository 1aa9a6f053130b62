// The engine without an editor: start, device snapshots, and what one picture of the built-in scene costs before and after encoding.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function elapsed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function snapshots(dist) {
  const { EngineClient, localEngine } = require(path.join(dist, 'lazy-helper-engine-client.js'));
  const client = new EngineClient({ name: 'bench', launch: localEngine(path.join(dist, 'engine.js'), process.env) });
  const snapshot = () => elapsed(() => client.request('devices/snapshot', {}));
  const first = await snapshot();
  const later = [];
  for (let round = 0; round < 20; ++round) later.push(await snapshot());
  const polls = [];
  for (let round = 0; round < 20; ++round) polls.push(await client.request('devices/poll', {}));
  const { available, reason, gpus } = await client.request('devices/poll', { last: true });
  await client.dispose();
  // The first one opens NVML.
  const cost = (key) => median(polls.slice(1).map((poll) => poll.cost[key]));
  const note = available ? `${gpus.length} GPUs` : reason.code;
  return [
    { metric: 'engine start and first device snapshot', value: first, unit: 'ms' },
    { metric: 'device snapshot after the first', value: median(later), unit: 'ms', goal: '< 10' },
    { metric: 'poll of NVML: CPU time', value: cost('cpuMs'), unit: 'ms', goal: '< 5 on an H200', note },
    { metric: 'poll of NVML: time', value: cost('wallMs'), unit: 'ms', note },
  ];
}

function preview(dist, output, view, encoding) {
  const args = [
    'preview',
    '--source',
    'scene',
    '--output',
    output,
    '--frames',
    '200',
    '--size',
    view,
    '--view',
    view,
    '--encoding',
    encoding,
    '--json',
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(dist, 'cli.js'), ...args], { encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) throw new Error(`preview of ${output} at ${view}: ${stderr.trim()}`);
  return JSON.parse(stdout);
}

const passNames = { gpu: 'GPU', cpu: 'C++' };

/** Both view passes; the one that draws the last picture is the engine's choice. */
function passRows(name, drawn, otherMs) {
  const passes = Object.entries(drawn).map(([pass, { pictures, ms }]) => ({
    metric: `${name}: view pass, ${passNames[pass]}`,
    value: ms,
    unit: 'ms',
    note: `drew ${pictures} pictures`,
  }));
  if (passes.length !== 1 || otherMs === undefined) return passes;
  const other = drawn.gpu ? 'cpu' : 'gpu';
  return [...passes, { metric: `${name}: view pass, ${passNames[other]}`, value: otherMs, unit: 'ms', note: 'measured aside, drew none' }];
}

/** The rate before encoding is a limit: what the medians of rendering, statistics, view pass and read-back leave room for. */
function rows(dist, output, view) {
  const { times, fps, gpuMemoryBytes, device, drawn, otherPassMs } = preview(dist, output, view, 'jpeg');
  const before = times.render.median + times.ingest.median + times.view.median;
  const name = `${output} ${view}`;
  return [
    { metric: `${name}: render, ingest, view and read-back`, value: before, unit: 'ms', note: device },
    { metric: `${name}: rate before encoding`, value: 1000 / before, unit: 'fps', ...(view === '1920x1080' && { goal: '>= 500 on an H200' }) },
    ...passRows(name, drawn, otherPassMs),
    { metric: `${name}: JPEG encoding`, value: times.encode.median, unit: 'ms' },
    { metric: `${name}: pictures that reached the client`, value: fps, unit: 'fps', note: `${((fps * before) / 10).toFixed(0)} % of the limit` },
    { metric: `${name}: GPU memory beyond the scene's images`, value: gpuMemoryBytes / 2 ** 20, unit: 'MiB', goal: '<= 120' },
  ];
}

function pictures(client, viewId, count) {
  return new Promise((resolve, reject) => {
    const got = [];
    const timer = setTimeout(() => reject(new Error(`${got.length} of ${count} pictures came within 60 s`)), 60_000);
    client.on('picture', function take({ info }) {
      got.push(info);
      if (got.length < count) return client.grant(viewId, 1);
      clearTimeout(timer);
      client.off('picture', take);
      resolve(got);
    });
    client.grant(viewId, 1);
  });
}

/** Full-frame statistics of 3840x2160 f16, without and with the histogram and mean that a panel asks for. */
async function statistics(dist, device) {
  const { EngineClient, localEngine } = require(path.join(dist, 'lazy-helper-engine-client.js'));
  const client = new EngineClient({ name: 'bench', launch: localEngine(path.join(dist, 'engine.js'), process.env) });
  const size = { width: 3840, height: 2160 };
  const look = { exposure: 0, gamma: 1, toneMap: 'none', falseColor: 'none', range: null, channelMask: 15 };
  const marks = { flipY: false, swapRb: false, overlayNan: true, overlayClip: false };
  const rate = { encoding: 'rgba', jpegQuality: 80, maxRate: 1000 };
  const view = { output: 'hdr', width: 64, height: 36, rect: { x: 0, y: 0, ...size }, ...look, ...marks, ...rate };
  const { viewId, source } = await client.request('view/open', { source: 'scene', device, size, view });
  const plain = (await pictures(client, viewId, 8)).slice(2);
  await client.request('view/update', { viewId, view: { wantHistogram: true } });
  const counted = (await pictures(client, viewId, 40)).filter(({ frame, histogram }) => histogram?.frame === frame).slice(1);
  await client.dispose();
  const row = (what, infos, goal) => ({
    metric: `hdr 3840x2160: ${what}`,
    value: median(infos.map(({ times }) => times.ingest)),
    unit: 'ms',
    note: source.device,
    ...(goal && { goal }),
  });
  return [row('statistics', plain, '<= 1 on an H200'), row('statistics, histogram and mean', counted)];
}

export default {
  title: 'Engine',
  async run({ dist }) {
    return [
      ...(await snapshots(dist)),
      ...rows(dist, 'color', '960x540'),
      ...rows(dist, 'color', '1920x1080'),
      ...rows(dist, 'hdr', '1920x1080'),
      ...rows(dist, 'depth', '1920x1080'),
      ...(await statistics(dist, 'auto')),
    ];
  },
};
