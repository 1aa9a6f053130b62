// Runs other programs: output kept, shown only on failure, always with a time-out.
import { spawn } from 'node:child_process';
import { root } from './paths.mjs';

/** A failure that is told to the user in its own words, without a stack trace. */
export class StepError extends Error {
  constructor(message, { exitCode = 1, output = '' } = {}) {
    super(message);
    this.exitCode = exitCode;
    this.output = output;
  }
}

/** npm tells its scripts about the outer project; an npm that works in another folder must not hear it. */
export function cleanEnv(extra = {}) {
  const env = { ...process.env };
  for (const key of Object.keys(env)) {
    if (/^npm_(package|lifecycle|command|execpath|node_execpath)/.test(key) || key === 'npm_config_local_prefix' || key.startsWith('VSCODE_'))
      delete env[key];
  }
  return { ...env, ...extra };
}

/**
 * Resolves to {code, output}, output being stdout and stderr in the order of arrival.
 * `echo` also shows it while it comes; `timeoutMs` kills the whole process group.
 */
export function capture(command, args, { cwd = root, env = cleanEnv(), timeoutMs = 600_000, echo = false, onLine } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    const stop = () => killGroup(child.pid);
    const timer = setTimeout(() => {
      output += `\n${command} was stopped: it did not end within ${timeoutMs / 1000} s\n`;
      stop();
    }, timeoutMs);
    const take = (stream) => (data) => {
      output += data;
      if (echo) stream.write(data);
      onLine?.(String(data));
    };
    child.stdout.on('data', take(process.stdout));
    child.stderr.on('data', take(process.stderr));
    process.once('exit', stop);
    const finish = (code) => {
      clearTimeout(timer);
      process.off('exit', stop);
      resolve({ code, output });
    };
    child.on('error', (error) => {
      output += `${command}: ${error.message}\n`;
      finish(127);
    });
    child.on('close', (code) => finish(code ?? 1));
  });
}

/** Like capture, but a non-zero exit is a StepError that names `what` and shows the last lines. */
export async function run(command, args, { what = command, nextStep = '', ...options } = {}) {
  const { code, output } = await capture(command, args, options);
  if (code !== 0) throw new StepError(`${what} failed (exit code ${code}).${nextStep ? ` ${nextStep}` : ''}`, { output });
  return output;
}

function killGroup(pid) {
  if (!pid) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

const tail = (text, lines = 40) => text.trimEnd().split('\n').slice(-lines).join('\n');

/** Runs a script's main function; failures become one message and an exit code. */
export async function main(body) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  try {
    await body();
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    if (error.output) console.error(tail(error.output));
    console.error(error.message);
    process.exitCode = error.exitCode;
  }
}

/** True when the file at `url` (import.meta.url) is the script that node was started with. */
export const isMain = (url) => process.argv[1] !== undefined && url === new URL(`file://${process.argv[1]}`).href;
