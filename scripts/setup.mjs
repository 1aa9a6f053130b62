#!/usr/bin/env node
// Installs what is missing, silently when nothing is. Node built-ins only: it runs before node_modules exists.
// Usage: node scripts/setup.mjs [part...]      no part: all of them
import { isMain, main, StepError } from './lib/run.mjs';
import { modules } from './setup/modules.mjs';
import { openexr } from './setup/openexr.mjs';
import { sysroot } from './setup/sysroot.mjs';
import { system } from './setup/system.mjs';
import { workbench } from './setup/workbench.mjs';

export const parts = {
  modules,
  native: system('native'),
  openexr,
  'native-tests': system('native tests'),
  browser: system('browser'),
  workbench,
  sysroot,
};

/** Makes the named parts ready, in the order of the table. Progress goes to stderr. */
export async function setup(names = Object.keys(parts)) {
  const unknown = names.filter((name) => !(name in parts));
  if (unknown.length > 0) throw new StepError(`Unknown part: ${unknown.join(', ')}. Parts are ${Object.keys(parts).join(', ')}.`, { exitCode: 2 });
  for (const [name, part] of Object.entries(parts)) {
    if (names.includes(name) && !part.isReady()) await install(part);
  }
}

async function install(part) {
  const detail = part.describe?.();
  process.stderr.write(`setup: ${part.name}${detail ? ` (${detail})` : ''} ...\n`);
  const start = Date.now();
  await part.install();
  process.stderr.write(`setup: ${part.name} ready after ${Math.round((Date.now() - start) / 1000)} s\n`);
}

if (isMain(import.meta.url)) await main(() => setup(process.argv.length > 2 ? process.argv.slice(2) : undefined));
