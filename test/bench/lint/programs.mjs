// Other programs on the same files, one thread each. One that is missing says so instead of a time.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const limitMs = 240_000;

/** Wall time in seconds and what it said; undefined without the program. */
function timed(program, args) {
  const started = performance.now();
  const { error, stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8', timeout: limitMs, maxBuffer: 2 ** 30 });
  if (error?.code === 'ENOENT') return undefined;
  return { seconds: (performance.now() - started) / 1000, output: `${stdout}${stderr}`, status, wasEnded: error !== undefined };
}

export const isInstalled = (program) => timed(program, ['--version']) !== undefined;

/** The pattern is a part of the pre-filter's: how fast can files be looked through at all? */
export function ripgrep(files) {
  const pattern = String.raw`\bvk[A-Z]|\bVK_|\bcu[A-Z]|\bcuda|CUDA|<<<|DLManagedTensor|dlpack|\bunmap\b|[dD][mM][aA]_?[bB][uU][fF]`;
  return timed('rg', ['--threads', '1', '--files-with-matches', '--no-messages', '-e', pattern, '--', ...files]);
}

export function seamscope(dist, files) {
  return timed(process.execPath, [path.join(dist, 'cli.js'), 'lint', '--jobs', '1', '--format', 'json', ...files]);
}

export function cppcheck(files) {
  return timed('cppcheck', ['--quiet', '--enable=warning,performance,portability', '--force', '-j', '1', '--error-exitcode=0', ...files]);
}

/** The flags of the folder's compile_commands.json where there is one, else the folder's own include paths. */
export function clangTidy(files, folder, { only = 'bugprone-*,clang-analyzer-*,concurrency-*' } = {}) {
  const database = ['build/native', 'build', '']
    .map((sub) => path.join(folder, sub))
    .find((dir) => existsSync(path.join(dir, 'compile_commands.json')));
  const includes = ['', 'include', 'src'].map((sub) => `-I${path.join(folder, sub)}`);
  // The database is that of another compiler, whose warnings clang does not all know.
  const flags = database ? ['-p', database, '--extra-arg=-Wno-unknown-warning-option'] : [];
  return timed('clang-tidy', [`--checks=-*,${only}`, '--quiet', ...flags, ...files, ...(database ? [] : ['--', '-std=c++20', ...includes])]);
}

/** Of some files those that each program reads without an error of its own. */
export function parsedByAll(files, { folder, dist }) {
  const place = mkdtempSync(path.join(tmpdir(), 'seamscope-bench-'));
  try {
    const skipped = new Set(JSON.parse(seamscope(dist, files).output.replace(/^seamscope: .*$/gm, '')).skipped.map(({ file }) => file));
    const refused = cppcheckErrors(files, place);
    return files.filter((file) => !skipped.has(file) && !refused.has(file) && isCompiled(file, folder));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function cppcheckErrors(files, place) {
  const list = path.join(place, 'files.txt');
  writeFileSync(list, files.join('\n'));
  const { output } = timed('cppcheck', ['--quiet', '--max-configs=1', `--file-list=${list}`, '--template={id}\t{file}']);
  const bad = /^(syntaxError|unknownMacro|preprocessorErrorDirective|internalAstError|cppcheckError)\t(.*)$/;
  return new Set(output.split('\n').flatMap((line) => bad.exec(line)?.[2] ?? []));
}

function isCompiled(file, folder) {
  const result = clangTidy([file], folder, { only: 'misc-unused-alias-decls' });
  return result !== undefined && !result.wasEnded && !/error: /.test(result.output);
}
