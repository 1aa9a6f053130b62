// What publishing costs a program: seamscope.h against a hub that takes every frame, in one process.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** Beside the native tests: of this repository, or of the unpacked GPU bundle. */
function find(root) {
  const places = ['native/examples', 'build/native-tests/examples'].map((folder) => path.join(root, folder, 'publisher_bench'));
  const found = places.find((file) => existsSync(file));
  if (!found) throw new Error('publisher_bench is not built. Run: node scripts/test.mjs native');
  return found;
}

const goals = {
  'publish, connected, nobody watches': 'a few ns',
  'publish from CUDA memory, watched, 1920x1080 RGBA8': '<= 20 us on an H200',
};

export default {
  title: 'Publisher (C)',
  async run({ root }) {
    const { status, stdout, stderr } = spawnSync(find(root), [], { encoding: 'utf8', timeout: 120_000 });
    if (status !== 0) throw new Error(`publisher_bench: ${stderr.trim() || `exit code ${status}`}`);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return rows.map((row) => ({ ...row, goal: goals[row.metric] }));
  },
};
