import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, unpack, vsix } from './package';

const sizeLimit = 8 * 1024 * 1024;
const allowed =
  /^(package\.json|readme\.md|changelog\.md|LICENSE\.txt|THIRD_PARTY_NOTICES\.md|extension\/(media|schemas)\/.+|snippets\/[a-z-]+\.json|dist\/.+)$/;
const wanted = [
  'dist/extension.js',
  'dist/engine.js',
  'dist/probe.js',
  'dist/seamtest.js',
  'dist/lint-server.js',
  'dist/cli.js',
  'dist/webview/preview.js',
  'dist/webview/seam.js',
  'dist/docs/seam-test.md',
  'dist/wasm/web-tree-sitter.wasm',
  'dist/wasm/tree-sitter-cuda.wasm',
  'dist/wasm/tree-sitter-python.wasm',
  'dist/publisher/seamscope.h',
  'dist/publisher/seamscope.py',
  'dist/rules/README.md',
  'dist/rules/fd/use-after-transfer.md',
  'extension/schemas/seamscope.schema.json',
  'snippets/cpp.json',
  'snippets/cuda-cpp.json',
  'snippets/objective-cpp.json',
  'snippets/python.json',
  'dist/native/seamscope.node',
  'dist/native/libturbojpeg.so.0',
];

describe('the package', () => {
  let folder: string;
  beforeAll(() => {
    folder = unpack('contents');
  });

  it('is small', () => {
    expect(statSync(vsix).size).toBeLessThanOrEqual(sizeLimit);
  });

  it('holds every part and nothing else', () => {
    const files = filesBelow(folder);
    expect(files).toEqual(expect.arrayContaining(wanted));
    expect(files.filter((file) => !allowed.test(file))).toEqual([]);
    expect(files.filter((file) => file.endsWith('.map') || file.endsWith('.ts'))).toEqual([]);
  });

  it('is for linux-x64 and runs no script', () => {
    expect(readFileSync(path.join(folder, '../extension.vsixmanifest'), 'utf8')).toContain('TargetPlatform="linux-x64"');
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    expect(manifest.scripts).toBeUndefined();
    expect(manifest.dependencies).toBeUndefined();
  });

  it('names the licence of everything inside', () => {
    const notices = readFileSync(path.join(folder, 'THIRD_PARTY_NOTICES.md'), 'utf8');
    for (const name of [
      'libturbojpeg',
      'libstdc++',
      'JSON for Modern C++',
      'volk',
      'vscode-jsonrpc',
      'vscode-languageclient',
      'web-tree-sitter',
      'tree-sitter-cuda',
    ]) {
      expect(notices).toContain(name);
    }
  });

  it('holds no path of the machine that built it', () => {
    const home = path.resolve(__dirname, '../..');
    for (const file of filesBelow(folder)) expect(readFileSync(path.join(folder, file)).includes(home), file).toBe(false);
  });
});
