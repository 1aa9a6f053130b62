// The npm packages of the project itself.
import { readFileSync } from 'node:fs';
import { inRoot } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';

const lockFile = inRoot('package-lock.json');
/** npm writes here what it has really installed. */
const installedFile = inRoot('node_modules/.package-lock.json');

/** Compares versions rather than a stamp: a `npm install` by hand is as good as ours. */
function isReady() {
  let installed;
  try {
    installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  } catch {
    return false;
  }
  const wanted = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  return Object.entries(wanted).every(([name, entry]) => name === '' || entry.optional || installed[name]?.version === entry.version);
}

export const modules = {
  name: 'npm packages',
  isReady,
  install: () => run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { what: 'npm ci' }),
};
