// Headless Chromium for the served workbench.
import { chromium } from 'playwright-core';
import { StepError } from '../../../scripts/lib/run.mjs';
import { browserCommands, findCommand } from '../../../scripts/setup/system.mjs';

/** No look-ups of the browser's maker, no first-run pages, software rendering. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @returns {browser, page}; the page has 1280x800 pixels unless told otherwise. */
export async function openBrowser({ width = 1280, height = 800, colorScheme = 'dark' } = {}, timeout = 120_000) {
  const executablePath = process.env.CHROMIUM ?? findCommand(...browserCommands);
  if (!executablePath) throw new StepError('No Chromium found. Run: npm run setup, or set CHROMIUM to a browser.', { exitCode: 2 });
  const browser = await chromium.launch({ executablePath, headless: true, args: flags, timeout });
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, permissions: ['clipboard-read', 'clipboard-write'] });
  return { browser, page: await context.newPage() };
}
