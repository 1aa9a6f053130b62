// A cold run beside cppcheck and clang-tidy, on the files that all three really parse: cppcheck finds every header of the project and its
// APIs, leaves out less than half of the file and reports no error of its own, clang-tidy compiles, and lint reads past its pre-filter and
// gives up no function. Each program then reads all of them in one run a tree, with one thread.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Database } from './database.mjs';
import { bytesOf, megabytes } from './files.mjs';
import { clangCompiles, clangTidy, cppcheck, cppcheckRefuses, seamscope } from './programs.mjs';
import { isMostlyRead } from './really-read.mjs';

/** Evenly over a list. */
function spread(list, count) {
  return list.filter((_, i) => Math.floor((i * count) / list.length) !== Math.floor(((i - 1) * count) / list.length));
}

/** `passes`: the pre-filter. At most `count` files are tried, compilers take seconds a file. */
function candidates(trees, { place, passes, count }) {
  const all = trees.flatMap(({ folder, files }, i) => {
    const database = new Database(folder, files, path.join(place, `tree-${i}`));
    return database.entries.filter(({ file }) => passes(readFileSync(file))).map((entry) => ({ database, entry }));
  });
  return { all: all.length, tried: spread(all, count) };
}

/** Those of some entries that all three parse. */
function parsedByAll(tried, dist) {
  const files = tried.map(({ entry }) => entry.file);
  const skipped = new Set(files.length > 0 ? JSON.parse(seamscope(dist, files).stdout).skipped.map(({ file }) => file) : []);
  return tried.filter(({ database, entry }) => {
    if (skipped.has(entry.file) || !database.findsHeaders(entry)) return false;
    const folder = database.write('one', [entry]);
    return isMostlyRead(folder, entry.file) && clangCompiles(folder, entry.file) && !cppcheckRefuses(cppcheck(folder, 'least'));
  });
}

const sum = (all, key) => all.reduce((total, each) => total + (each?.[key] ?? 0), 0);

/** One run a tree, since every tree has its own flags. `run` gets the folder of a database and its files. */
function onEachTree(parsed, name, run) {
  const trees = new Map();
  for (const { database, entry } of parsed) trees.set(database, [...(trees.get(database) ?? []), entry]);
  const runs = [...trees].map(([database, entries]) =>
    run(
      database.write(name, entries),
      entries.map(({ file }) => file),
    ),
  );
  return { seconds: sum(runs, 'seconds'), cpu: sum(runs, 'cpu'), wasEnded: runs.some((each) => each.wasEnded) };
}

function median(runs) {
  return runs.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(runs.length / 2)];
}

/** Rows of the table. `trees`: folders with their sources. */
export function comparison(trees, { place, dist, passes, count }) {
  const { all, tried } = candidates(trees, { place, passes, count });
  const parsed = parsedByAll(tried, dist);
  const told = `of ${tried.length} tried, of ${all} that are compiled and pass the pre-filter`;
  if (parsed.length === 0) return [{ metric: 'files that all three parse', value: 0, unit: '', note: told }];
  const files = parsed.map(({ entry }) => entry.file);
  const own = median([1, 2, 3].map(() => seamscope(dist, files)));
  const rows = [
    { metric: 'files that all three parse', value: files.length, unit: '', note: `${told}; ${(megabytes(bytesOf(files)) * 1000).toFixed(0)} kB` },
    { metric: 'cold run of lint on them, start included', value: own.seconds, unit: 's', note: spentNote(own) },
  ];
  const others = {
    'cppcheck (warning, style, performance, portability)': onEachTree(parsed, 'usual', (folder) => cppcheck(folder, 'usual')),
    'cppcheck (errors only)': onEachTree(parsed, 'least', (folder) => cppcheck(folder, 'least')),
    'clang-tidy (bugprone, analyzer, concurrency)': onEachTree(parsed, 'tidy', clangTidy),
  };
  for (const [name, other] of Object.entries(others)) {
    const times = other.cpu && own.cpu ? `; ${(other.cpu / own.cpu).toFixed(1)} times the processor time` : '';
    rows.push({ metric: name, value: other.seconds, unit: 's', note: other.wasEnded ? 'ended early, it took too long' : spentNote(other) });
    rows.push({
      metric: '  times slower than lint',
      value: other.seconds / own.seconds,
      unit: 'x',
      goal: '>= 10',
      ...(times && { note: times.slice(2) }),
    });
  }
  return rows;
}

export function spentNote({ cpu }) {
  return cpu === undefined ? 'one thread' : `one thread, ${cpu.toFixed(2)} s on processors`;
}
