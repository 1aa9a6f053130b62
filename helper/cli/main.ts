#!/usr/bin/env node
/** The `seamscope` command. Exit codes: 0 fine, 1 something was found, 2 it could not run. */
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { run } from './cli';
import { surviveClosedPipes } from './output';

if (isMainThread) {
  const args = process.argv.slice(2);
  surviveClosedPipes(args[0] === 'engine');
  void run(args, __dirname).then((code) => {
    if (code !== null) process.exitCode = code;
  });
} else {
  // A thread that `lint` has started on this same file.
  void import('./lint/worker').then(({ runWorker }) => runWorker());
}
