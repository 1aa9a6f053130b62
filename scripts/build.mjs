#!/usr/bin/env node
// Builds everything into dist/: bundles, WASM grammars, the native addon for this machine.
import { buildAddon, placeAddon } from './lib/native.mjs';
import { inRoot } from './lib/paths.mjs';
import { step } from './lib/progress.mjs';
import { isMain, main, run } from './lib/run.mjs';
import { setup } from './setup.mjs';

const generators = ['generate.mjs', 'generate-rules.mjs', 'generate-snippets.mjs'];

/** Manifest, rule pages and snippets are made from typed constants and must not lag behind them. */
export async function checkGenerated() {
  for (const name of generators) {
    const nextStep = `Run: node scripts/${name}`;
    await run(process.execPath, [inRoot('scripts', name), '--check'], { what: 'the check of generated files', nextStep });
  }
}

/** Told only when it takes long enough to wonder. */
const slow = (what, work) => step(what, work, { prefix: 'build: ', quietMs: 1500 });

export async function build() {
  await setup(['modules', 'native', 'openexr']);
  // Only now: esbuild is one of the modules.
  const { bundle } = await import('./bundle.mjs');
  await slow('checking generated files', checkGenerated);
  await slow('bundling', () => bundle());
  const addon = await slow('building the native addon', () => buildAddon({ out: 'build/native' }));
  placeAddon(addon, inRoot('dist/native'));
}

if (isMain(import.meta.url)) await main(build);
