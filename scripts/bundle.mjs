// Bundles every TypeScript entry point, copies the WASM grammars and the pages of the rules.
import { cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { nativeBuildId } from './lib/build-id.mjs';
import { lazyChunks } from './lib/lazy-chunks.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { StepError } from './lib/run.mjs';

const require = createRequire(import.meta.url);
const common = { bundle: true, absWorkingDir: root, logLevel: 'warning', metafile: true };
const node = {
  ...common,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  sourcesContent: false,
  external: ['vscode'],
  // The ESM entry of web-tree-sitter breaks when bundled to CommonJS (createRequire of an undefined URL).
  alias: { 'web-tree-sitter': require.resolve('web-tree-sitter') },
};
const browser = { ...common, platform: 'browser', format: 'iife', target: 'es2023', loader: { '.ttf': 'file' } };

/** Loaded whenever a window opens a C++ file: its heavy parts lie in files of their own. */
const extensionEntry = { extension: 'extension/src/main.ts' };

/** Other entry points that run on VS Code's Node. */
const nodeEntries = {
  engine: 'helper/engine/main.ts',
  probe: 'helper/engine/probe.ts',
  seamtest: 'helper/engine/seamtest-child.ts',
  'lint-server': 'helper/lint/server/main.ts',
  cli: 'helper/cli/main.ts',
};

const webviewEntries = {
  preview: 'webview/src/preview/main.ts',
  devices: 'webview/src/devices/main.ts',
  seam: 'webview/src/seam/main.ts',
};

/** Pages that the editor opens. */
const pages = ['seam-test.md', 'devices.md'];

/** What "Add Publisher to Project" copies. */
const publisherFiles = ['seamscope.h', 'seamscope.py'];

const wasmFiles = ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-cuda/tree-sitter-cuda.wasm', 'tree-sitter-python/tree-sitter-python.wasm'];

/**
 * Writes into the folder `out`, relative to the repository.
 * @returns the names of the npm packages that have become part of it
 */
export async function bundle({ out = 'dist', minify = false } = {}) {
  await mkdir(inRoot(out, 'wasm'), { recursive: true });
  try {
    const define = { SEAMSCOPE_NATIVE_BUILD_ID: JSON.stringify(nativeBuildId()) };
    const nodeOptions = { ...node, define, minify, sourcemap: minify ? false : 'linked', outdir: out };
    const results = await Promise.all([
      bundleExtension(nodeOptions),
      esbuild.build({ ...nodeOptions, entryPoints: nodeEntries }),
      esbuild.build({ ...browser, minify, entryPoints: webviewEntries, outdir: path.join(out, 'webview') }),
      cp(inRoot('docs/rules'), inRoot(out, 'rules'), { recursive: true }),
      ...pages.map((page) => cp(inRoot('docs', page), inRoot(out, 'docs', page))),
      ...publisherFiles.map((file) => cp(inRoot('native/publisher', file), inRoot(out, 'publisher', file))),
      ...wasmFiles.map((file) => cp(inRoot('node_modules', file), inRoot(out, 'wasm', path.basename(file)))),
    ]);
    return packagesOf(results.flat());
  } catch (error) {
    // esbuild has already printed each error with its place.
    throw new StepError(`Bundling failed: ${error.message.split('\n')[0]}`);
  }
}

async function bundleExtension(options) {
  const chunks = {};
  // Without native dynamic imports the chunks are loaded by require.
  const common = { ...options, supported: { 'dynamic-import': false } };
  const main = await esbuild.build({ ...common, entryPoints: extensionEntry, plugins: [lazyChunks(chunks)] });
  return [main, await esbuild.build({ ...common, entryPoints: chunks })];
}

function packagesOf(results) {
  const inputs = results.flatMap((result) => Object.keys(result?.metafile?.inputs ?? {}));
  const names = [...inputs, ...wasmFiles.map((file) => `node_modules/${file}`)].map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  return [...new Set(names.filter(Boolean))].sort();
}
