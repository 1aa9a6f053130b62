// The linter: keystrokes through the real server, memory, the pre-filter and a cold run beside ripgrep, and beside cppcheck and clang-tidy on
// files that all three really parse. `--folder` names another tree than the repository's own sources, `--repositories` a folder of trees,
// `--compare` how many files the compilers try.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { comparison, spentNote } from './lint/compare.mjs';
import { bytesOf, megabytes, sourcesBelow } from './lint/files.mjs';
import { ripgrep, seamscope } from './lint/programs.mjs';
import { LintSession } from './lint/session.mjs';
import { isInstalled } from './lint/timed.mjs';
import { keystrokes, percentile } from './lint/typing.mjs';
import { textOfSize } from './lint-files.mjs';

const sizes = [20, 100, 300, 500];
const placesToType = 5;
/** A size that takes longer ends early: what was measured until then tells enough. */
const typingLimitMs = 30_000;
/** Compilers take seconds a file; `--compare` names another number, 1000 compares whole trees. */
const filesToCompare = 24;
const openDocuments = 50;

async function typing({ root, dist }, folder) {
  const session = await LintSession.start(dist);
  const rows = [];
  for (const size of sizes) {
    const file = path.join(folder, `typed-${size}.cpp`);
    const text = textOfSize(root, '.cpp', size * 1000);
    writeFileSync(file, text);
    await session.open(file, text);
    await session.pull(file);
    const times = [];
    const end = performance.now() + typingLimitMs;
    for (const edit of keystrokes(text, placesToType)) if (performance.now() < end || times.length < 15) times.push(await session.type(file, edit));
    // The first word warms the compiler of the server up, as the first minute of work does.
    const warm = times.slice(10);
    const goals = { 0.5: '<= 25', 0.95: '<= 60' };
    for (const [share, goal] of Object.entries(goals))
      rows.push({ metric: `keystroke to diagnostics, ${size} KB, p${share * 100}`, value: percentile(warm, Number(share)), unit: 'ms', goal });
  }
  await session.stop();
  return rows;
}

async function coldServer({ root, dist }, folder) {
  const file = path.join(folder, 'cold.cpp');
  const text = textOfSize(root, '.cpp', 20_000);
  writeFileSync(file, text);
  const times = [];
  for (let i = 0; i < 5; i++) {
    const started = performance.now();
    const session = await LintSession.start(dist);
    await session.open(file, text);
    await session.pull(file);
    times.push(performance.now() - started);
    await session.stop();
  }
  return { metric: 'cold server to first diagnostics, 20 KB', value: percentile(times, 0.5), unit: 'ms', goal: '<= 400', note: 'median of 5' };
}

async function manyDocuments({ dist }, files) {
  const session = await LintSession.start(dist);
  const opened = files.filter((file) => /\.(cpp|hpp|h|cu|cc|c)$/.test(file)).slice(0, openDocuments);
  for (const file of opened) {
    await session.open(file, bytesOf([file])[0].toString());
    await session.pull(file);
  }
  const value = session.residentMiB;
  await session.stop();
  const note = `${megabytes(bytesOf(opened)).toFixed(2)} MB of text`;
  return { metric: `server with ${opened.length} open documents`, value, unit: 'MiB', goal: '<= 150', note };
}

function filterOf({ root }, folder) {
  const outfile = path.join(folder, 'prefilter.cjs');
  buildSync({
    entryPoints: [path.join(root, 'helper/lint/text/prefilter.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  return createRequire(import.meta.url)(outfile).bytesMayTouchSeam;
}

/** In memory, so that it is the filter that is measured. */
function preFilter(bytesMayTouchSeam, files) {
  const buffers = bytesOf(files);
  const passed = buffers.filter((bytes) => bytesMayTouchSeam(bytes));
  const untouched = buffers.filter((bytes) => !bytesMayTouchSeam(bytes));
  const rate = (looked) => {
    const started = performance.now();
    let rounds = 0;
    for (; performance.now() - started < 500; rounds++) for (const bytes of looked) bytesMayTouchSeam(bytes);
    return (megabytes(looked) * rounds) / ((performance.now() - started) / 1000);
  };
  const rg = ripgrep(files);
  return [
    { metric: 'pre-filter, all files', value: rate(buffers), unit: 'MB/s', goal: '>= 200', note: `${passed.length} of ${files.length} files pass` },
    ...(untouched.length > 0
      ? [{ metric: 'pre-filter, files that are read to their end', value: rate(untouched), unit: 'MB/s', goal: '>= 200' }]
      : []),
    rg
      ? {
          metric: 'limit: rg on the same files, one thread',
          value: megabytes(buffers) / rg.seconds,
          unit: 'MB/s',
          note: `${rg.seconds.toFixed(2)} s with start and reading`,
        }
      : { metric: 'limit: rg on the same files', value: 0, unit: '', note: 'rg is not installed' },
  ];
}

/** Whole trees, as people name them: searching them is a part of the run. */
function wholeTrees({ dist }, trees) {
  const folders = trees.flatMap(({ searched }) => searched);
  const files = trees.flatMap((tree) => tree.files);
  const own = seamscope(dist, folders);
  const rg = ripgrep(folders);
  return [
    {
      metric: `cold run of lint, ${files.length} files`,
      value: own.seconds,
      unit: 's',
      note: `${megabytes(bytesOf(files)).toFixed(1)} MB; ${spentNote(own)}`,
    },
    rg
      ? { metric: 'limit: rg on the same tree, start included', value: rg.seconds, unit: 's', note: spentNote(rg) }
      : { metric: 'limit: rg on the same tree', value: 0, unit: '', note: 'rg is not installed' },
  ];
}

function besideOthers(context, trees, place, passes) {
  const missing = ['cppcheck', 'clang-tidy'].filter((program) => !isInstalled(program));
  if (missing.length > 0) return [{ metric: 'beside cppcheck and clang-tidy', value: 0, unit: '', note: `${missing.join(' and ')} not installed` }];
  return comparison(trees, { place, dist: context.dist, passes, count: context.compare ?? filesToCompare });
}

/** The project's own C++, or the folder that was named, or all repositories below it. */
function treesOf({ root, folder, repositories }) {
  const folders = repositories
    ? readdirSync(repositories, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [path.join(repositories, each.name)] : []))
    : [folder ?? root];
  return folders.map((each) => {
    const searched = each === root ? ['native', 'snippets'].map((sub) => path.join(root, sub)) : [each];
    return { folder: each, searched, files: searched.flatMap(sourcesBelow) };
  });
}

export default {
  title: 'Linter',
  // Compilers on a busy machine.
  limitMs: 7_200_000,
  async run(context) {
    const trees = treesOf(context);
    const files = trees.flatMap((tree) => tree.files);
    const place = mkdtempSync(path.join(tmpdir(), 'seamscope-lint-bench-'));
    const passes = filterOf(context, place);
    try {
      return [
        ...(await typing(context, place)),
        await coldServer(context, place),
        await manyDocuments(context, files),
        ...preFilter(passes, files),
        ...wholeTrees(context, trees),
        ...besideOthers(context, trees, place, passes),
      ];
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  },
};
