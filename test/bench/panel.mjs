// A preview panel of the served workbench in headless Chromium, with a canvas of the wanted size, for benchmarks.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openBrowser } from '../workbench/launch/browser.mjs';
import { startServer } from '../workbench/launch/server.mjs';
import { workbenchUrl } from '../workbench/launch/url.mjs';
import { notePictures } from './panel-hooks.mjs';

const waitMs = 90_000;

async function until(what, work, intervalMs = 200) {
  for (const end = Date.now() + waitMs; Date.now() < end; ) {
    const found = await work();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
  throw new Error(`${what} did not come within ${waitMs / 1000} s`);
}

/** Keys that are pressed before the workbench listens are lost, and commands are not all there at once: tried again. */
async function command(page, title) {
  const input = page.locator('.quick-input-widget input').first();
  const option = page.locator('.quick-input-list [role=option]').filter({ hasText: title }).first();
  await until(`the command "${title}"`, async () => {
    try {
      await page.keyboard.press('F1');
      await input.waitFor({ state: 'visible', timeout: 5000 });
      await input.fill(`>${title}`, { timeout: 5000 });
      await option.click({ timeout: 10_000 });
      return true;
    } catch {
      await page.keyboard.press('Escape');
      return false;
    }
  });
}

/** Makes the window so large that the canvas of the panel is. */
async function fitCanvas(page, canvas, size) {
  for (let round = 0; round < 4; ++round) {
    const box = await canvas.boundingBox();
    const [dx, dy] = [Math.round(size.width - box.width), Math.round(size.height - box.height)];
    if (dx === 0 && dy === 0) return;
    const { width, height } = page.viewportSize();
    await page.setViewportSize({ width: width + dx, height: height + dy });
    await page.waitForTimeout(800);
  }
}

const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, ppid] = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
        return [{ pid: Number(pid), ppid: Number(ppid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
      } catch {
        return [];
      }
    });

function below(root, all) {
  const own = all.filter(({ ppid }) => ppid === root);
  return own.flatMap((each) => [each, ...below(each.pid, all)]);
}

const residentMiB = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Seconds of CPU time that a process has had. */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** @returns what the panel drew since the last call, and the processes that take part, by role. */
export async function openPanel({ root, settings, size, source, inspectPort }) {
  const server = await startServer({ settings });
  let browser;
  const close = async () => {
    await browser?.close().catch(() => {});
    await server.stop();
  };
  try {
    let page;
    ({ browser, page } = await openBrowser({ width: 1280, height: 800 }));
    page.setDefaultTimeout(waitMs);
    await page.addInitScript(notePictures);
    const extensions = [server.developmentPath(root)];
    await page.goto(workbenchUrl({ port: server.port, folder: path.join(root, 'test/fixtures/demo'), extensions, inspectPort }));
    await page.locator('.monaco-workbench .activitybar').waitFor();
    await command(page, 'Seamscope: Open Preview');
    await page.locator('iframe.webview').waitFor();
    await command(page, 'View: Toggle Primary Side Bar Visibility');
    const outer = page.frameLocator('iframe.webview').frameLocator('#active-frame');
    await outer.locator('canvas').first().waitFor();
    const element = await page.locator('iframe.webview').elementHandle();
    const frame = await (await element.contentFrame()).waitForSelector('#active-frame').then((each) => each.contentFrame());
    const program = await source(await until('the socket for programs', () => socketOf(server)));
    await until('the frames of the program', () =>
      outer.locator('select.outputs').evaluate((list) => list.selectedOptions[0]?.parentElement.label === 'hub-bench'),
    );
    if (await outer.locator('.inspector').isVisible()) await outer.getByRole('button', { name: 'Inspector' }).click();
    await fitCanvas(page, outer.locator('.stage canvas').first(), size);
    const take = () => frame.evaluate(() => window.__pictures.splice(0));
    await until('a picture on the canvas', async () => (await take()).length > 0);
    return { page, frame, take, roles: () => roles(server), pids: (role) => members(server)[role].map(({ pid }) => pid), program, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function socketOf({ home }) {
  const folder = path.join(home, 'seamscope');
  const name = (() => {
    try {
      return readdirSync(folder).find((each) => each.endsWith('.sock'));
    } catch {
      return undefined;
    }
  })();
  return name && path.join(folder, name);
}

/** The processes that take part, by role. */
function members(server) {
  const all = processes();
  const served = below(server.pid, all);
  const browser = below(process.pid, all);
  return {
    'extension host': served.filter(({ command }) => command.includes('--type=extensionHost')),
    engine: served.filter(({ command }) => /engine\.js/.test(command)),
    'server of the workbench': [{ pid: server.pid }],
    'renderers of the browser': browser.filter(({ command }) => command.includes('--type=renderer')),
    'GPU process of the browser': browser.filter(({ command }) => command.includes('--type=gpu-process')),
    'rest of the browser': browser.filter(({ command }) => /chrom/.test(command) && !/--type=(renderer|gpu-process)/.test(command)),
  };
}

/** MiB and CPU seconds of the processes that take part, added up by role. */
function roles(server) {
  return Object.fromEntries(
    Object.entries(members(server)).map(([role, list]) => [
      role,
      {
        mib: list.reduce((sum, { pid }) => sum + residentMiB(pid), 0),
        cpu: list.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
      },
    ]),
  );
}
