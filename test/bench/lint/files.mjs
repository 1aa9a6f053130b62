// The sources below a folder, as `seamscope lint` finds them.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const extensions = /\.(c|h|cc|cpp|cxx|hpp|hh|hxx|inl|cu|cuh|m|mm|py)$/i;
const skipped = /(^|\/)(\.git|node_modules|build|out|dist|__pycache__|\.venv|venv)(\/|$)/;
const maxBytes = 2 * 2 ** 20;

/** Absolute paths in order of name. */
export function sourcesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => extensions.test(file) && !skipped.test(file.split(path.sep).join('/')))
    .map((file) => path.join(folder, file))
    .filter((file) => {
      const info = statSync(file, { throwIfNoEntry: false });
      return info?.isFile() && info.size > 0 && info.size <= maxBytes;
    })
    .sort();
}

export function bytesOf(files) {
  return files.map((file) => readFileSync(file));
}

export const megabytes = (buffers) => buffers.reduce((sum, { length }) => sum + length, 0) / 1e6;
