#!/usr/bin/env node
// Every check of the source text: Biome, both TypeScript projects, clang-format and Seamscope's own rules on the native code.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { bin, inRoot } from './lib/paths.mjs';
import { capture, isMain, main, StepError } from './lib/run.mjs';
import { setup } from './setup.mjs';

const nativeFolders = ['native/src', 'native/test', 'native/publisher'];

function nativeSources() {
  const files = nativeFolders.flatMap((folder) => readdirSync(inRoot(folder), { recursive: true }).map((file) => path.join(folder, file)));
  return files.filter((file) => /\.(c|cpp|hpp|h)$/.test(file)).sort();
}

const checks = () => [
  { name: 'biome', command: bin('biome'), args: ['ci', '--colors=off', '.'] },
  { name: 'tsc', command: bin('tsc'), args: ['--noEmit'] },
  { name: 'tsc webview', command: bin('tsc'), args: ['--noEmit', '-p', 'webview'] },
  { name: 'clang-format', command: 'clang-format', args: ['--dry-run', '-Werror', ...nativeSources()] },
  { name: 'seamscope lint native', command: process.execPath, args: ['dist/cli.js', 'lint', 'native'], needs: 'dist/cli.js' },
];

/** @returns [{name, passed, output}] of every check; a failed one does not stop the others. */
export async function lint() {
  await setup(['modules', 'native-tests']);
  const results = [];
  for (const { name, command, args, needs } of checks()) {
    const isThere = !needs || existsSync(inRoot(needs));
    const { code, output } = isThere ? await capture(command, args) : { code: 2, output: `${needs} is missing. Run: npm run build\n` };
    results.push({ name, passed: code === 0, output });
  }
  return results;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const results = await lint();
    for (const { name, passed, output } of results) {
      console.log(`${passed ? 'ok    ' : 'FAILED'} ${name}`);
      if (!passed) console.log(output);
    }
    if (results.some((result) => !result.passed)) throw new StepError('Lint failed.');
  });
}
