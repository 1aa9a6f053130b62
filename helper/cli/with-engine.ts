/** Runs a command's work on an engine of its own, which is gone afterwards whatever happened. */
import path from 'node:path';
import process from 'node:process';
import { EngineClient, type EngineLaunch, localEngine } from '../engine/client';
import { untilInterrupted } from './interrupted';

/**
 * What drivers print stays off the terminal unless SEAMSCOPE_LOG is set; the last words are part of any error.
 * Rejects with Interrupted after Ctrl+C, when the engine is gone.
 * `running` is the socket of an engine that runs already (see hub-engine.ts): only this client of it is gone afterwards.
 */
export async function withEngine<T>(dir: string, work: (client: EngineClient) => Promise<T>, running: string | null = null): Promise<T> {
  const launch = running ? bridge(dir, running) : localEngine(path.join(dir, 'engine.js'));
  const client = new EngineClient({ name: 'command line', launch });
  if (process.env.SEAMSCOPE_LOG) client.on('stderr', (text) => process.stderr.write(text));
  try {
    return await untilInterrupted(work(client));
  } finally {
    await client.dispose();
  }
}

function bridge(dir: string, socket: string): EngineLaunch {
  return {
    command: process.execPath,
    args: [path.join(dir, 'cli.js'), 'engine', '--connect', socket],
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  };
}
