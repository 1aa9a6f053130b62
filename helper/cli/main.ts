#!/usr/bin/env node
/** The `seamscope` command. Exit codes: 0 fine, 1 something was found, 2 it could not run. */
import process from 'node:process';
import { run } from './cli';
import { surviveClosedPipes } from './output';

surviveClosedPipes();
void run(process.argv.slice(2), __dirname).then((code) => {
  if (code !== null) process.exitCode = code;
});
