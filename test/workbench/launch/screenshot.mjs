// Takes the picture of Seamscope at work: device tree, demo file with squiggles, live preview beside it, Problems panel below.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { PNG } from 'pngjs';
import { root } from '../../../scripts/lib/paths.mjs';
import { StepError } from '../../../scripts/lib/run.mjs';
import { openBrowser } from './browser.mjs';
import { startServer } from './server.mjs';
import { workbenchUrl } from './url.mjs';

const themes = { light: 'Light Modern', dark: 'Dark Modern', hc: 'Default High Contrast' };
const windowSize = { width: 1600, height: 1000 };
const waitMs = 90_000;
/** A picture of the built-in scene has thousands of colours, a blank or greeting panel a few dozen. */
const leastColours = 500;

const demoFile = 'shared_image.cpp';

export async function screenshot({ file, theme, demo }) {
  const colorTheme = themes[theme];
  if (!colorTheme) throw new StepError(`Unknown theme ${theme}: choose ${Object.keys(themes).join(', ')}.`, { exitCode: 2 });
  const server = await startServer({ settings: { 'workbench.colorTheme': colorTheme, 'editor.minimap.enabled': false } });
  let browser;
  try {
    let page;
    ({ browser, page } = await openBrowser({ ...windowSize, colorScheme: theme === 'light' ? 'light' : 'dark' }));
    await page.goto(workbenchUrl({ port: server.port, folder: demo, extensions: [server.developmentPath(root)], file: path.join(demo, demoFile) }));
    mkdirSync(path.dirname(file), { recursive: true });
    await arrange(page).catch(async (error) => {
      await page.screenshot({ path: file }).catch(() => {});
      throw error instanceof StepError ? new StepError(`${error.message} The window as it was: ${file}`, { output: server.log() }) : error;
    });
    await page.screenshot({ path: file });
  } finally {
    await browser?.close().catch(() => {});
    await server.stop();
  }
}

async function arrange(page) {
  await appears('the workbench', page.locator('.monaco-workbench .activitybar'));
  await appears(`the editor with ${demoFile}`, page.locator('.monaco-editor .view-line').first());
  await page.getByRole('tab', { name: 'Seamscope' }).click();
  await command(page, 'Problems: Focus on Problems View');
  await appears('a diagnostic in the Problems view', page.locator('.markers-panel [role=treeitem]').first());
  await showSquiggle(page);
  await command(page, 'Seamscope: Open Preview');
  await appears('the preview panel', page.locator('iframe.webview'));
  await appears('a device in the Devices view', page.locator('.pane-body .monaco-list[aria-label*="Devices"] [role=treeitem]').first());
  await liveFrame(page);
}

/** Scrolls to the first problem of the file. Its peek view would hide the code, so it is closed again. */
async function showSquiggle(page) {
  await command(page, 'View: Focus First Editor Group');
  await command(page, 'Go to Next Problem (Error, Warning, Info)');
  await page.keyboard.press('Escape');
  await appears('a squiggle in the editor', page.locator('.squiggly-error, .squiggly-warning').first());
}

async function appears(what, locator) {
  await locator.waitFor({ state: 'visible', timeout: waitMs }).catch(() => {
    throw new StepError(`Never appeared within ${waitMs / 1000} s: ${what}.`);
  });
}

async function command(page, title) {
  await page.keyboard.press('F1');
  const input = page.locator('.quick-input-widget input').first();
  await appears('the command palette', input);
  await input.fill(`>${title}`);
  await appears(`the command ${title}`, page.locator('.quick-input-list [role=option]').filter({ hasText: title }).first());
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden', timeout: 10_000 });
}

/** Waits until the preview shows a rich picture that moves. */
async function liveFrame(page) {
  const canvas = page.frameLocator('iframe.webview').frameLocator('#active-frame').locator('canvas').first();
  await appears('the canvas of the preview', canvas);
  const end = Date.now() + waitMs;
  let previous;
  while (Date.now() < end) {
    const pixels = PNG.sync.read(await canvas.screenshot({ timeout: 20_000 })).data;
    if (colours(pixels) >= leastColours && previous && !previous.equals(pixels)) return;
    previous = pixels;
    await page.waitForTimeout(250);
  }
  throw new StepError(`Never appeared within ${waitMs / 1000} s: a live frame in the preview.`);
}

function colours(rgba) {
  const seen = new Set();
  for (let at = 0; at < rgba.length; at += 4) seen.add(rgba.readUInt32LE(at));
  return seen.size;
}
