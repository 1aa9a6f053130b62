// Both sides of the bundle: the run, and the thread that it starts on this same file.
import { isMainThread } from 'node:worker_threads';
import { FuzzRun, type RunOptions } from './run';
import { serve } from './thread';

if (!isMainThread) void serve();

export function fuzz(options: RunOptions): Promise<number> {
  return new FuzzRun(options).run();
}
