// What a user downloads, and what the editor loads at activation.
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const MiB = 2 ** 20;

export default {
  title: 'Package',
  async run({ root, dist }) {
    const vsix = readdirSync(root).find((file) => file.endsWith('.vsix'));
    const addon = path.join(dist, 'native/seamscope.node');
    return [
      { metric: 'extension.js, all that activation loads', value: statSync(path.join(dist, 'extension.js')).size / 1024, unit: 'KiB' },
      ...(existsSync(addon) ? [{ metric: 'native addon', value: statSync(addon).size / MiB, unit: 'MiB' }] : []),
      ...(vsix ? [{ metric: vsix, value: statSync(path.join(root, vsix)).size / MiB, unit: 'MiB', goal: '<= 8' }] : []),
    ];
  },
};
