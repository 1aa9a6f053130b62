/** Starts one sacrificial process of the seam test, passes its events on, and says how it ended. Never rejects. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { SeamEvent, SeamJob } from '../protocol/seamtest';
import { TextTail } from './text-tail';

export const SEAM_EVENT_FD = 3;
/** stderr that a report may quote. */
const LAST_LINES = 12;

export interface SeamProcessOptions {
  /** The bundle of seamtest-child.ts. */
  script: string;
  addonPath: string;
  env: NodeJS.ProcessEnv;
}

export type SeamEnd = { words: string[] } & (
  | { how: 'exited'; code: number }
  | { how: 'signal'; signal: NodeJS.Signals }
  | { how: 'hung' | 'cancelled' }
  | { how: 'not-started'; reason: string }
);

/** The process is killed when no event came for `silenceMs`, or when `signal` aborts. */
export function runSeamProcess(
  options: SeamProcessOptions,
  job: SeamJob,
  { onEvent, silenceMs, signal }: { onEvent: (event: SeamEvent) => void; silenceMs: number; signal?: AbortSignal },
): Promise<SeamEnd> {
  if (signal?.aborted) return Promise.resolve({ how: 'cancelled', words: [] });
  const child = spawn(process.execPath, [options.script, options.addonPath, JSON.stringify(job)], {
    env: { ...options.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const words = new TextTail(LAST_LINES);
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => words.push(chunk));
  return new Promise((resolve) => {
    let killed: 'hung' | 'cancelled' | null = null;
    const kill = (why: 'hung' | 'cancelled') => {
      killed ??= why;
      child.kill('SIGKILL');
    };
    const cancel = () => kill('cancelled');
    const silence = setTimeout(() => kill('hung'), silenceMs);
    signal?.addEventListener('abort', cancel);
    createInterface({ input: child.stdio[SEAM_EVENT_FD] as Readable }).on('line', (line) => {
      silence.refresh();
      const event = parseEvent(line);
      if (event) onEvent(event);
    });
    const settle = (end: SeamEnd) => {
      clearTimeout(silence);
      signal?.removeEventListener('abort', cancel);
      resolve(end);
    };
    child.on('error', (error) => settle({ how: 'not-started', reason: error.message, words: [] }));
    child.on('close', (code, by) => {
      const last = { words: words.lines };
      if (killed) settle({ how: killed, ...last });
      else if (by) settle({ how: 'signal', signal: by, ...last });
      else settle({ how: 'exited', code: code ?? 1, ...last });
    });
  });
}

/** A crash may cut the last line short. */
function parseEvent(line: string): SeamEvent | null {
  try {
    return JSON.parse(line) as SeamEvent;
  } catch {
    return null;
  }
}
