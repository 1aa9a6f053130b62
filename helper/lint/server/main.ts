// The lint server, or a thread that it has started on this same file.
import { isMainThread } from 'node:worker_threads';

if (isMainThread) void import('./serve').then(({ serve }) => serve(__dirname));
else void import('./background/thread').then(({ runBackground }) => runBackground());
