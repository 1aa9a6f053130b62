/** Checks files one by one, and in threads when a long rest makes them worth their start. */
import { availableParallelism, loadavg } from 'node:os';
import type { FoundFile } from '../../lint/server/files';
import type { FileLinter, FileResult } from './file-linter';
import type { FileEntry, WorkerInput } from './worker';
import { canThread, WorkerPool } from './workers';

/** A thread loads for some 300 ms and then compiles as it goes: shorter runs end sooner without. */
const worthwhileMs = 4000;
/** Before this much of the run, nobody knows how long it will be. */
const probeMs = 1000;
const maxThreads = 8;

export class Checker {
  readonly #started = performance.now();
  #done = 0;
  #pool: WorkerPool | undefined;
  #threads = 1;
  readonly #learnt: FileEntry[] = [];

  /**
   * @param total number of files that will be checked
   * @param jobs threads that the user asked for
   */
  constructor(
    private readonly linter: FileLinter,
    private readonly total: number,
    private readonly input: WorkerInput,
    private readonly jobs: number | undefined,
  ) {
    if (jobs !== undefined && jobs > 1 && canThread(input.dir)) this.#thread(jobs);
  }

  /** How many files may be under way at a time. */
  get ahead(): number {
    return this.#pool ? this.#threads * 4 : 1;
  }

  async check(file: FoundFile, fix: boolean): Promise<FileResult> {
    if (!this.#pool && this.jobs === undefined) this.#consider();
    this.#done++;
    return await (this.#pool ?? this.linter).check(file, fix);
  }

  /** Of a file that names nothing of the seam: those of the named functions that it defines. */
  async others(file: FoundFile, names: ReadonlySet<string>): Promise<FileResult['effects']> {
    return await (this.#pool ?? this.linter).others(file, names);
  }

  /** What the functions of files do. */
  learn(entries: readonly FileEntry[]): void {
    this.#learnt.push(...entries);
    (this.#pool ?? this.linter).learn(entries);
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  #consider(): void {
    const elapsed = performance.now() - this.#started;
    if (elapsed < probeMs || this.#done === 0) return;
    const rest = (elapsed / this.#done) * (this.total - this.#done);
    const free = Math.min(maxThreads, Math.floor(availableParallelism() - (loadavg()[0] ?? 0) + 1));
    if (rest > worthwhileMs && free > 1 && canThread(this.input.dir)) this.#thread(free);
  }

  #thread(count: number): void {
    this.#threads = count;
    this.#pool = new WorkerPool(count, this.input);
    if (this.#learnt.length > 0) this.#pool.learn(this.#learnt);
  }
}
