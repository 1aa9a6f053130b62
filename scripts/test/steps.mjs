// The steps of `npm test` after set-up, in order. Each runs one program and says what it counted.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildNativeTests } from '../lib/native.mjs';
import { bin, inRoot } from '../lib/paths.mjs';
import { capture, cleanEnv } from '../lib/run.mjs';
import { lint } from '../lint.mjs';
import { vsixFile } from '../package.mjs';
import { fromDoctest, fromVitest, fromWorkbench, single, sum } from './counts.mjs';

const folder = inRoot('build/test');
const sanitizers = {
  ASAN_OPTIONS: 'detect_leaks=1:abort_on_error=0:strict_string_checks=1',
  UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
  LSAN_OPTIONS: `suppressions=${inRoot('native/test/leaks.supp')}:print_suppressions=0`,
};

async function lintStep() {
  const results = await lint();
  const output = results.map((result) => (result.passed ? '' : `${result.name}:\n${result.output}`)).join('');
  return { counts: sum(results.map((result) => single(result.passed))), output };
}

async function vitest(name, folders) {
  const file = path.join(folder, `${name}.json`);
  rmSync(file, { force: true });
  const args = ['run', '--reporter=default', `--reporter=${inRoot('scripts/test/vitest-reporter.mjs')}`, ...folders];
  const env = cleanEnv({ SEAMSCOPE_COUNTS: file });
  const { code, output } = await capture(bin('vitest'), args, { env, timeoutMs: 900_000 });
  return verdict(code, output, existsSync(file) ? fromVitest(file) : undefined);
}

async function doctest(out, options, env = {}) {
  const program = await buildNativeTests({ out, ...options });
  const { code, output } = await capture(program, ['--no-colors=true'], { env: cleanEnv(env), timeoutMs: 900_000 });
  return verdict(code, output, fromDoctest(output));
}

async function workbenchSuite(args) {
  const { code, output } = await capture(process.execPath, [inRoot('test/workbench/launch/suite.mjs'), ...args], { timeoutMs: 900_000 });
  return verdict(code, output, fromWorkbench(output));
}

/** A program that fails without naming a failed test, or that counted nothing, is one failure itself. */
function verdict(code, output, counts) {
  const counted = counts && counts.passed + counts.failed + counts.skipped > 0;
  if (!counted || (code !== 0 && counts.failed === 0)) return { counts: sum([counts ?? single(false), ...(counts ? [single(false)] : [])]), output };
  return { counts, output };
}

/** In a process of its own, so that a crash of the bundler's service in one step is none in the next. */
async function script(name) {
  const { code, output } = await capture(process.execPath, [inRoot('scripts', name)], { timeoutMs: 1_800_000 });
  return { counts: single(code === 0), output };
}

/** `needs` names the step without which a step cannot run. */
export const steps = [
  { name: 'build', run: () => script('build.mjs') },
  { name: 'lint', run: lintStep },
  // Before the unit tests, which use the stand-in drivers that it builds.
  { name: 'native', run: () => doctest('build/native-tests', {}) },
  { name: 'unit', run: () => vitest('unit', ['test/unit', 'test/architecture']), needs: 'build' },
  { name: 'native, sanitized', run: () => doctest('build/native-sanitized', { sanitize: true }, sanitizers) },
  { name: 'package', run: () => script('package.mjs'), needs: 'build' },
  { name: 'shipping', run: () => vitest('shipping', ['test/shipping']), needs: 'package' },
  { name: 'workbench, source tree', run: () => workbenchSuite([]), needs: 'build' },
  { name: 'workbench, installed package', run: () => workbenchSuite(['--vsix', vsixFile()]), needs: 'package' },
];

export function prepare() {
  mkdirSync(folder, { recursive: true });
}
