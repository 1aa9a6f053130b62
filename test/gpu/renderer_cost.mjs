#!/usr/bin/env node
// What watching costs a renderer that keeps its GPU busy, measured in one process in turns: between any two blocks of another kind lies one in
// which nobody watches, and each block is compared with its two neighbours. Prints medians of the slowdown with 95 % intervals.
//
//   node gpu/renderer_cost.mjs [--api cuda,vulkan] [--rounds 12] [--seconds 0.8] [--size 1920x1080] [--ms 4] [--json FILE] [--program FILE]
//
// SEAMSCOPE_DIST names the folder of the build. Exit code 1 when something could not be measured; numbers are never judged.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { EngineClient, localEngine } from '../../helper/engine/client';
import { decide, medianInterval } from './statistics.mjs';

const SETTLE_S = 20;
const ANSWER_MS = 60_000;
const GOAL = 1;
const look = { exposure: 0, gamma: 1, toneMap: 'none', falseColor: 'none', range: null, channelMask: 15, flipY: false, swapRb: false };

/** `rate`: of a viewer. `command`: what the renderer does in the block. */
const kinds = [
  { name: 'no publisher in the loop', command: 'plain' },
  { name: 'watched, 30 previews a second', command: 'publish', rate: 30, goal: GOAL },
  { name: 'watched, at full rate', command: 'publish', rate: 1000 },
  { name: 'synchronous copy to the host, 30 a second', command: 'copy', copies: 30 },
  { name: 'synchronous copy to the host, every frame', command: 'copy' },
];

/** The program, one command and one answer at a time. */
class Program {
  constructor(file, args, env) {
    this.child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.child.stdin.on('error', () => {});
  }
  async answer(limitMs = ANSWER_MS) {
    const timer = setTimeout(() => this.child.kill('SIGKILL'), limitMs);
    const { value, done } = await this.lines.next();
    clearTimeout(timer);
    if (done) throw new Error('the renderer ended or gave no answer in time');
    const answer = JSON.parse(value);
    if (answer.error) throw new Error(answer.error);
    return answer;
  }
  ask(command) {
    this.child.stdin.write(`${command}\n`);
    return this.answer();
  }
  async end() {
    const ended = new Promise((resolve) => this.child.once('close', resolve));
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(timer);
  }
}

class Bench {
  constructor(options, folder) {
    this.options = options;
    this.env = { ...process.env, XDG_RUNTIME_DIR: folder };
    this.pictures = 0;
  }
  async startEngine() {
    this.client = new EngineClient({ name: 'bench', launch: localEngine(path.join(process.env.SEAMSCOPE_DIST, 'engine.js'), this.env) });
    this.client.on('picture', ({ info }) => {
      this.pictures++;
      this.client.grant(info.viewId, 1);
    });
    const { socket } = await this.client.request('publishers/configure', { enabled: true, name: 'renderer-cost' });
    this.env.SEAMSCOPE_SOCKET = socket;
  }
  async startProgram(api) {
    const { size, ms, program } = this.options;
    this.program = new Program(program, [api, size, ms], this.env);
    return this.program.answer();
  }
  view(rate) {
    const [width, height] = this.options.size.split('x').map(Number);
    const overlays = { overlayNan: true, overlayClip: false, overlayInf: false, overlayNegative: false };
    const shown = { output: 'color', width: 960, height: 540, rect: { x: 0, y: 0, width, height } };
    return { ...shown, ...look, ...overlays, encoding: 'jpeg', jpegQuality: 80, maxRate: rate };
  }
  async source() {
    const found = (await this.client.request('sources/list', {})).find(({ label, state }) => label === 'renderer' && state === 'live');
    if (!found) throw new Error('the renderer is not among the sources');
    return found;
  }
  async settle(state) {
    const { settled } = await this.program.ask(`settle ${state} ${SETTLE_S}`);
    if (!settled) throw new Error(`the output was not ${state} within ${SETTLE_S} s`);
  }
  /** One block, with a viewer for its time when the kind has one. */
  async block({ command, rate, copies }) {
    const words = `${command} ${this.options.seconds}${copies ? ` ${copies}` : ''}`;
    if (!rate) return this.program.ask(words);
    const { id } = await this.source();
    const { viewId } = await this.client.request('view/open', { source: id, view: this.view(rate) });
    this.client.grant(viewId, 2);
    await this.settle('published');
    const before = this.pictures;
    const answer = await this.program.ask(words);
    answer.pictures = this.pictures - before;
    answer.path = (await this.source()).outputs[0]?.path;
    await this.client.request('view/close', { viewId });
    await this.settle('unwatched');
    return answer;
  }
}

