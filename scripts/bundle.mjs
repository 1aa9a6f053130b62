// Bundles every TypeScript entry point into dist/.
import { cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as esbuild from 'esbuild';

const root = path.resolve(import.meta.dirname ?? '.', '..');
const require = createRequire(import.meta.url);
const node = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
  absWorkingDir: root,
  // The ESM entry of web-tree-sitter breaks when bundled to CommonJS (createRequire of an undefined URL).
  alias: { 'web-tree-sitter': require.resolve('web-tree-sitter') },
};

/** Entry points that run on VS Code's Node. */
const nodeEntries = {
  extension: 'extension/src/main.ts',
  engine: 'helper/engine/main.ts',
  probe: 'helper/engine/probe.ts',
  'lint-server': 'helper/lint/server/main.ts',
  cli: 'helper/cli/main.ts',
};

export async function bundle({ minify = false } = {}) {
  await mkdir(path.join(root, 'dist/wasm'), { recursive: true });
  await Promise.all([
    esbuild.build({ ...node, minify, entryPoints: nodeEntries, outdir: 'dist', external: ['vscode'] }),
    esbuild.build({
      bundle: true,
      minify,
      platform: 'browser',
      format: 'iife',
      target: 'es2023',
      logLevel: 'warning',
      absWorkingDir: root,
      entryPoints: { preview: 'webview/src/preview/main.ts' },
      outdir: 'dist/webview',
      loader: { '.ttf': 'file' },
    }),
    ...wasmFiles().map((file) => cp(file, path.join(root, 'dist/wasm', path.basename(file)))),
  ]);
}

function wasmFiles() {
  const of = (pkg, file) => path.join(root, 'node_modules', pkg, file);
  return [
    of('web-tree-sitter', 'web-tree-sitter.wasm'),
    of('tree-sitter-cuda', 'tree-sitter-cuda.wasm'),
    of('tree-sitter-python', 'tree-sitter-python.wasm'),
  ];
}
