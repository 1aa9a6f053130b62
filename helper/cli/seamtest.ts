/** `seamscope seamtest`. Exit codes: 0 every check holds, 1 one failed, 2 it could not run, 130 after Ctrl+C. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { runSeamTest } from '../engine/seamtest';
import { seamMarkdown } from '../engine/seamtest-markdown';
import { UserError } from '../engine/user-error';
import type { DeviceSnapshot } from '../protocol/devices';
import type { SeamProgress } from '../protocol/seamtest';
import { orInterrupted } from './interrupted';
import { print, printJson } from './output';
import { parseSeamTest } from './seamtest-options';
import { checkTarget } from './target-file';
import { withEngine } from './with-engine';

export async function runSeamTestCommand(args: string[], dir: string): Promise<number> {
  const { json, markdown, device, settings } = parseSeamTest(args);
  if (markdown !== undefined) checkTarget(markdown, '--markdown');
  const { addonPath, snapshot } = await askEngine(dir);
  const script = path.join(dir, 'seamtest.js');
  const given = { script, addonPath, env: process.env, snapshot, settings, ...(device === undefined ? {} : { device }) };
  try {
    const report = await orInterrupted((signal) => runSeamTest({ ...given, onProgress: showProgress, signal }));
    if (markdown !== undefined) await save(markdown, seamMarkdown(report));
    if (json) printJson(report);
    else print(seamMarkdown(report));
    return report.passed ? 0 : 1;
  } finally {
    clearProgress();
  }
}

/** The engine is gone before the test starts: it must not share the GPU with what is measured. */
function askEngine(dir: string): Promise<{ addonPath: string; snapshot: DeviceSnapshot }> {
  return withEngine(dir, async (client) => {
    const { addonPath, addonProblem, addonStale } = await client.start();
    const problem = addonProblem ?? addonStale;
    if (problem) throw new UserError(problem.message, problem.nextStep);
    return { addonPath, snapshot: await client.request('devices/snapshot', {}) };
  });
}

async function save(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new UserError(`${file} cannot be written: ${(error as Error).message}.`, 'Choose another file for --markdown.');
  }
}

function showProgress({ done, total, text }: SeamProgress): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K[${done}/${total}] ${text}`.slice(0, process.stderr.columns));
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}
