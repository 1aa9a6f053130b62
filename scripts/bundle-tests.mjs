// Bundles the workbench suite into build/workbench/suite, where the launcher looks for it.
import * as esbuild from 'esbuild';
import { root } from './lib/paths.mjs';
import { isMain, main } from './lib/run.mjs';

export async function bundleTests({ out = 'build/workbench/suite' } = {}) {
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['test/workbench/suite/index.ts'],
    outdir: out,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
    // Mocha loads its parts by name at run time.
    external: ['vscode', 'mocha'],
  });
}

if (isMain(import.meta.url)) await main(bundleTests);
