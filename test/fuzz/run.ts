// One fuzzing run: cases until the time is over, faults minimised and written out, numbers at the end.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Case, caseOf } from './cases';
import { readCorpus } from './corpus';
import { minimised } from './minimise';
import type { Fault } from './subject';
import type { Report } from './thread';
import { WatchedThread } from './watch';

export interface RunOptions {
  readonly script: string;
  /** The folder that holds `wasm`. */
  readonly dir: string;
  readonly folders: readonly string[];
  readonly seed: number;
  /** First case. */
  readonly from: number;
  /** Number of cases at most. */
  readonly cases: number;
  readonly minutes: number;
  readonly limitMs: number;
  /** Where faults are written. */
  readonly out: string;
}

const batch = 500;
const minimiseMs = 60_000;

export class FuzzRun {
  readonly #kinds = new Map<string, number>();
  readonly #slow: { index: number; ms: number }[] = [];
  readonly #found: { index: number; fault: Fault }[] = [];
  readonly #heaps: number[] = [];
  /** Of the process, after each batch. */
  readonly #resident: { readonly minutes: number; readonly bytes: number }[] = [];
  readonly #thread: WatchedThread;

  constructor(private readonly options: RunOptions) {
    this.#thread = new WatchedThread(options.script, options, options.limitMs);
  }

  /** Resolves with the number of different faults. */
  async run(): Promise<number> {
    const { from, cases, minutes, seed } = this.options;
    const corpus = readCorpus(this.options.folders);
    console.log(`${corpus.length} files, seed ${seed}, from case ${from}`);
    const started = performance.now();
    const end = started + minutes * 60_000;
    let next = from;
    let minimising = 0;
    while (next < from + cases && performance.now() < end + minimising) {
      next = await this.#thread.run(next, Math.min(next + batch, from + cases), (report) => this.#hear(report));
      const paused = performance.now();
      this.#resident.push({ minutes: (paused - started - minimising) / 60_000, bytes: process.memoryUsage().rss });
      for (const { index, fault } of this.#found.splice(0)) await this.#tell(caseOf(corpus, seed, index), index, fault);
      minimising += performance.now() - paused;
    }
    await this.#thread.close();
    this.#summary(next - from, (performance.now() - started - minimising) / 1000);
    return this.#kinds.size;
  }

  #hear(report: Report): void {
    if (report.kind === 'slow') this.#slow.push(report);
    if (report.kind === 'done') this.#heaps.push(report.heap);
    if (report.kind !== 'fault') return;
    const { kind } = report.fault;
    const times = this.#kinds.get(kind) ?? 0;
    this.#kinds.set(kind, times + 1);
    if (times === 0) this.#found.push(report);
  }

  async #tell(found: Case, index: number, fault: Fault): Promise<void> {
    const { seed, script, out } = this.options;
    const judge = new WatchedThread(
      script,
      { ...this.options, folders: [] },
      fault.kind === 'hang' ? this.options.limitMs / 4 : this.options.limitMs,
    );
    const isSame = async (tried: Case) => (await judge.try(tried))?.kind === fault.kind;
    const small = await minimised(found, isSame, performance.now() + minimiseMs);
    await judge.close();
    console.log(`\nFAULT ${fault.kind}\n  ${fault.detail.split('\n').slice(0, 6).join('\n  ')}`);
    for (const file of written(small, path.join(out, `${seed}-${index}`))) console.log(`  ${file}`);
    console.log(`  again: --seed ${seed} --from ${index} --cases 1`);
  }

  /** What it takes in the minute after the warm-up and in the last one, at most. */
  #growth(): string {
    const most = (from: number) => {
      const within = this.#resident.filter(({ minutes }) => minutes >= from && minutes < from + 1);
      return within.length === 0 ? '?' : `${inMiB(Math.max(...within.map(({ bytes }) => bytes)))}`;
    };
    const last = this.#resident.at(-1)?.minutes ?? 0;
    return `${most(warmUpMinutes)} MiB in minute ${warmUpMinutes}, ${most(Math.max(0, last - 1 + 1e-9))} MiB in the last minute`;
  }

  #summary(count: number, seconds: number): void {
    console.log(`\n${count} cases in ${seconds.toFixed(0)} s, ${(count / seconds).toFixed(1)} a second`);
    console.log(`heap of the thread: ${this.#heaps.map(inMiB).slice(-8).join(', ')} MiB at the end`);
    console.log(`memory of the process: ${this.#growth()}`);
    for (const { index, ms } of this.#slow.sort((a, b) => b.ms - a.ms).slice(0, 5)) console.log(`slow: case ${index} took ${ms.toFixed(0)} ms`);
    for (const [kind, times] of this.#kinds) console.log(`${times} times: ${kind}`);
    console.log(this.#kinds.size === 0 ? 'no faults' : `${this.#kinds.size} faults`);
  }
}

/** The first minutes are those in which code is compiled and caches fill. */
const warmUpMinutes = 2;
const inMiB = (bytes: number) => Math.round(bytes / 2 ** 20);

/** The files of a case, for people to look at. */
function written(found: Case, folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const files: [string, string | Uint8Array][] =
    found.kind === 'config'
      ? [['seamscope.json', found.text]]
      : found.kind === 'bytes'
        ? [[path.basename(found.path), found.bytes]]
        : found.versions.map((text, i) => [`${i}-${path.basename(found.path)}`, text]);
  return files.map(([name, content]) => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  });
}
