/** Checks files one by one, and in threads when a long rest makes them worth their start. */
import { availableParallelism, loadavg } from 'node:os';
import type { FileLinter, FileResult } from './file-linter';
import type { FoundFile } from './files';
import type { WorkerInput } from './worker';
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

  async check(file: FoundFile): Promise<FileResult> {
    if (!this.#pool && this.jobs === undefined) this.#consider();
    this.#done++;
    return this.#pool ? await this.#pool.check(file) : await this.linter.check(file);
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
  }
}
