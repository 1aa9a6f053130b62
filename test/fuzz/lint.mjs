#!/usr/bin/env node
// Fuzzes the linter with spoilt copies of the repository's fixtures, snippets and native code, or of the sources below FOLDER.
//   node test/fuzz/lint.mjs [FOLDER...] [--minutes 10] [--seed N] [--from CASE] [--cases N] [--limit MS]
// Prints each fault with the command that shows it again, and writes it, made small, below build/fuzz. Exit code 1 when there are any.
import { mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { inRoot, root } from '../../scripts/lib/paths.mjs';

const require = createRequire(import.meta.url);

async function bundled() {
  const outfile = inRoot('build/fuzz/main.cjs');
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['test/fuzz/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'warning',
    alias: { 'web-tree-sitter': require.resolve('web-tree-sitter') },
  });
  return outfile;
}

const number = { type: 'string' };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: number, seed: number, from: number, cases: number, limit: number },
});
const given = (name, usual) => (values[name] === undefined ? usual : Number(values[name]));
const noFolder = positionals.find((each) => !statSync(each, { throwIfNoEntry: false })?.isDirectory());
if (noFolder !== undefined) {
  console.error(`${noFolder} is no folder. Name folders with sources, or none for the repository's own.`);
  process.exit(2);
}
const out = inRoot('build/fuzz');
mkdirSync(out, { recursive: true });
const script = await bundled();
const faults = await require(script).fuzz({
  script,
  dir: inRoot('dist'),
  folders:
    positionals.length > 0
      ? positionals.map((folder) => path.resolve(folder))
      : ['test/fixtures/lint', 'snippets', 'native'].map((each) => inRoot(each)),
  seed: given('seed', Date.now() % 1_000_000),
  from: given('from', 0),
  cases: given('cases', Number.MAX_SAFE_INTEGER),
  minutes: given('minutes', 10),
  limitMs: given('limit', 20_000),
  out,
});
process.exit(faults > 0 ? 1 : 0);
