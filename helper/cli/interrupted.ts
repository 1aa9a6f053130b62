/** Ctrl+C and its kin: what runs is put away, then the command ends with the code that shells expect. */
import os from 'node:os';
import process from 'node:process';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(readonly signal: (typeof signals)[number]) {
    super(`Ended by ${signal}.`);
  }

  /** 130 for SIGINT. */
  get exitCode(): number {
    return 128 + os.constants.signals[this.signal];
  }
}

/** For work that ends by itself when its signal is aborted: rejects with Interrupted instead of the error that the work ends with then. */
export async function orInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const listeners = signals.map((signal) => [signal, () => abort.abort(new Interrupted(signal))] as const);
  for (const [signal, listener] of listeners) process.once(signal, listener);
  try {
    return await work(abort.signal);
  } catch (error) {
    throw abort.signal.aborted ? abort.signal.reason : error;
  } finally {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  }
}

/** Rejects with Interrupted when a signal comes before `work` is done. A second signal ends the process at once. */
export async function untilInterrupted<T>(work: Promise<T>): Promise<T> {
  let stop = () => {};
  const interruption = new Promise<never>((_, reject) => {
    const listeners = signals.map((signal) => [signal, () => reject(new Interrupted(signal))] as const);
    for (const [signal, listener] of listeners) process.once(signal, listener);
    stop = () => {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    };
  });
  try {
    return await Promise.race([work, interruption]);
  } finally {
    stop();
  }
}
