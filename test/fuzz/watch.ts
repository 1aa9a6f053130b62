// Owns the thread that lints: starts it, watches how long a case takes, and starts it again after one that hung or used up the heap.
import { Worker } from 'node:worker_threads';
import type { Case } from './cases';
import type { Fault } from './subject';
import type { Order, Report, ThreadInput } from './thread';

const maxHeapMb = 512;
const lookEveryMs = 100;

/** What this process has computed: a busy machine makes nothing slow. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export class WatchedThread {
  #worker: Worker | undefined;
  readonly #current = new Int32Array(new SharedArrayBuffer(4));

  /** `limitMs`: how long one case may compute. */
  constructor(
    private readonly script: string,
    private readonly input: Omit<ThreadInput, 'current'>,
    private readonly limitMs: number,
  ) {}

  /** Runs cases until `to`, or until one ended the thread: then that one is the fault. Resolves with the next case to run. */
  async run(from: number, to: number, hear: (report: Report) => void): Promise<number> {
    Atomics.store(this.#current, 0, from);
    const end = await this.#order({ kind: 'run', from, to }, this.limitMs, hear);
    if (!('ended' in end)) {
      hear(end);
      return to;
    }
    const index = Atomics.load(this.#current, 0);
    hear({ kind: 'fault', index, fault: end.ended });
    return index + 1;
  }

  async try(tried: Case): Promise<Fault | undefined> {
    Atomics.store(this.#current, 0, -1);
    const end = await this.#order({ kind: 'try', tried }, this.limitMs);
    if ('ended' in end) return end.ended;
    return end.kind === 'tried' ? end.fault : undefined;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #order(order: Order, limitMs: number, hear: (report: Report) => void = () => undefined): Promise<Report | { readonly ended: Fault }> {
    const worker = await this.#started();
    return await new Promise((resolve) => {
      let seen = Atomics.load(this.#current, 0);
      let since = cpuMs();
      const listen = (report: Report) => (report.kind === 'done' || report.kind === 'tried' ? settle(report) : hear(report));
      const fail = (error: Error) => settle({ ended: { kind: `end of the thread: ${error.message}`, detail: error.stack ?? '' } });
      const settle = (end: Report | { readonly ended: Fault }) => {
        clearInterval(timer);
        worker.off('message', listen).off('error', fail);
        if ('ended' in end) void this.close().then(() => resolve(end));
        else resolve(end);
      };
      const timer = setInterval(() => {
        const now = Atomics.load(this.#current, 0);
        if (now !== seen) since = cpuMs();
        seen = now;
        if (cpuMs() - since > limitMs) settle({ ended: { kind: 'hang', detail: `It did not end within ${limitMs} ms of computing.` } });
      }, lookEveryMs);
      worker.on('message', listen).on('error', fail);
      worker.postMessage(order);
    });
  }

  /** The first message of a thread waits until it has loaded: that time is no case's. */
  async #started(): Promise<Worker> {
    if (this.#worker) return this.#worker;
    const workerData: ThreadInput = { ...this.input, current: this.#current.buffer as SharedArrayBuffer };
    const worker = new Worker(this.script, { workerData, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
    });
    this.#worker = worker;
    return worker;
  }
}
