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

const stages = { render: 'rendering', ingest: 'taking in', view: 'fitting to the panel', encode: 'JPEG' };

/** What one picture costs, stage by stage, beside the time between two: whichever is nearest to it is the limit of the rate. */
function stageRows(output, fps) {
  const rows = Object.entries(stages).map(([stage, name]) => row(output, new RegExp(`${stage} ([\\d.]+) ms`), `of one picture: ${name}`, 'ms'));
  const interval = 1000 / fps;
  const slowest = rows.reduce((most, each) => (each.value > most.value ? each : most));
  // The stages run side by side, the browser beside them: what none of them explains is its painting and the way to it.
  const browser = slowest.value < interval / 2;
  const named = rows.map((each) => (each === slowest && !browser ? { ...each, metric: `${each.metric} (the limit)` } : each));
  return [
    ...named,
    { metric: `time between two pictures${browser ? ' (the limit: the browser and the way to it)' : ''}`, value: interval, unit: 'ms' },
  ];
}

export default {
  title: 'Served workbench',
  needs: ['workbench'],
  async run({ root }) {
    const output = await suite(root);
    const rate = row(output, /([\d.]+) pictures a second/, 'live preview of the built-in scene', 'fps', '>= 40');
    return [
      row(output, /activate\(\) took ([\d.]+) ms/, 'activate() of the extension', 'ms', '< 50'),
      rate,
      row(output, /frames of (\d+)x/, 'width of the frames rendered for it', 'pixels'),
      ...stageRows(output, rate.value),
    ];
  },
};
