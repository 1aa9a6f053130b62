#!/usr/bin/env node
// Where the microseconds of a publish of CUDA memory go: CPU and wall time of each driver call, for ways to publish at several paces.
//
//   node gpu/publish_calls.mjs [--rounds 2] [--json FILE] [--program FILE]
//
// A round takes about a minute. Exit code 1 when nothing could be measured; numbers are never judged.
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const LIMIT_MS = 580_000;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    json: { type: 'string' },
    program: { type: 'string', default: path.join(import.meta.dirname, '../native/examples/publish_calls') },
  },
});

function measured(program, rounds) {
  if (!existsSync(program)) throw new Error(`${program} is not there: it is built with the native tests.`);
  const { stdout, stderr, signal, error } = spawnSync(path.resolve(program), [rounds], {
    encoding: 'utf8',
    timeout: LIMIT_MS,
    maxBuffer: 64 << 20,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = (stdout ?? '').split('\n').filter((line) => line.startsWith('{'));
  const rows = lines.map((line) => JSON.parse(line));
  const failed = rows.find((row) => row.error)?.error ?? error?.message ?? (signal ? `ended by ${signal}` : '');
  if (failed || rows.length === 0) throw new Error(failed || stderr.trim() || 'the program printed nothing');
  return rows;
}

const column = (value) => value.toFixed(2).padStart(8);

/** The way as a whole, then its calls; those that a way makes twice are one line. */
function printWay(rows) {
  const [first] = rows;
  if (first.missing) return console.log(`  ${'-'.padStart(8)}${''.padStart(16)}  ${first.way}: this machine lacks ${first.missing}`);
  const whole = rows.find(({ call }) => call === '');
  const numbers = ({ cpuUs, wallUs, p90Us }) => `${column(cpuUs)}${column(wallUs)}${column(p90Us)}`;
  console.log(`  ${whole ? numbers(whole) : ''.padStart(24)}  ${first.way}`);
  for (const row of rows) if (row.call && rows.length > 2) console.log(`  ${numbers(row)}      ${row.call}`);
}

function print([{ device, frameMs, clockUs }, { loadMs, busyMs }, ...rows]) {
  console.log(
    `${device}, 1920x1080 RGBA8, ${frameMs.toFixed(2)} ms a frame; reading the CPU clock takes ${clockUs.toFixed(2)} us (part of each CPU time)`,
  );
  console.log(`loading a kernel and launching it once took ${loadMs.toFixed(1)} ms while the GPU had ${busyMs} ms of work`);
  for (const [pace, ways] of grouped(rows, (row) => row.pace)) {
    console.log(`\n${pace}\n  ${'CPU us'.padStart(8)}${'wall us'.padStart(8)}${'CPU p90'.padStart(8)}`);
    for (const [, way] of grouped(ways, (row) => row.way)) printWay(way);
  }
}

/** By key, in the order of their first rows. */
function grouped(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

try {
  const rows = measured(options.program, options.rounds);
  print(rows);
  if (options.json) writeFileSync(options.json, `${JSON.stringify(rows, null, 2)}\n`);
} catch (error) {
  console.log(`Not measured: ${error.message}`);
  process.exitCode = 1;
}
