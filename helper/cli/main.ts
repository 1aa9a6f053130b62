#!/usr/bin/env node
/** The `seamscope` command. Exit codes: 0 fine, 1 something was found, 2 it could not run. */
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { run } from './cli';
import { surviveClosedPipes } from './output';

if (isMainThread) {
  surviveClosedPipes();
  void run(process.argv.slice(2), __dirname).then((code) => {
    if (code !== null) process.exitCode = code;
  });
} else {
  // A thread that `lint` has started on this same file.
  void import('./lint/worker').then(({ runWorker }) => runWorker());
}
