/** Runs a command's work on an engine of its own, which is gone afterwards whatever happened. */
import path from 'node:path';
import process from 'node:process';
import { EngineClient, localEngine } from '../engine/client';

/** What drivers print stays off the terminal unless SEAMSCOPE_LOG is set; the last words are part of any error. */
export async function withEngine<T>(dir: string, work: (client: EngineClient) => Promise<T>): Promise<T> {
  const client = new EngineClient({ name: 'command line', launch: localEngine(path.join(dir, 'engine.js')) });
  if (process.env.SEAMSCOPE_LOG) client.on('stderr', (text) => process.stderr.write(text));
  try {
    return await work(client);
  } finally {
    await client.dispose();
  }
}
