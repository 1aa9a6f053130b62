// Another program's time, on the wall and on the processors.
import { spawnSync } from 'node:child_process';

/** clang-tidy over a whole tree. */
const limitMs = 2_400_000;
const wrapper = ['-c', 'TIMEFORMAT="processors %U %S"; time "$@"', 'bash'];

/** Seconds, and what it said; undefined without the program. `cpu` is undefined where there is no bash. */
export function timed(program, args, { cwd } = {}) {
  const options = { encoding: 'utf8', timeout: limitMs, maxBuffer: 2 ** 30, cwd };
  const hasBash = spawnSync('bash', ['-c', 'exit 0']).status === 0;
  if (spawnSync(program, ['--version'], { stdio: 'ignore' }).error?.code === 'ENOENT') return undefined;
  const started = performance.now();
  const { error, stdout, stderr, status } = hasBash ? spawnSync('bash', [...wrapper, program, ...args], options) : spawnSync(program, args, options);
  const seconds = (performance.now() - started) / 1000;
  const spent = /^processors (\S+) (\S+)$/m.exec(stderr);
  const output = `${stdout}${stderr}`.replace(/^processors .*$/m, '');
  return { seconds, cpu: spent ? Number(spent[1]) + Number(spent[2]) : undefined, stdout, output, status, wasEnded: error !== undefined };
}

export const isInstalled = (program) => timed(program, ['--version']) !== undefined;
