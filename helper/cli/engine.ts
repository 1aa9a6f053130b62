/** `seamscope engine`: this process becomes the engine, of one client on stdin and stdout or of nobody in particular. */
import net from 'node:net';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runEngine } from '../engine/engine';
import { runHubEngine } from '../engine/hub-engine';
import { complain, print } from './output';
import { socketRemark, wantedSocketName } from './socket-name';
import { UsageError } from './usage-error';

export async function runEngineCommand(args: string[], dir: string): Promise<null> {
  const { values } = parseArgs({ args, options: { stdio: { type: 'boolean' }, connect: { type: 'string' } } });
  if (values.stdio && values.connect !== undefined) throw new UsageError('--stdio and --connect exclude each other.');
  if (values.stdio) runEngine(dir);
  else if (values.connect !== undefined) pipeTo(values.connect);
  else await runHubEngine(dir, wantedSocketName(), interrupted(), announce);
  return null;
}

function announce(socket: string): void {
  print(`Programs publish to ${socket}.`);
  const remark = socketRemark(socket);
  if (remark) complain(remark);
  print('Look at one with "seamscope preview --source NAME". Ctrl+C, or the end of standard input, ends this.');
}

/** A client's stdin and stdout, passed on to an engine that runs already. */
function pipeTo(file: string): void {
  const engine = net.connect(file);
  engine.on('error', () => process.exit(1));
  engine.on('close', () => process.exit(0));
  process.stdin.pipe(engine);
  engine.pipe(process.stdout);
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    process.stdin.once('end', () => resolve());
    process.stdin.once('error', () => resolve());
    process.stdin.resume();
  });
}
