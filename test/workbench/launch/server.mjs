// Starts and stops the served VS Code on 127.0.0.1.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { codeServer, workbenchNode } from '../../../scripts/lib/paths.mjs';
import { cleanEnv, StepError } from '../../../scripts/lib/run.mjs';

const program = path.join(codeServer, 'lib/vscode/out/server-main.js');
/** Some seconds on an idle machine. */
const startTimeoutMs = 240_000;
const stopTimeoutMs = 4_000;

/** A quiet workbench: nothing that greets, updates, reports or fills the right third of the window. */
const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  // Else the browser's preference beats the theme that is asked for.
  'window.autoDetectColorScheme': false,
  'security.workspace.trust.enabled': false,
  // In a browser files are saved by themselves after a second; what a test changes is to be undone.
  'files.autoSave': 'off',
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  'npm.autoDetect': 'off',
};

/** Everything that the server writes lies in one temporary folder. */
function makeData(settings) {
  const home = mkdtempSync(path.join(os.tmpdir(), 'seamscope-workbench-'));
  const data = { home, user: path.join(home, 'user'), server: path.join(home, 'server'), extensions: path.join(home, 'extensions') };
  const text = JSON.stringify({ ...quietSettings, ...settings });
  mkdirSync(data.extensions);
  // Settings of the machine count from the one file, all others from the other.
  for (const folder of [path.join(data.user, 'User'), path.join(data.user, 'Machine')]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'settings.json'), text);
  }
  return data;
}

function installExtension(vsix, data, env) {
  const args = [
    '--accept-server-license-terms',
    '--extensions-dir',
    data.extensions,
    '--server-data-dir',
    data.server,
    '--install-extension',
    path.resolve(vsix),
  ];
  const { status, stdout, stderr } = spawnSync(workbenchNode, [program, ...args], { env, encoding: 'utf8', timeout: 60_000 });
  if (status !== 0 || !/successfully installed/.test(stdout))
    throw new StepError(`Installing ${vsix} into the workbench failed.`, { output: stdout + stderr });
}

/**
 * @param options.vsix extension package to install first
 * @param options.settings user settings on top of the quiet ones
 * @param options.port 0 picks a free one
 * @returns {port, home, pid, developmentPath(folder), log(), stop(), ended}; home is the folder of the data, stop ends the whole process group and removes the data, ended is a promise,
 *   developmentPath gives the path under which to open an extension that is being developed
 */
export async function startServer({ vsix, settings = {}, env = {}, port = 0 } = {}) {
  const data = makeData(settings);
  const serverEnv = { ...cleanEnv(), XDG_RUNTIME_DIR: data.home, EXTENSIONS_GALLERY: '{}', ...env };
  const remove = () => rmSync(data.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  try {
    if (vsix) installExtension(vsix, data, serverEnv);
    return await listen(data, serverEnv, port, remove);
  } catch (error) {
    remove();
    throw error;
  }
}

async function listen(data, env, port, remove) {
  const folders = ['--server-data-dir', data.server, '--user-data-dir', data.user, '--extensions-dir', data.extensions];
  const network = ['--host', '127.0.0.1', '--port', String(port), '--without-connection-token'];
  // Without the smoke test driver VS Code ignores the extension and the suite named in the address.
  const flags = ['--accept-server-license-terms', '--telemetry-level', 'off', '--enable-smoke-test-driver'];
  const child = spawn(workbenchNode, [program, ...network, ...flags, ...folders], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let log = '';
  let stopping;
  const stop = () => {
    stopping ??= endGroup(child).then(remove);
    return stopping;
  };
  // Also after Ctrl+C: nothing of ours outlives this process.
  process.once('exit', () => {
    signalGroup(child, 'SIGKILL');
    remove();
  });
  try {
    const boundPort = await new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new StepError(`The workbench server did not start within ${startTimeoutMs / 1000} s.`, { output: log })),
        startTimeoutMs,
      );
      const onData = (text) => {
        log += text;
        const match = /Web UI available at http:\/\/[^:]+:(\d+)/.exec(log);
        if (match) {
          clearTimeout(timer);
          resolve(Number(match[1]));
        }
      };
      child.stdout.on('data', onData);
      child.stderr.on('data', onData);
      child.once('error', reject);
      child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new StepError(`The workbench server ended with code ${code}.`, { output: log }));
      });
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    return { port: boundPort, home: data.home, pid: child.pid, developmentPath: (folder) => linkTo(folder, data.home), log: () => log, stop, ended };
  } catch (error) {
    await endGroup(child);
    throw error;
  }
}

/**
 * The workbench prefers the themes of the extension that is being developed, and judges by path: seen from the repository's root its own themes
 * would be ours, and the colour theme setting would have no effect.
 */
function linkTo(folder, home) {
  const link = path.join(home, path.basename(folder));
  if (!existsSync(link)) symlinkSync(path.resolve(folder), link);
  return link;
}

function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
    return true;
  } catch {
    return false;
  }
}

async function endGroup(child) {
  if (child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null && signalGroup(child, 'SIGTERM')) {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, stopTimeoutMs).unref())]);
  }
  signalGroup(child, 'SIGKILL');
}
