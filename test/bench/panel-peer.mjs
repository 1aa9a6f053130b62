// The peer that the panel is compared with: jupyter_rfb, which shows frames of Python in notebooks. Its own step, from array to compressed picture, is
// measured; its way to the browser needs a notebook server and is not.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const limitMs = 60_000;

/** @returns rows; none, with the reason printed, where the peer is not installed. */
export function measurePeer(root, python = process.env.PYTHON ?? 'python3') {
  const { status, stdout, stderr, error } = spawnSync(python, [path.join(root, 'test/bench/panel-peer.py')], { encoding: 'utf8', timeout: limitMs });
  if (status !== 0) {
    console.log(`  no peer measured: jupyter_rfb does not run with ${python}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
    console.log(`  Next step: ${python} -m pip install jupyter_rfb numpy simplejpeg, or name another interpreter with PYTHON.`);
    return [];
  }
  const { version, ms, kib, type } = JSON.parse(stdout);
  return [
    {
      metric: `jupyter_rfb ${version}: 1920x1080 to ${type}, median`,
      value: ms,
      unit: 'ms',
      note: `${kib.toFixed(0)} KiB; without its way to the browser`,
    },
  ];
}
