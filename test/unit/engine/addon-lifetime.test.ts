import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { realAddon, VIEW } from './harness';

// What only a real Node process shows: garbage collection, worker threads that are terminated, exits with work in flight.
vi.setConfig({ testTimeout: 120_000 });

const addon = realAddon();
if (!addon) console.log('skipped: the addon has not been built (npm run build)');

const prelude = `
  const addon = require(${JSON.stringify(addon)});
  const fs = require('node:fs');
  const params = JSON.stringify(${JSON.stringify(VIEW)});
  const openScene = () => addon.openScene({ device: 'host', width: 64, height: 32 });
  const fail = (message) => { console.error(message); process.exit(9); };
  const count = (folder) => fs.readdirSync('/proc/self/' + folder).length;
`;

/** Runs a script in a Node of its own. @returns its exit code, or the signal that ended it, and what it printed. */
async function node(script: string) {
  const child = promisify(execFile)(process.execPath, ['--expose-gc', '-e', `${prelude}(async () => {${script}})();`], { timeout: 60_000 });
  return child.then(
    ({ stdout }) => ({ ended: 0, stdout: stdout.trim() }),
    (error) => ({ ended: error.signal ?? error.code, stdout: `${error.stdout}${error.stderr}`.trim() }),
  );
}

const scripts: Readonly<Record<string, string>> = {
  'views that come and go leave no descriptor, no thread and no late callback': `
    const source = await openScene();
    const round = (id) => new Promise((resolve) => {
      let closed = false;
      const view = source.openView(id, params, () => {
        if (closed) fail('a picture after close');
        closed = true;
        view.close().then(resolve);
      }, fail);
      view.credit(2);
    });
    await round(1);
    const before = [count('fd'), count('task')];
    for (let id = 2; id < 40; ++id) await round(id);
    const after = [count('fd'), count('task')];
    await source.close();
    console.log(after.join() === before.join() ? 'done' : before + ' became ' + after);`,

  'an open view keeps its source': `
    const view = (await openScene()).openView(1, params, () => { pictures += 1; }, fail);
    let pictures = 0;
    for (let round = 0; round < 20; ++round) {
      globalThis.gc();
      view.credit(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    console.log(pictures > 1 ? 'done' : pictures + ' pictures');
    process.exit(0);`,

  'a process may exit while a frame is in the making': `
    const source = await openScene();
    const view = source.openView(1, params, () => { console.log('done'); process.exit(0); }, fail);
    view.credit(8);`,

  'a worker may be terminated while it looks at frames': `
    const { Worker } = require('node:worker_threads');
    const code = ${JSON.stringify(prelude)} + \`openScene().then((source) => {
      const view = source.openView(1, params, () => require('node:worker_threads').parentPort.postMessage('picture'), fail);
      view.credit(8);
    });\`;
    for (let round = 0; round < 5; ++round) {
      const worker = new Worker(code, { eval: true });
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      await worker.terminate();
    }
    console.log('done');`,
};

describe.skipIf(!addon)('the addon in a process of its own', () => {
  it.each(Object.entries(scripts))('%s', async (_title, script) => {
    expect(await node(script)).toEqual({ ended: 0, stdout: 'done' });
  });
});
