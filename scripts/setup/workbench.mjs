// The VS Code that is served to a browser: the server build inside an npm package, trimmed to what runs here, with the Node it wants.
import path from 'node:path';
import { codeServer, workbench as folder, workbenchNodeHome } from '../lib/paths.mjs';
import { cleanEnv, run } from '../lib/run.mjs';
import { clearStamp, hashOf, stampMatches, writeStamp } from '../lib/stamp.mjs';

const stamp = path.join(folder, 'node_modules/.seamscope-ready');
const inputs = () =>
  hashOf({ files: ['package.json', 'package-lock.json'].map((name) => path.join(folder, name)), texts: [modulesToBuild.join(), 'v1'] });
/** The native modules that come without a prebuilt binary and are needed. The package's own install script builds a dozen more, for three minutes. */
const modulesToBuild = ['@vscode/spdlog', '@vscode/native-watchdog', '@vscode/deviceid', '@vscode/fs-copyfile'];
const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

function npm(args, cwd, env = {}) {
  return run('npm', args, { cwd, env: cleanEnv(env), what: `npm ${args[0]} of the served workbench` });
}

async function install() {
  clearStamp(stamp);
  await npm(['ci', ...flags], folder);
  const server = path.join(codeServer, 'lib/vscode');
  // Its own npm-shrinkwrap.json pins every version.
  await npm(['install', ...flags], server);
  await npm(['install', ...flags], path.join(server, 'extensions'));
  await npm(['rebuild', '--ignore-scripts=false', '--foreground-scripts', ...modulesToBuild], server, {
    PATH: `${path.join(workbenchNodeHome, 'bin')}${path.delimiter}${process.env.PATH}`,
    npm_config_nodedir: workbenchNodeHome,
  });
  writeStamp(stamp, inputs());
}

export const workbench = {
  name: 'served workbench (VS Code for the browser, about a minute)',
  isReady: () => stampMatches(stamp, inputs()),
  install,
};
