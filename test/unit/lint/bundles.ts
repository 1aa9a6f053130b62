// A folder as the lint server and the command line find it when shipped: bundles with the grammars beside them.
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';

const root = path.resolve(import.meta.dirname, '../../..');

export function bundleInto(entry: string, name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'seamscope-lint-'));
  const file = path.join(folder, name);
  const alias = { 'web-tree-sitter': createRequire(import.meta.url).resolve('web-tree-sitter') };
  buildSync({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    alias,
    outfile: file,
    logLevel: 'error',
  });
  copyGrammars(folder);
  return file;
}

export function copyGrammars(folder: string): void {
  mkdirSync(path.join(folder, 'wasm'), { recursive: true });
  for (const file of ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-cuda/tree-sitter-cuda.wasm', 'tree-sitter-python/tree-sitter-python.wasm'])
    cpSync(path.join(root, 'node_modules', file), path.join(folder, 'wasm', path.basename(file)));
  cpSync(path.join(root, 'docs/rules'), path.join(folder, 'rules'), { recursive: true });
}
