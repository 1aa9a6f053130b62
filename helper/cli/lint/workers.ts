/** Worker threads. Each runs this very bundle with a copy of the grammars. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FoundFile } from '../../lint/server/files';
import type { FileResult } from './file-linter';
import type { FileEntry, ToWorker, WorkerInput } from './worker';

function bundleOf(dir: string): string {
  return path.join(dir, 'cli.js');
}

/** False where the code does not run from its bundle. */
export function canThread(dir: string): boolean {
  return existsSync(bundleOf(dir));
}

interface Job {
  readonly message: ToWorker;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
}

export class WorkerPool {
  readonly #threads: Thread[];
  readonly #waiting: Job[] = [];
  #failed: Error | undefined;

  constructor(count: number, input: WorkerInput) {
    this.#threads = Array.from({ length: count }, () => this.#start(input));
  }

  check(file: FoundFile, fix: boolean): Promise<FileResult> {
    return this.#ask({ kind: 'check', file, fix }) as Promise<FileResult>;
  }

  others(file: FoundFile, names: ReadonlySet<string>): Promise<FileResult['effects']> {
    return this.#ask({ kind: 'others', file, names }) as Promise<FileResult['effects']>;
  }

  /** Before anything that is asked later. */
  learn(entries: readonly FileEntry[]): void {
    const message: ToWorker = { kind: 'learn', entries };
    for (const { worker } of this.#threads) worker.postMessage(message);
  }

  #ask(message: ToWorker): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, resolve, reject });
      this.#feed();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(workerData: WorkerInput): Thread {
    const thread: Thread = { worker: new Worker(bundleOf(workerData.dir), { workerData }), job: undefined };
    thread.worker.on('message', (answer: unknown) => {
      thread.job?.resolve(answer);
      thread.job = undefined;
      this.#feed();
    });
    thread.worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    return thread;
  }

  #feed(): void {
    if (this.#failed) this.#fail(this.#failed);
    for (const thread of this.#threads) {
      if (thread.job) continue;
      thread.job = this.#waiting.shift();
      if (!thread.job) return;
      thread.worker.postMessage(thread.job.message);
    }
  }

  /** A thread that dies takes the run with it: nobody knows what it would have found. */
  #fail(error: Error): void {
    this.#failed = error;
    for (const job of [...this.#threads.flatMap(({ job }) => job ?? []), ...this.#waiting]) job.reject(error);
    for (const thread of this.#threads) thread.job = undefined;
    this.#waiting.length = 0;
  }
}
