// Joins native/publisher/src into the one header that users copy: native/publisher/seamscope.h.
// `node scripts/generate-publisher-header.mjs` writes; `--check` only says that it differs and exits 1.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../native/publisher');
const header = path.join(folder, 'seamscope.h');
// In the order of the header; each file includes the one before it.
const parts = ['wire', 'api', 'base', 'state', 'frame', 'slots', 'outputs', 'cuda_api', 'cuda_ring', 'cuda_publish'];
parts.push('vulkan_api', 'vulkan_ring', 'vulkan_formats', 'vulkan_publish', 'rings', 'making', 'connect', 'worker', 'lifecycle');

/** Returns the header's text. */
export function generateHeader() {
  const texts = parts.map((part) => readFileSync(path.join(folder, 'src', `${part}.h`), 'utf8').replace(/^#include "\w+\.h"\n\n?/gm, ''));
  return texts
    .map((text) => text.trim())
    .join('\n\n')
    .concat('\n');
}

function main() {
  const wanted = generateHeader();
  if (wanted === readFileSync(header, 'utf8')) return;
  if (process.argv.includes('--check')) {
    console.error('native/publisher/seamscope.h differs from native/publisher/src: run `node scripts/generate-publisher-header.mjs`.');
    process.exitCode = 1;
  } else {
    writeFileSync(header, wanted);
    console.log('native/publisher/seamscope.h written.');
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
