#!/usr/bin/env node
// Runs the workbench suite through @vscode/test-electron: against the source tree, or with --vsix FILE against the installed package.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { downloadAndUnzipVSCode, resolveCliArgsFromVSCodeExecutablePath, runTests } from '@vscode/test-electron';
import { bundleTests } from '../../../scripts/bundle-tests.mjs';
import { inRoot, root } from '../../../scripts/lib/paths.mjs';
import { main, StepError } from '../../../scripts/lib/run.mjs';
import { findCode } from './find-code.mjs';

const suite = inRoot('build/workbench/suite/index.js');
const runner = inRoot('test/workbench/runner');

/** The suite may write into its workspace, so it gets a copy. */
function copyWorkspace(home) {
  const workspace = path.join(home, 'demo');
  cpSync(inRoot('test/fixtures/demo'), workspace, { recursive: true });
  return workspace;
}

/** Desktop: installs through its command line into a folder of our own. Served: the stand-in installs. */
function installPackage(vsix, executable, served, home) {
  if (served) return { env: { SEAMSCOPE_VSIX: vsix }, args: [] };
  const folders = [`--extensions-dir=${path.join(home, 'extensions')}`, `--user-data-dir=${path.join(home, 'user')}`];
  const [cli, ...args] = resolveCliArgsFromVSCodeExecutablePath(executable);
  const { status, stdout, stderr } = spawnSync(cli, [...args, ...folders, '--install-extension', vsix], { encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) throw new StepError(`Installing ${vsix} failed.`, { output: stdout + stderr });
  return { env: {}, args: folders };
}

await main(async () => {
  const { vsix } = parseArgs({ options: { vsix: { type: 'string' } } }).values;
  const home = mkdtempSync(path.join(os.tmpdir(), 'seamscope-suite-'));
  try {
    await bundleTests();
    const code = findCode();
    const executable = code.executable ?? (await downloadAndUnzipVSCode());
    const installed = vsix ? installPackage(path.resolve(vsix), executable, code.served, home) : { env: {}, args: [] };
    await runTests({
      vscodeExecutablePath: executable,
      extensionDevelopmentPath: vsix ? runner : root,
      extensionTestsPath: suite,
      launchArgs: [copyWorkspace(home), ...installed.args],
      extensionTestsEnv: { ...installed.env, SEAMSCOPE_SCREENSHOT: inRoot(`build/workbench/failed-${vsix ? 'package' : 'source'}.png`) },
    });
  } catch (error) {
    // The suite has told its failures already; @vscode/test-electron only repeats the exit code.
    throw error instanceof StepError ? error : new StepError(`The workbench suite failed: ${error.message}`);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
});
