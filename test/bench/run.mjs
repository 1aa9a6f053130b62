#!/usr/bin/env node
// Runs the benchmarks beside this file and prints what they measured. Numbers are printed, never judged.
//   npm run bench [-- NAME...] [--json FILE] [--dist FOLDER] [--folder SOURCES]
//                         [--repositories FOLDER] [--compare FILES] [--without workbench]
//
// A benchmark is a file NAME.bench.mjs whose default export is
//   { title: string, needs?: ('workbench')[], limitMs?: number, run(context): Promise<Row[]> }
//   context = { root, dist, folder, repositories, compare }    absolute paths of the repository (or of the unpacked GPU bundle), of the build,
//             of the tree or the folder of trees to lint where one is named, and the number of files to compare linters on
//   Row = { metric: string, value: number, unit: string, goal?: string, note?: string }
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const here = path.dirname(fileURLToPath(import.meta.url));
const usualLimitMs = 300_000;
const suffix = '.bench.mjs';

async function load(wanted, without) {
  const names = readdirSync(here)
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length))
    .sort();
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`No such benchmark: ${unknown.join(', ')}. There are: ${names.join(', ')}.`);
  const chosen = names.filter((name) => wanted.length === 0 || wanted.includes(name));
  const loaded = await Promise.all(
    chosen.map(async (name) => ({ name, ...(await import(pathToFileURL(path.join(here, name + suffix)).href)).default })),
  );
  return loaded.filter(({ needs = [] }) => !needs.some((need) => without.includes(need)));
}

function withLimit(promise, title, limitMs = usualLimitMs) {
  let timer;
  const limit = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${title} did not end within ${limitMs / 1000} s`)), limitMs);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

const format = ({ metric, value, unit, goal, note }) => {
  const number = Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
  return `  ${metric.padEnd(52)} ${number.padStart(10)} ${unit.padEnd(6)} ${goal ? `goal ${goal}` : ''}${note ? `  (${note})` : ''}`.trimEnd();
};

async function main() {
  const options = {
    json: { type: 'string' },
    dist: { type: 'string' },
    folder: { type: 'string' },
    repositories: { type: 'string' },
    compare: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const root = path.resolve(here, '../..');
  const context = {
    root,
    dist: path.resolve(values.dist ?? path.join(root, 'dist')),
    ...(values.folder && { folder: path.resolve(values.folder) }),
    ...(values.repositories && { repositories: path.resolve(values.repositories) }),
    ...(values.compare && { compare: Number(values.compare) }),
  };
  if (!existsSync(path.join(context.dist, 'cli.js'))) throw new Error(`${context.dist} holds no build. Run: npm run build`);
  const machine = `${os.cpus()[0]?.model ?? 'unknown CPU'}, ${os.cpus().length} cores, Node ${process.versions.node}`;
  console.log(machine);
  const results = [];
  for (const { name, title, limitMs, run } of await load(positionals, values.without)) {
    console.log(title);
    const rows = await withLimit(run(context), title, limitMs);
    for (const row of rows) console.log(format(row));
    results.push({ name, title, rows });
  }
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ machine, results }, null, 2)}\n`);
}

await main().then(
  () => process.exit(0),
  (error) => {
    console.error(error.message);
    process.exit(1);
  },
);
