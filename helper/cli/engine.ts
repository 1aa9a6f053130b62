/** `seamscope engine --stdio`: this process becomes the engine. */
import { parseArgs } from 'node:util';
import { runEngine } from '../engine/engine';
import { UsageError } from './usage-error';

export async function runEngineCommand(args: string[], dir: string): Promise<null> {
  const { values } = parseArgs({ args, options: { stdio: { type: 'boolean' } } });
  if (!values.stdio) throw new UsageError('The engine needs --stdio.');
  runEngine(dir);
  return null;
}
