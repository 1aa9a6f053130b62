/** The command on lavapipe, with the addon of this source tree: report, exit codes, and what is left after a cancel or a kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { runSeamProcess } from '../../../helper/engine/seamtest-process';
import type { SeamCell, SeamJob, SeamReport } from '../../../helper/protocol/seamtest';
import { childProcesses, realAddon } from '../engine/harness';
import { doublesOf, lavapipeUuid } from './lavapipe';

const addon = realAddon();
const root = path.resolve(import.meta.dirname, '../../..');
const dir = mkdtempSync(path.join(tmpdir(), 'seamscope-seam-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const entryPoints = {
  cli: path.join(root, 'helper/cli/main.ts'),
  engine: path.join(root, 'helper/engine/main.ts'),
  probe: path.join(root, 'helper/engine/probe.ts'),
  seamtest: path.join(root, 'helper/engine/seamtest-child.ts'),
};
buildSync({ bundle: true, platform: 'node', format: 'cjs', target: 'node20', entryPoints, outdir: dir, logLevel: 'error', external: ['./lint'] });

const uuid = addon ? lavapipeUuid(addon) : null;
const doubles = doublesOf(root);
if (!uuid) console.log('skipped: the addon has not been built with the seam test, or there is no lavapipe');
if (uuid && !doubles) console.log('skipped: the stand-in drivers have not been built (npm test builds them)');

const CELL: SeamCell = {
  mode: 'fence',
  slots: 1,
  ownership: 'exporter',
  processes: 1,
  direction: 'vulkan-to-partner',
  resource: 'buffer',
  frames: 1,
  warmup: 0,
  latencyFrames: 0,
  width: 64,
  height: 32,
};
const small = ['seamtest', '--json', '--quick', '--frames', '5', '--size', '64x32'];

function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [path.join(dir, 'cli.js'), ...args], {
    env: { ...process.env, SEAMSCOPE_ADDON: addon!, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function seamtest(args: string[], env: Record<string, string> = {}) {
  const child = start(args, env);
  const got = { stdout: '', stderr: '' };
  child.stdout?.on('data', (bytes) => (got.stdout += bytes));
  child.stderr?.on('data', (bytes) => (got.stderr += bytes));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...got };
}

function standIn(machine: object): Record<string, string> {
  const file = path.join(dir, `machine-${Object.keys(machine).join('-')}.json`);
  writeFileSync(file, JSON.stringify({ gpus: [{ name: 'Stand-in', uuid }], ...machine }));
  return { LD_LIBRARY_PATH: doubles!, SEAMSCOPE_DOUBLES: file };
}

const TIMEOUT = { timeout: 180_000 };

describe.skipIf(!uuid)('seamscope seamtest on lavapipe', TIMEOUT, () => {
  it('passes with the host as the partner, and says why the rest is skipped', async () => {
    const markdown = path.join(dir, 'seam.md');
    const { code, stdout, stderr } = await seamtest([...small, '--markdown', markdown]);
    const report = JSON.parse(stdout) as SeamReport;
    expect([code, stderr, report.checks.filter(({ ok }) => !ok)]).toEqual([0, '', []]);
    expect(report).toMatchObject({ version: 1, passed: true, device: { partner: 'host', vulkanUuid: uuid } });
    for (const run of report.runs) {
      if ('skipped' in run) expect(run.skipped).toMatch(/timeline|image/);
      else expect(run).toMatchObject({ fdGrowth: 0, hostCopies: 0, framesWrong: 0 });
    }
    expect(report.controls.map(({ result }) => 'tripped' in result && result.tripped)).toEqual([true, true, true]);
    const wrongOrders = report.teardown.filter(({ order, ownership }) => order === 'ownerFirst' && ownership === 'inverted');
    expect(wrongOrders.map(({ predicted }) => predicted.length)).toEqual([1, 1, 1]);
    expect(readFileSync(markdown, 'utf8')).toMatch(/^# Seam test\n\n\*\*Passed\.\*\*/);
  });

  it.skipIf(!doubles)('passes with the stand-in CUDA driver, images included', async () => {
    const { code, stdout } = await seamtest(small, standIn({}));
    const report = JSON.parse(stdout) as SeamReport;
    expect([code, report.checks.filter(({ ok }) => !ok)]).toEqual([0, []]);
    expect(report.device).toMatchObject({ partner: 'cuda', cudaOrdinal: 0 });
    expect(report.runs.some((run) => run.resource === 'image' && 'usPerFrame' in run && run.framesWrong === 0)).toBe(true);
    expect(report.streamSync).toMatchObject({ rows: { length: 4 } });
    expect(report.runs.some((run) => 'latencyUs' in run && run.latencyUs && run.latencyUs.p95 >= run.latencyUs.p50)).toBe(true);
  });

  it.skipIf(!doubles)('names the driver call that fails, and exits 1', async () => {
    const { code, stdout } = await seamtest(small, standIn({ faults: { function: 'cuImportExternalMemory', at: 0, error: 999 } }));
    const report = JSON.parse(stdout) as SeamReport;
    expect([code, report.passed]).toEqual([1, false]);
    expect(report.checks.find(({ name }) => name === 'runs')?.message).toMatch(/cuImportExternalMemory failed: CUDA_ERROR_UNKNOWN \(999\)/);
  });

  it.skipIf(!doubles)('kills a process whose driver call never returns', async () => {
    const env = { ...process.env, ...standIn({ faults: { hang: 'cuStreamCreate' } }) };
    const options = { script: path.join(dir, 'seamtest.js'), addonPath: addon!, env };
    const cell: SeamCell = { ...CELL, frames: 5, width: 64, height: 32 };
    const job: SeamJob = { kind: 'alone', parent: process.pid, device: { vulkanUuid: uuid!, cudaOrdinal: 0 }, cell };
    expect(await runSeamProcess(options, job, { onEvent: () => {}, silenceMs: 5_000 })).toMatchObject({ how: 'hung' });
    await expect.poll(() => childProcesses(dir), { timeout: 10_000 }).toEqual([]);
  });

  it.each([
    [['seamtest', '--frames', '0'], /--frames needs a number from 1/],
    [['seamtest', '--size', '64'], /--size needs WIDTHxHEIGHT/],
    [['seamtest', '--device', 'nonsense'], /No Vulkan device has the UUID nonsense\. There are: /],
    [['seamtest', '--quick', '--markdown', '/nonexistent/x.md', '--frames', '1', '--size', '64x32'], /\/nonexistent\/x\.md cannot be written/],
  ])('%j exits 2 with the cause', async (args, message) => {
    const { code, stdout, stderr } = await seamtest(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('ends at once when interrupted and leaves nothing', async () => {
    const child = start(['seamtest', '--frames', '100000']);
    let stderr = '';
    child.stderr?.on('data', (bytes) => (stderr += bytes));
    await expect.poll(() => childProcesses(path.join(dir, 'seamtest.js')).length, { timeout: 60_000 }).toBeGreaterThan(0);
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(130);
    // Whoever pressed Ctrl+C knows.
    expect(stderr).toBe('');
    await expect.poll(() => childProcesses(dir), { timeout: 10_000 }).toEqual([]);
  });

  it('leaves no process behind when it is killed at any moment', async () => {
    for (const delay of [50, 400, 1200, 2500]) {
      const child = start(small);
      const closed = once(child, 'exit');
      await sleep(delay);
      child.kill('SIGKILL');
      await closed;
      await expect.poll(() => childProcesses(dir), { timeout: 20_000 }).toEqual([]);
    }
  });
});
