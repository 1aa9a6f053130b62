/** The background thread of the lint server. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadGrammars } from '../grammar-files';
import { Indexer } from './indexer';
import type { BackgroundInput, ToBackground } from './messages';

export function runBackground(): void {
  const { dir, effects, open } = workerData as BackgroundInput;
  const indexer = new Indexer(loadGrammars(dir), (message) => parentPort!.postMessage(message));
  const isOpen = new Set(open);
  for (const [file, each] of effects) {
    if (isOpen.has(file)) indexer.setOpen(file, each);
    else indexer.index.set(file, each);
  }
  // A rejection ends the thread, and the server hears of it.
  parentPort!.on('message', (message: ToBackground) => void indexer.take(message));
}
