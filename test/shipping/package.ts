/** The unpacked .vsix, once for all tests of what is shipped. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(__dirname, '../..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
export const vsix = path.join(root, `seamscope-linux-x64-${version}.vsix`);

/** Unpacks into a folder of the caller's; returns the extension's folder in it. */
export function unpack(name: string): string {
  if (!existsSync(vsix)) throw new Error(`${vsix} is missing. Run: npm run package`);
  const folder = path.join(root, 'build/shipping', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('unzip', ['-q', vsix, '-d', folder]);
  return path.join(folder, 'extension');
}

/** All files below a folder, relative to it. */
export function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}
