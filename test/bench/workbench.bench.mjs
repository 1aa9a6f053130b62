// The served workbench with a browser: activation and the rate of the live preview, as the workbench suite prints them.
import { spawn } from 'node:child_process';
import path from 'node:path';

const wanted = 'activation|moves';

function suite(root) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, SEAMSCOPE_GREP: wanted };
    const child = spawn(process.execPath, [path.join(root, 'test/workbench/launch/suite.mjs')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
    child.on('error', reject).on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output.slice(-2000)))));
  });
}

function row(output, pattern, metric, unit, goal) {
  const value = Number(pattern.exec(output)?.[1]);
  if (Number.isNaN(value)) throw new Error(`the suite printed nothing like ${pattern}`);
  return { metric, value, unit, goal };
}

export default {
  title: 'Served workbench',
  needs: ['workbench'],
  async run({ root }) {
    const output = await suite(root);
    return [
      row(output, /activate\(\) took ([\d.]+) ms/, 'activate() of the extension', 'ms', '< 50'),
      row(output, /([\d.]+) pictures a second/, 'live preview of the built-in scene', 'fps', '>= 40'),
      row(output, /render ([\d.]+) ms/, 'of one picture: rendering', 'ms'),
    ];
  },
};
