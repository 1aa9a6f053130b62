#!/usr/bin/env node
// Stands in for the desktop `code` executable: takes the arguments that @vscode/test-electron passes, runs the suite in the served workbench
// under headless Chromium and exits with its verdict. A hang or a crash ends with exit code 99 and a picture of the window.
//   SEAMSCOPE_VSIX       extension package to install first
//   SEAMSCOPE_SCREENSHOT where to write the picture of a failed run
//   SEAMSCOPE_TIMEOUT_S  how long the suite may take, 600 by default
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import { main, StepError } from '../../../scripts/lib/run.mjs';
import { openBrowser } from './browser.mjs';
import { startServer } from './server.mjs';
import { workbenchUrl } from './url.mjs';

const neverEnded = 99;
const timeoutS = Number(process.env.SEAMSCOPE_TIMEOUT_S ?? 600);
const screenshot = process.env.SEAMSCOPE_SCREENSHOT ?? inRoot('build/workbench/failed.png');

/** What the workbench itself logs to the same console. */
const noise =
  /^(Resolv|Creating a socket|\[reconnection|Ignoring fetching|\[AccountPolicy|\[AgentHost|Updating additional|\[Service Worker|Creation of workbench|%c)/;

function parse(argv) {
  const options = { extensions: [], tests: undefined, folder: undefined };
  for (const argument of argv) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (name === 'extensionDevelopmentPath') options.extensions.push(value);
    else if (name === 'extensionTestsPath') options.tests = value;
    else if (!name) options.folder = argument;
  }
  if (!options.tests || options.extensions.length === 0) {
    throw new StepError('code-headless needs --extensionDevelopmentPath=... and --extensionTestsPath=...', { exitCode: 2 });
  }
  return options;
}

function print(type, args) {
  const texts = args.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  if (!noise.test(texts[0] ?? '')) console[type === 'error' ? 'error' : 'log'](...texts);
}

/** Resolves to the suite's exit code. */
async function runSuite(page, url) {
  let timer;
  const verdict = new Promise((resolve, reject) => {
    page.on('crash', () => reject(new StepError('The workbench page crashed.', { exitCode: neverEnded })));
    const tooLong = () => reject(new StepError(`The suite did not end within ${timeoutS} s.`, { exitCode: neverEnded }));
    timer = setTimeout(tooLong, timeoutS * 1000);
    // The workbench calls these two when the smoke test driver is on.
    void page.exposeFunction('codeAutomationLog', print);
    void page.exposeFunction('codeAutomationExit', resolve);
  });
  try {
    await page.goto(url, { timeout: 60_000 });
    return await verdict;
  } finally {
    clearTimeout(timer);
  }
}

async function saveScreenshot(page) {
  mkdirSync(path.dirname(screenshot), { recursive: true });
  await page.screenshot({ path: screenshot, timeout: 10_000 }).then(
    () => console.error(`The window when the suite failed: ${screenshot}`),
    (error) => console.error(`No picture of the window: ${error.message}`),
  );
}

await main(async () => {
  const options = parse(process.argv.slice(2));
  const server = await startServer({ vsix: process.env.SEAMSCOPE_VSIX });
  let browser;
  try {
    let page;
    ({ browser, page } = await openBrowser());
    try {
      process.exitCode = await runSuite(
        page,
        workbenchUrl({ port: server.port, ...options, extensions: options.extensions.map(server.developmentPath) }),
      );
      if (process.exitCode !== 0) await saveScreenshot(page);
    } catch (error) {
      await saveScreenshot(page);
      throw error;
    }
  } finally {
    await browser?.close().catch(() => {});
    await server.stop();
  }
});
