// The program hub-publisher.c: built where it is not there yet, and run.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/** The GPU bundle brings it built. Null, with the reason printed, where it can neither be found nor built. */
export function buildPublisher(root) {
  const shipped = path.join(root, 'native', 'examples', 'hub-publisher');
  if (existsSync(shipped)) return shipped;
  const folder = path.join(root, 'build', 'bench');
  const program = path.join(folder, 'hub-publisher');
  mkdirSync(folder, { recursive: true });
  const args = [
    '-O2',
    '-I',
    path.join(root, 'native', 'publisher'),
    '-o',
    program,
    path.join(root, 'test', 'bench', 'hub-publisher.c'),
    '-pthread',
    '-ldl',
  ];
  const { status, stderr, error } = spawnSync(process.env.CC ?? 'cc', args, { encoding: 'utf8', timeout: 60_000 });
  if (status === 0) return program;
  console.log(`  skipped: the publisher does not compile here: ${error?.message ?? stderr}`);
  return null;
}

export function startPublisher(program, args, socket) {
  const child = spawn(program, args.map(String), { env: { ...process.env, SEAMSCOPE_SOCKET: socket }, stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  return {
    async stop() {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.stdin.end();
      await ended;
      return JSON.parse(text);
    },
  };
}
