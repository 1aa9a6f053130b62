/** One worker thread of `seamscope lint`: does what it is sent, one thing at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import type { FileEffects } from '../../lint/effects/file-effects';
import type { FoundFile } from '../../lint/server/files';
import { loadGrammars } from '../../lint/server/grammar-files';
import { FileLinter } from './file-linter';
import type { LintArguments } from './options';

export interface WorkerInput {
  /** The folder of the bundles. */
  readonly dir: string;
  readonly choice: Pick<LintArguments, 'preview' | 'only' | 'fix'>;
}

export type FileEntry = readonly [file: string, effects: FileEffects | undefined];

export type ToWorker =
  /** Answered with a `FileResult`. */
  | { readonly kind: 'check'; readonly file: FoundFile; readonly fix: boolean }
  /** Answered with the effects of a file that names nothing of the seam. */
  | { readonly kind: 'others'; readonly file: FoundFile; readonly names: ReadonlySet<string> }
  /** Not answered. */
  | { readonly kind: 'learn'; readonly entries: readonly FileEntry[] };

export function runWorker(): void {
  const { dir, choice } = workerData as WorkerInput;
  const linter = loadGrammars(dir).then((grammars) => new FileLinter(grammars, choice));
  parentPort!.on('message', async (message: ToWorker) => {
    // A rejection ends the thread, and its owner hears of it.
    const own = await linter;
    if (message.kind === 'learn') own.learn(message.entries);
    else if (message.kind === 'others') parentPort!.postMessage(await own.others(message.file, message.names));
    else parentPort!.postMessage(await own.check(message.file, message.fix));
  });
}
