/** Runs the probe child under a chosen environment; a crash, a hang or nonsense becomes a reason that names it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Readable } from 'node:stream';
import type { DeviceSnapshot, Reason } from '../protocol/devices';
import { PROBE_TIMEOUT_MS } from '../protocol/timeouts';
import type { Env } from './driver-files';
import { TextTail } from './text-tail';

export const PROBE_RESULT_FD = 3;
/** Asks the addon which driver call it is in; it answers with one line on stderr. */
const NAME_CALL = 'SIGUSR2';
const NAMING_MS = 200;
export const WITHOUT_CUDA = '--without-cuda';
const MAX_RESULT_BYTES = 16 * 1024 * 1024;
const NEXT_STEP = 'Run "vulkaninfo --summary" and "nvidia-smi" in a terminal to find the driver that fails; then refresh.';

export interface ProbeOptions {
  /** The probe's bundle. */
  script: string;
  addonPath: string;
  env: Env;
  timeoutMs?: number;
  /** Leaves the CUDA driver alone. */
  withoutCuda?: boolean;
}

export type ProbeResult = { snapshot: DeviceSnapshot } | { reason: Reason };

/** The probe is killed when `signal` aborts; the result is then a reason like any other. Never rejects. */
export function runProbe(options: ProbeOptions, signal?: AbortSignal): Promise<ProbeResult> {
  const timeoutMs = options.timeoutMs ?? PROBE_TIMEOUT_MS;
  const child = spawn(process.execPath, [options.script, options.addonPath, ...(options.withoutCuda ? [WITHOUT_CUDA] : [])], {
    env: { ...options.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const words = new TextTail(5);
  const result = collect(child.stdio[PROBE_RESULT_FD] as Readable);
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => words.push(chunk));
  return new Promise((resolve) => {
    const settle = (value: ProbeResult) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(value);
    };
    const kill = (message: string) => {
      const drivers = loadedDrivers(child);
      endForGood(child);
      settle({ reason: failure(`${message}${drivers ? ` Loaded then: ${drivers}.` : ''}`, words) });
    };
    const abort = () => kill('The device probe was stopped.');
    let naming = false;
    const timer = setTimeout(() => {
      naming = child.kill(NAME_CALL);
      setTimeout(() => kill(`The device probe did not end within ${timeoutMs / 1000} s: ${hangingCall(words)} hangs.`), NAMING_MS);
    }, timeoutMs);
    signal?.addEventListener('abort', abort);
    // The answer is whole: what a driver does in its exit handlers must not delay it.
    result.onEnd(() => {
      const answer = parseSnapshot(result.text());
      if (!answer) return;
      endForGood(child);
      settle({ snapshot: answer });
    });
    child.on('error', (error) => settle({ reason: failure(`The device probe could not be started: ${error.message}.`, words) }));
    child.on('close', (code, by) => {
      if (!naming) settle(interpret(code, by, result.text(), words));
    });
  });
}

/** In the addon's words: "in the driver call cuInit". */
function hangingCall(words: TextTail): string {
  return /in (the driver call \w+)/.exec(words.lines.join('\n'))?.[1] ?? 'a driver';
}

/** How a probe ended that gave no usable answer. */
function interpret(code: number | null, by: NodeJS.Signals | null, text: string, words: TextTail): ProbeResult {
  if (by) return { reason: failure(`The device probe was ended by ${by}: a driver crashed while it listed its devices.`, words) };
  if (code !== 0) return { reason: failure(`The device probe ended with exit code ${code}.`, words) };
  return { reason: failure(`The device probe answered with ${text.length} bytes that are not a device snapshot.`, words) };
}

function parseSnapshot(text: string): DeviceSnapshot | null {
  try {
    const snapshot = JSON.parse(text) as DeviceSnapshot;
    return snapshot.version === 1 ? snapshot : null;
  } catch {
    return null;
  }
}

function failure(message: string, words: TextTail): Reason {
  const detail = words.lines.join('\n');
  return { code: 'probe-failed', message, nextStep: NEXT_STEP, ...(detail ? { detail } : {}) };
}

/** A process stuck in the kernel survives SIGKILL for a while: nobody waits for it. */
function endForGood(child: ChildProcess): void {
  child.kill('SIGKILL');
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
}

/** Base names of the driver libraries that a hanging probe has mapped. */
function loadedDrivers(child: ChildProcess): string {
  try {
    const maps = readFileSync(`/proc/${child.pid}/maps`, 'utf8');
    const names = [...maps.matchAll(/\S*\/(\S+\.so\S*)$/gm)].map((match) => path.basename(match[1]!));
    return [...new Set(names)].filter((name) => /vulkan|nvidia|cuda|GLX|nvml/i.test(name)).join(', ');
  } catch {
    return '';
  }
}

function collect(stream: Readable): { text: () => string; onEnd: (then: () => void) => void } {
  const parts: Buffer[] = [];
  let size = 0;
  stream.on('data', (part: Buffer) => {
    size += part.length;
    if (size <= MAX_RESULT_BYTES) parts.push(part);
  });
  return { text: () => Buffer.concat(parts).toString('utf8'), onEnd: (then) => stream.on('end', then) };
}
