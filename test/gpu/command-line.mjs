// Runs the built command line, as a user does.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const dist = process.env.SEAMSCOPE_DIST;
if (!dist) throw new Error('SEAMSCOPE_DIST must name the folder of the build.');

/** @returns what it printed; throws with its own words when it exits otherwise than with 0. */
export function seamscope(...args) {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [path.join(dist, 'cli.js'), ...args], { encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) throw new Error(`seamscope ${args.join(' ')} ended with ${status ?? error?.message}:\n${stderr}`);
  return stdout;
}

let snapshot;
/** The device snapshot (helper/protocol/devices.ts), taken once. */
export function devices() {
  snapshot ??= JSON.parse(seamscope('devices', '--json'));
  return snapshot;
}
