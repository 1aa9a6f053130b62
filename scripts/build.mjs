#!/usr/bin/env node
// Builds everything into dist/: bundles, WASM grammars, the native addon for this machine.
import { existsSync } from 'node:fs';
import { buildAddon, placeAddon } from './lib/native.mjs';
import { inRoot } from './lib/paths.mjs';
import { isMain, main, run } from './lib/run.mjs';
import { setup } from './setup.mjs';

/** Manifest and pages that are made from typed constants must not lag behind them. */
export async function checkGenerated() {
  const script = inRoot('scripts/generate.mjs');
  if (existsSync(script))
    await run(process.execPath, [script, '--check'], { what: 'the check of generated files', nextStep: 'Run: node scripts/generate.mjs' });
}

export async function build() {
  await setup(['modules', 'native']);
  // Only now: esbuild is one of the modules.
  const { bundle } = await import('./bundle.mjs');
  await checkGenerated();
  await bundle();
  placeAddon(await buildAddon({ out: 'build/native' }), inRoot('dist/native'));
}

if (isMain(import.meta.url)) await main(build);
