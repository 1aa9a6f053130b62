// Takes the picture of Seamscope at work: device tree, demo file with squiggles, live preview beside it, Problems panel below.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { PNG } from 'pngjs';
import { root } from '../../../scripts/lib/paths.mjs';
import { step } from '../../../scripts/lib/progress.mjs';
import { StepError } from '../../../scripts/lib/run.mjs';
import { openBrowser } from './browser.mjs';
import { startServer } from './server.mjs';
import { workbenchUrl } from './url.mjs';

const themes = { light: 'Light Modern', dark: 'Dark Modern', hc: 'Default High Contrast' };
const windowSize = { width: 1600, height: 1000 };
/** For each thing that is waited for. Eight of these beside each other on two cores must not run into it. */
const waitMs = 300_000;
/** Keys that are pressed before the workbench listens are lost. */
const pressAgainMs = 10_000;
/** A picture of the built-in scene has thousands of colours, a blank or greeting panel a few dozen. */
const leastColours = 500;

const demoFile = 'shared_image.cpp';

export async function screenshot({ file, theme, demo }) {
  const colorTheme = themes[theme];
  if (!colorTheme) throw new StepError(`Unknown theme ${theme}: choose ${Object.keys(themes).join(', ')}.`, { exitCode: 2 });
  const server = await said('the workbench server', () =>
    startServer({ settings: { 'workbench.colorTheme': colorTheme, 'editor.minimap.enabled': false } }),
  );
  let browser;
  try {
    let page;
    const look = { ...windowSize, colorScheme: theme === 'light' ? 'light' : 'dark' };
    ({ browser, page } = await waitFor('the browser', () => openBrowser(look, waitMs)));
    page.setDefaultTimeout(waitMs);
    mkdirSync(path.dirname(file), { recursive: true });
    const url = workbenchUrl({ port: server.port, folder: demo, extensions: [server.developmentPath(root)], file: path.join(demo, demoFile) });
    await arrange(page, url).catch(async (error) => {
      await page.screenshot({ path: file, timeout: 30_000 }).catch(() => {});
      throw error instanceof StepError ? new StepError(`${error.message} The window as it was: ${file}`, { output: server.log() }) : error;
    });
    await waitFor('the picture', () => page.screenshot({ path: file }));
  } finally {
    await browser?.close().catch(() => {});
    await server.stop();
  }
}

const said = (what, work) => step(what, work, { prefix: 'screenshot: ' });

/** Names what is waited for, while it lasts and when it does not come. */
function waitFor(what, work) {
  return said(what, () =>
    work().catch((error) => {
      if (error instanceof StepError) throw error;
      const cause = error.name === 'TimeoutError' ? `did not come within ${waitMs / 1000} s` : `failed: ${error.message.split('\n')[0]}`;
      throw new StepError(`${what} ${cause}.${error.name === 'TimeoutError' ? ' The machine may be too busy: try again.' : ''}`);
    }),
  );
}

const appears = (what, locator) => waitFor(what, () => locator.waitFor({ state: 'visible', timeout: waitMs }));

async function arrange(page, url) {
  await waitFor('the page of the workbench', () => page.goto(url, { timeout: waitMs, waitUntil: 'domcontentloaded' }));
  await appears('the workbench', page.locator('.monaco-workbench .activitybar'));
  await appears(`the editor with ${demoFile}`, page.locator('.monaco-editor .view-line').first());
  await waitFor("Seamscope's view container", () => page.getByRole('tab', { name: 'Seamscope' }).click());
  await command(page, 'Problems: Focus on Problems View');
  await appears('a diagnostic in the Problems view', page.locator('.markers-panel [role=treeitem]').first());
  await showSquiggle(page);
  await command(page, 'Seamscope: Open Preview');
  await appears('the preview panel', page.locator('iframe.webview'));
  await appears('a device in the Devices view', page.locator('.pane-body .monaco-list[aria-label*="Devices"] [role=treeitem]').first());
  await waitFor('a live frame in the preview', () => liveFrame(page));
}

/** Scrolls to the first problem of the file. Its peek view would hide the code, so it is closed again. */
async function showSquiggle(page) {
  await command(page, 'View: Focus First Editor Group');
  await command(page, 'Go to Next Problem (Error, Warning, Info)');
  await page.keyboard.press('Escape');
  await appears('a squiggle in the editor', page.locator('.squiggly-error, .squiggly-warning').first());
}

function command(page, title) {
  return waitFor(`the command "${title}"`, async () => {
    const input = await openPalette(page);
    await input.fill(`>${title}`);
    await page.locator('.quick-input-list [role=option]').filter({ hasText: title }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  });
}

async function openPalette(page) {
  const input = page.locator('.quick-input-widget input').first();
  for (const end = Date.now() + waitMs; Date.now() < end; ) {
    await page.keyboard.press('F1');
    const isOpen = await input.waitFor({ state: 'visible', timeout: pressAgainMs }).then(
      () => true,
      () => false,
    );
    if (isOpen) return input;
  }
  throw new StepError(`The command palette did not open within ${waitMs / 1000} s.`);
}

/** Waits until the preview shows a rich picture that moves. */
async function liveFrame(page) {
  const canvas = page.frameLocator('iframe.webview').frameLocator('#active-frame').locator('canvas').first();
  await canvas.waitFor();
  let previous;
  for (const end = Date.now() + waitMs; Date.now() < end; ) {
    const pixels = PNG.sync.read(await canvas.screenshot()).data;
    if (colours(pixels) >= leastColours && previous && !previous.equals(pixels)) return;
    previous = pixels;
    await page.waitForTimeout(250);
  }
  throw new StepError(`No picture that moves came within ${waitMs / 1000} s.`);
}

function colours(rgba) {
  const seen = new Set();
  for (let at = 0; at < rgba.length; at += 4) seen.add(rgba.readUInt32LE(at));
  return seen.size;
}
