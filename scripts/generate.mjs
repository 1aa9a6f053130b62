// Writes what is generated from typed constants: the contributions in package.json.
// `node scripts/generate.mjs` writes; `--check` only says what differs and exits 1.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const packageFile = path.join(root, 'package.json');

/** Returns package.json's text as the constants want it. */
export async function generatePackageJson() {
  const { manifest } = await importTypeScript('extension/src/contributions/manifest.ts');
  const current = JSON.parse(await readFile(packageFile, 'utf8'));
  return `${JSON.stringify(insertBefore(current, 'scripts', manifest), null, 2)}\n`;
}

/** Node 20 cannot import TypeScript: bundle in memory, import as a data URL. */
async function importTypeScript(file) {
  const built = await esbuild.build({ entryPoints: [path.join(root, file)], bundle: true, format: 'esm', write: false, logLevel: 'warning' });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].contents).toString('base64')}`);
}

/** Keeps the order of `object` and puts the keys of `extra` before `anchor`. */
function insertBefore(object, anchor, extra) {
  const kept = Object.entries(object).filter(([key]) => !(key in extra));
  const at = kept.findIndex(([key]) => key === anchor);
  return Object.fromEntries([...kept.slice(0, at), ...Object.entries(extra), ...kept.slice(at)]);
}

async function main() {
  const wanted = await generatePackageJson();
  if (wanted === (await readFile(packageFile, 'utf8'))) return;
  if (process.argv.includes('--check')) {
    console.error('package.json differs from extension/src/contributions: run `node scripts/generate.mjs`.');
    process.exitCode = 1;
  } else {
    await writeFile(packageFile, wanted);
    console.log('package.json written.');
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
