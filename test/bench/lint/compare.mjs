// A cold run beside cppcheck and clang-tidy, on the files that all three really parse: cppcheck finds every header of the project and its
// APIs and reports no error of its own, clang-tidy compiles, and lint reads past its pre-filter and gives up no function.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Database } from './database.mjs';
import { bytesOf, megabytes } from './files.mjs';
import { clangRefuses, clangTidy, cppcheck, cppcheckRefuses, seamscope } from './programs.mjs';

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

/** Those of some entries that all three parse, each with the times of clang-tidy. */
function parsedByAll(tried, dist) {
  const files = tried.map(({ entry }) => entry.file);
  const skipped = new Set(files.length > 0 ? JSON.parse(seamscope(dist, files).stdout).skipped.map(({ file }) => file) : []);
  const parsed = [];
  for (const { database, entry } of tried) {
    if (skipped.has(entry.file) || !database.findsHeaders(entry)) continue;
    const folder = database.write('one', [entry]);
    if (cppcheckRefuses(cppcheck(folder, 'least'))) continue;
    const tidy = clangTidy(folder, entry.file);
    if (!clangRefuses(tidy)) parsed.push({ database, entry, tidy });
  }
  return parsed;
}

const sum = (all, key) => all.reduce((total, each) => total + (each?.[key] ?? 0), 0);

/** One run a tree, since every tree has its own flags. */
function cppcheckOn(parsed, set) {
  const runs = [...grouped(parsed)].map(([database, of]) =>
    cppcheck(
      database.write(
        `cppcheck-${set}`,
        of.map(({ entry }) => entry),
      ),
      set,
    ),
  );
  return { seconds: sum(runs, 'seconds'), cpu: sum(runs, 'cpu') };
}

function grouped(parsed) {
  const trees = new Map();
  for (const each of parsed) trees.set(each.database, [...(trees.get(each.database) ?? []), each]);
  return trees;
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
    'cppcheck (warning, style, performance, portability)': cppcheckOn(parsed, 'usual'),
    'cppcheck (errors only)': cppcheckOn(parsed, 'least'),
    'clang-tidy (bugprone, analyzer, concurrency)': {
      seconds: sum(
        parsed.map(({ tidy }) => tidy),
        'seconds',
      ),
      cpu: sum(
        parsed.map(({ tidy }) => tidy),
        'cpu',
      ),
    },
  };
  for (const [name, other] of Object.entries(others)) {
    const times = other.cpu && own.cpu ? `; ${(other.cpu / own.cpu).toFixed(1)} times the processor time` : '';
    rows.push({ metric: name, value: other.seconds, unit: 's', note: spentNote(other) });
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
