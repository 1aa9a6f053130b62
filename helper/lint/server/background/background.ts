// The server's side of its background thread: started when there is work, ended when there has been none for a while, so that the memory
// of a scan is given back.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BackgroundInput, FromBackground, ToBackground } from './messages';

const idleMs = 5000;
const maxCrashes = 3;
/** Of the thread's JavaScript objects. */
const maxHeapMb = 1024;

export class Background {
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #crashes = 0;

  /**
   * @param dir the folder of the bundles
   * @param state what a thread that starts has to know
   */
  constructor(
    private readonly dir: string,
    private readonly state: () => Omit<BackgroundInput, 'dir'>,
    private readonly take: (message: FromBackground) => void,
    private readonly log: (text: string) => void,
    /** The thread has ended before its work, and why. */
    private readonly ended: (why: string) => void,
  ) {}

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  post(message: ToBackground): void {
    clearTimeout(this.#timer);
    this.#worker ??= this.#start();
    this.#worker?.postMessage(message);
  }

  #start(): Worker | undefined {
    const bundle = path.join(this.dir, 'lint-server.js');
    if (this.#crashes >= maxCrashes || !existsSync(bundle)) return undefined;
    const workerData: BackgroundInput = { dir: this.dir, ...this.state() };
    const worker = new Worker(bundle, { workerData, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
    worker.on('message', (message: FromBackground) => {
      clearTimeout(this.#timer);
      if (message.kind === 'idle') this.#timer = setTimeout(() => this.#end(worker), idleMs);
      this.take(message);
    });
    worker.on('error', (error) => {
      if (this.#worker !== worker) return;
      this.#crashes++;
      const what = `The search for functions of other files ended early: ${error instanceof Error ? error.message : String(error)}`;
      this.log(`${what} What they do with handles is not known where it was not read yet.`);
      this.#worker = undefined;
      this.ended(what);
    });
    // The process does not wait for it.
    worker.unref();
    return worker;
  }

  /** Ends a thread that does not answer. */
  kill(): void {
    if (this.#worker) this.#end(this.#worker);
  }

  #end(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    void worker.terminate();
  }
}
