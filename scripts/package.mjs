#!/usr/bin/env node
// Writes seamscope-linux-x64-VERSION.vsix: minified bundles and the addon built for glibc 2.31, staged apart from the build for this machine.
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { checkGenerated } from './build.mjs';
import { buildAddon, placeAddon } from './lib/native.mjs';
import { notices } from './lib/notices.mjs';
import { bin, inRoot } from './lib/paths.mjs';
import { isMain, main, run, StepError } from './lib/run.mjs';
import { setup } from './setup.mjs';

const stage = 'build/vsix';
const sizeLimit = 8 * 1024 * 1024;
const copied = ['README.md', 'CHANGELOG.md', 'LICENSE', '.vscodeignore', 'extension/media', 'extension/schemas', 'snippets'];

const manifest = () => JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
export const vsixFile = () => inRoot(`seamscope-linux-x64-${manifest().version}.vsix`);

/** What only the repository needs is left out of the shipped manifest. */
function writeManifest() {
  const { scripts, devDependencies, bin: _bin, ...shipped } = manifest();
  writeFileSync(inRoot(stage, 'package.json'), `${JSON.stringify(shipped, null, 2)}\n`);
}

export async function packageVsix() {
  await setup(['modules', 'native', 'openexr', 'sysroot']);
  await checkGenerated();
  rmSync(inRoot(stage), { recursive: true, force: true });
  mkdirSync(inRoot(stage), { recursive: true });
  for (const name of copied) cpSync(inRoot(name), inRoot(stage, name), { recursive: true });
  writeManifest();
  const { bundle } = await import('./bundle.mjs');
  const npmPackages = await bundle({ out: `${stage}/dist`, minify: true });
  placeAddon(await buildAddon({ out: 'build/native-shipping', shipping: true }), inRoot(stage, 'dist/native'), { shipping: true });
  writeFileSync(inRoot(stage, 'THIRD_PARTY_NOTICES.md'), notices(npmPackages));
  const file = vsixFile();
  await run(bin('vsce'), ['package', '--target', 'linux-x64', '--no-dependencies', '--out', file], { cwd: inRoot(stage), what: 'vsce package' });
  const { size } = statSync(file);
  if (size > sizeLimit) throw new StepError(`${file} has ${size} bytes; the limit is ${sizeLimit}.`);
  return { file, size };
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { file, size } = await packageVsix();
    console.log(`${file} (${(size / 1024 / 1024).toFixed(2)} MiB)`);
  });
}
