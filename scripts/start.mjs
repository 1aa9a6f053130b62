#!/usr/bin/env node
// Opens the demo workspace with the extension: in desktop VS Code when `code` is on the PATH, else in a VS Code served to the browser.
//   npm start
//   npm start -- --port 8080
//   npm start -- --screenshot FILE [--theme light|dark|hc]     headless, writes a PNG and ends
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { main, run, StepError } from './lib/run.mjs';
import { findCommand } from './setup/system.mjs';
import { setup } from './setup.mjs';

const demo = inRoot('test/fixtures/demo');

function parse() {
  try {
    const options = { screenshot: { type: 'string' }, theme: { type: 'string', default: 'dark' }, port: { type: 'string', default: '0' } };
    return parseArgs({ options }).values;
  } catch (error) {
    throw new StepError(`${error.message}\nUsage: npm start -- [--port N] [--screenshot FILE [--theme light|dark|hc]]`, { exitCode: 2 });
  }
}

async function startDesktop(code) {
  await build();
  await run(code, ['--new-window', `--extensionDevelopmentPath=${root}`, demo], { what: 'starting VS Code', timeoutMs: 60_000 });
  console.log('VS Code opens the demo workspace with Seamscope.');
}

async function startServed(port) {
  await setup(['modules', 'native', 'openexr', 'browser', 'workbench']);
  await build();
  const { startServer } = await import('../test/workbench/launch/server.mjs');
  const { workbenchUrl } = await import('../test/workbench/launch/url.mjs');
  const server = await startServer({ port });
  console.log(
    `Seamscope in VS Code: ${workbenchUrl({ port: server.port, folder: demo, extensions: [server.developmentPath(root)] })}\nCtrl+C stops it.`,
  );
  await server.ended;
  throw new StepError('The workbench server ended by itself.', { output: server.log() });
}

async function takeScreenshot(file, theme) {
  await setup(['modules', 'native', 'openexr', 'browser', 'workbench']);
  await build();
  const { screenshot } = await import('../test/workbench/launch/screenshot.mjs');
  await screenshot({ file: path.resolve(file), theme, demo });
  console.log(path.resolve(file));
}

await main(async () => {
  const { screenshot, theme, port } = parse();
  const code = findCommand('code');
  if (screenshot) await takeScreenshot(screenshot, theme);
  else if (code && process.env.SEAMSCOPE_START !== 'served') await startDesktop(code);
  else await startServed(Number(port));
});