const rate = ({ frames, seconds }) => frames / seconds;
const idle = { command: 'publish' };

/** Adds the slowdown in per cent against the neighbours, and the milliseconds of GPU time that one preview or copy took. */
function compare(before, block, after) {
  const alone = (rate(before) + rate(after)) / 2;
  const slowdown = 100 * (1 - rate(block) / alone);
  const times = block.published || block.copied;
  return { ...block, alone, slowdown, eachMs: times ? (block.seconds - block.frames / alone) * (1000 / times) : Number.NaN };
}

async function measure(bench, api) {
  const { device, frameMs } = await bench.startProgram(api);
  console.log(`${api}: ${device}, ${bench.options.size}, ${frameMs.toFixed(2)} ms a frame, blocks of ${bench.options.seconds} s`);
  const blocks = kinds.map(() => []);
  const drift = [];
  // Time to connect; the GPU gets warm meanwhile.
  await bench.program.ask('publish 2');
  let before = await bench.block(idle);
  for (let round = 0; round < bench.options.rounds; ++round)
    for (const [index, kind] of kinds.entries()) {
      const block = await bench.block(kind);
      const after = await bench.block(idle);
      blocks[index].push(compare(before, block, after));
      drift.push(100 * (1 - rate(after) / rate(before)));
      before = after;
    }
  await bench.program.end();
  return { api, device, frameMs, drift: medianInterval(drift.map(Math.abs)), kinds: kinds.map((kind, index) => summary(kind, blocks[index])) };
}

function summary({ name, goal }, blocks) {
  const of = (key) => medianInterval(blocks.map((block) => block[key]).filter(Number.isFinite));
  const perSecond = medianInterval(blocks.map(({ published, copied, seconds }) => (published || copied) / seconds));
  const shown = medianInterval(blocks.map(({ pictures = 0, seconds }) => pictures / seconds));
  return { name, goal, slowdown: of('slowdown'), eachMs: of('eachMs'), perSecond, shown, publishUs: of('publishUs'), path: blocks.at(-1).path };
}

const spread = ({ median, low, high }, unit, digits = 2) => `${median.toFixed(digits)} ${unit} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;

function print({ drift, kinds: rows }) {
  console.log(`  blocks without a viewer differ from the next by ${spread(drift, '%')}`);
  for (const { name, goal, slowdown, eachMs, perSecond, shown, publishUs, path: taken } of rows) {
    const parts = [`slower by ${spread(slowdown, '%')}`];
    if (goal !== undefined) parts.push(`at most ${goal} %: ${decide(slowdown, goal)}`);
    if (Number.isFinite(eachMs.median)) parts.push(`${perSecond.median.toFixed(0)} a second, each ${spread(eachMs, 'ms', 3)} of the GPU`);
    if (shown.median > 0) parts.push(`${shown.median.toFixed(0)} pictures a second, ${publishUs.median.toFixed(1)} us of CPU a publish`);
    if (taken) parts.push(taken);
    console.log(`  ${name.padEnd(44)} ${parts.join('; ')}`);
  }
}

function parse() {
  const here = import.meta.dirname;
  const text = (value) => ({ type: 'string', default: value });
  const { values } = parseArgs({
    options: {
      ...{ api: text('cuda,vulkan'), rounds: text('12'), seconds: text('0.8'), size: text('1920x1080'), ms: text('4') },
      ...{ json: { type: 'string' }, program: text(path.join(here, '../native/examples/renderer')) },
    },
  });
  if (!process.env.SEAMSCOPE_DIST) throw new Error('SEAMSCOPE_DIST must name the folder of the build.');
  if (!existsSync(values.program)) throw new Error(`${values.program} is not there: it is built with the native tests.`);
  return { ...values, program: path.resolve(values.program), rounds: Number(values.rounds) };
}

async function main() {
  const options = parse();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-cost-'));
  const bench = new Bench(options, folder);
  const results = [];
  let failed = 0;
  try {
    await bench.startEngine();
    for (const api of options.api.split(','))
      try {
        const result = await measure(bench, api);
        print(result);
        results.push(result);
      } catch (error) {
        failed++;
        console.log(`${api}: not measured: ${error.message}`);
        bench.program?.child.kill('SIGKILL');
      }
  } finally {
    await bench.client?.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ machine: os.cpus()[0]?.model, cores: os.cpus().length, results }, null, 2)}\n`);
  return failed > 0 ? 1 : 0;
}

process.exit(await main());
