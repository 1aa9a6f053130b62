// Other programs on the same files, one thread each. One that is missing says so instead of a time.
import path from 'node:path';
import { timed } from './timed.mjs';

/** The pattern is a part of the pre-filter's: how fast can files be looked through at all? */
const pattern = String.raw`\bvk[A-Z]|\bVK_|\bcu[A-Z]|\bcuda|CUDA|<<<|DLManagedTensor|dlpack|\bunmap\b|[dD][mM][aA]_?[bB][uU][fF]`;

/** `what`: files, or folders to search. */
export function ripgrep(what) {
  return timed('rg', ['--threads', '1', '--files-with-matches', '--no-messages', '-e', pattern, '--', ...what]);
}

/** `what`: files or folders. */
export function seamscope(dist, what) {
  return timed(process.execPath, [path.join(dist, 'cli.js'), 'lint', '--jobs', '1', '--format', 'json', ...what]);
}

/** What people switch on, and what cppcheck does of itself: errors only. */
export const cppcheckSets = { usual: ['--enable=warning,style,performance,portability'], least: [] };

/** `database`: a folder with a compilation database; what it names is read in the one configuration that is compiled. */
export function cppcheck(database, set) {
  const project = path.join(database, 'compile_commands.json');
  return timed('cppcheck', ['--quiet', '-j', '1', ...cppcheckSets[set], '--template=told:{id}:{file}', `--project=${project}`]);
}

/** Checks that look for what this linter looks for: misuse, paths, threads. The database is that of another compiler. */
export function clangTidy(database, files) {
  return tidy(database, files, 'bugprone-*,clang-analyzer-*,concurrency-*');
}

/** A check that costs nothing: what is left is the compiler. */
export function clangCompiles(database, file) {
  const { output, wasEnded } = tidy(database, [file], 'google-build-namespaces');
  return !wasEnded && !/error: .*\[clang-diagnostic-error\]|^Error while processing/m.test(output);
}

function tidy(database, files, checks) {
  return timed('clang-tidy', [`--checks=-*,${checks}`, '--quiet', '-p', database, '--extra-arg=-Wno-unknown-warning-option', ...files]);
}

/** `#error` and what could not be parsed; `told:` comes from the template. */
export function cppcheckRefuses({ output }) {
  return /^told:(syntaxError|unknownMacro|preprocessorErrorDirective|internalAstError|internalError|cppcheckError):/m.test(output);
}
