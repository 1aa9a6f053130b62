/** One worker thread of `seamscope lint`: checks the files that it is sent. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadGrammars } from '../../lint/server/grammar-files';
import { FileLinter } from './file-linter';
import type { FoundFile } from './files';
import type { LintArguments } from './options';

export interface WorkerInput {
  /** The folder of the bundles. */
  readonly dir: string;
  readonly choice: Pick<LintArguments, 'preview' | 'only' | 'fix'>;
}

export function runWorker(): void {
  const { dir, choice } = workerData as WorkerInput;
  const linter = loadGrammars(dir).then((grammars) => new FileLinter(grammars, choice));
  parentPort!.on('message', async (file: FoundFile) => {
    // A rejection ends the thread, and its owner hears of it.
    parentPort!.postMessage(await (await linter).check(file));
  });
}
