/** The engine without a parent: programs publish to it, and `seamscope preview` looks at them through a socket beside theirs. */
import { chmodSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { closeEngine, openEngine, serveClient } from './engine';
import { exitOnUncaughtErrors, Shutdown } from './shutdown';
import { PacketTransport } from './transport';
import { UserError } from './user-error';

const ENDING = '.engine';
const CONNECT_MS = 500;

/** Runs until `stop` settles. `name` as in publishers/configure. `onReady` gets the socket that programs publish to. */
export async function runHubEngine(
  bundleDir: string,
  name: { name?: string },
  stop: Promise<void>,
  onReady: (socket: string) => void,
): Promise<void> {
  exitOnUncaughtErrors();
  const engine = openEngine(bundleDir);
  if (engine.loaded instanceof Error || !engine.native) throw engine.loaded;
  const { socket } = engine.native.publishers.configure({ enabled: true, ...name });
  if (!socket) throw new UserError('There is no socket to publish to.', 'Read the engine log.');
  engine.native.publishers.fix();
  removeDeadEngines(path.dirname(socket));
  const server = net.createServer((connection) => {
    const client = serveClient(engine, new PacketTransport(connection, connection), () => {
      connection.end();
      void client.close();
    });
    connection.on('error', () => connection.destroy());
  });
  const file = await listen(server, socket.replace(/\.sock$/, ENDING));
  const shutdown = new Shutdown(async () => {
    server.close();
    rmSync(file, { force: true });
    await closeEngine(engine);
  });
  onReady(socket);
  await stop;
  await shutdown.run();
}

/** The socket of the newest such engine in `folder` that answers. */
export async function findHubEngine(folder: string): Promise<string | null> {
  for (const file of candidates(folder)) {
    if (await answers(file)) return file;
  }
  return null;
}

function listen(server: net.Server, file: string): Promise<string> {
  rmSync(file, { force: true });
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new UserError(`${file} cannot be listened at: ${error.message}.`, 'Set XDG_RUNTIME_DIR to a folder of yours.')),
    );
    server.listen(file, () => {
      chmodSync(file, 0o600);
      resolve(file);
    });
  });
}

/** Engines that were killed leave their sockets. Removed are those of this user, called by the number of a process that is not there any more. */
export function removeDeadEngines(folder: string): void {
  for (const file of candidates(folder)) {
    const [, pid] = /^(\d+)\.engine$/.exec(path.basename(file)) ?? [];
    const status = pid === undefined || isThere(Number(pid)) ? null : lstatSync(file, { throwIfNoEntry: false });
    if (status?.isSocket() && status.uid === process.getuid?.()) rmSync(file, { force: true });
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function candidates(folder: string): string[] {
  try {
    const own = statSync(folder).uid === process.getuid?.();
    const files = own ? readdirSync(folder).filter((name) => name.endsWith(ENDING)) : [];
    const dated = files.map((name) => path.join(folder, name)).map((file) => ({ file, at: statSync(file).mtimeMs }));
    return dated.sort((a, b) => b.at - a.at).map(({ file }) => file);
  } catch {
    return [];
  }
}

function answers(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.connect(file);
    const settle = (alive: boolean) => {
      probe.destroy();
      resolve(alive);
    };
    probe.setTimeout(CONNECT_MS, () => settle(false));
    probe.once('connect', () => settle(true));
    probe.once('error', () => settle(false));
  });
}
