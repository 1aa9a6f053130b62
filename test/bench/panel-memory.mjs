// Memory over many pictures: what is alive after a collection of garbage, and what each process holds.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { workbenchNode } from '../../scripts/lib/paths.mjs';

const beside = (name) => fileURLToPath(new URL(name, import.meta.url));
const answerMs = 20_000;
const samples = 10;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const mib = (bytes) => bytes / 2 ** 20;
const aliveIn = ({ heapUsed, external }) => mib(heapUsed + external);

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @returns how extension host (inspectPort) and engine (settings) are to be started so that they can be asked. */
export async function askable() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-heaps-'));
  const environment = { NODE_OPTIONS: `--require=${beside('heap-hook.cjs')}`, SEAMSCOPE_HEAPS: folder };
  const settings = { 'seamscope.engine.environment': environment };
  return { folder, settings, inspectPort: await freePort(), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** MiB alive in the engine, its buffers included. Undefined: it does not answer. */
async function engineHeap(panel, folder) {
  const [pid] = panel.pids('engine');
  const file = path.join(folder, `${pid}.json`);
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (const end = Date.now() + answerMs; !existsSync(file); await pause(20)) if (Date.now() > end) return undefined;
  return aliveIn(JSON.parse(readFileSync(file, 'utf8')));
}

async function hostHeap(port) {
  const { stdout } = await promisify(execFile)(workbenchNode, [beside('collect-garbage.mjs'), String(port)], { timeout: answerMs });
  return aliveIn(JSON.parse(stdout));
}

/** MiB alive in the page and its frames, the pixels behind their objects included. */
async function pageHeap(session) {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
  return mib(usedSize + embedderHeapUsedSize + backingStorageSize);
}

async function sample(panel, session, { folder, inspectPort }) {
  const live = {
    'page of the browser': await pageHeap(session),
    'extension host': await hostHeap(inspectPort),
    engine: await engineHeap(panel, folder),
  };
  const held = Object.fromEntries(Object.entries(panel.roles()).map(([role, each]) => [role, each.mib]));
  return { live, held };
}

/** MiB a thousand pictures, by least squares. */
function slope(points) {
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(({ count }) => count), mean(({ value }) => value)];
  const above = points.reduce((sum, { count, value }) => sum + (count - x) * (value - y), 0);
  const below = points.reduce((sum, { count }) => sum + (count - x) ** 2, 0);
  return (above / below) * 1000;
}

function rowsOf(taken, kind, words) {
  const roles = Object.keys(taken.at(-1)[kind]);
  return roles.map((role) => {
    const points = taken.flatMap(({ count, ...each }) => (each[kind][role] === undefined ? [] : [{ count, value: each[kind][role] }]));
    const half = points.slice(Math.floor(points.length / 2));
    const growth = [points.slice(0, Math.ceil(points.length / 2)), half].map((part) => slope(part).toFixed(2)).join(', then ');
    const series = points.map(({ value }) => value.toFixed(0)).join(' ');
    return { metric: `${words}: ${role}`, value: points.at(-1).value, unit: 'MiB', goal: 'flat', note: `${growth} MiB a 1000 pictures; ${series}` };
  });
}

/** Watches until so many pictures are drawn, or so many milliseconds are over. */
export async function watchMemory(panel, ways, { pictures, limitMs }) {
  const session = await panel.page.context().newCDPSession(panel.page);
  const taken = [];
  let count = 0;
  await panel.take();
  for (const end = performance.now() + limitMs; count < pictures && performance.now() < end; ) {
    await pause(500);
    count += (await panel.take()).length;
    if (count >= ((taken.length + 1) * pictures) / samples) taken.push({ count, ...(await sample(panel, session, ways)) });
  }
  if (taken.length < 4) return [{ metric: 'pictures that memory was watched for', value: count, unit: '', note: 'too few to tell' }];
  return [...rowsOf(taken, 'live', `alive after ${count} pictures`), ...rowsOf(taken, 'held', `held after ${count} pictures`)];
}
