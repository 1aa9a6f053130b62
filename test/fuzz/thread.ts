// The thread that lints. Its owner ends it when a case takes too long, and its heap is bounded: both are findings.
import { parentPort, workerData } from 'node:worker_threads';
import { loadGrammars } from '../../helper/lint/server/grammar-files';
import { type Case, caseOf, faultOf } from './cases';
import { readCorpus } from './corpus';
import type { Fault } from './subject';
import { cpuMs } from './watch';

export interface ThreadInput {
  /** The folder that holds `wasm`. */
  readonly dir: string;
  readonly folders: readonly string[];
  readonly seed: number;
  /** One Int32: the case that runs. */
  readonly current: SharedArrayBuffer;
}

export type Order = { readonly kind: 'run'; readonly from: number; readonly to: number } | { readonly kind: 'try'; readonly tried: Case };

export type Report =
  | { readonly kind: 'fault'; readonly index: number; readonly fault: Fault }
  | { readonly kind: 'slow'; readonly index: number; readonly ms: number }
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly heap: number }
  | { readonly kind: 'tried'; readonly fault: Fault | undefined };

/** Longer cases are told, so that what becomes slow is seen before it hangs. */
const slowMs = 1000;

export async function serve(): Promise<void> {
  const { dir, folders, seed, current } = workerData as ThreadInput;
  const grammars = await loadGrammars(dir);
  const corpus = readCorpus(folders);
  const now = new Int32Array(current);
  const say = (report: Report) => parentPort!.postMessage(report);
  const one = (index: number) => {
    Atomics.store(now, 0, index);
    const started = cpuMs();
    const fault = faultOf(caseOf(corpus, seed, index), grammars);
    const ms = cpuMs() - started;
    if (fault) say({ kind: 'fault', index, fault });
    if (ms > slowMs) say({ kind: 'slow', index, ms });
  };
  parentPort!.on('message', (order: Order) => {
    if (order.kind === 'try') return say({ kind: 'tried', fault: faultOf(order.tried, grammars) });
    for (let index = order.from; index < order.to; index++) one(index);
    say({ kind: 'done', heap: process.memoryUsage().heapUsed });
  });
  say({ kind: 'ready' });
}
