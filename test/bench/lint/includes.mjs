// What a compiler has to be told to read a tree that was only checked out: include folders, as the tree's own include lines tell them.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const maxFolders = 40;
const header = /\.(h|hh|hpp|hxx|inl|cuh|h\.in)$/i;

function includesOf(file) {
  return [...readFileSync(file, 'latin1').matchAll(/^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]/gm)].map((match) => match[1]);
}

/** How many folders two paths have in common. */
function shared(a, b) {
  const [left, right] = [a.split(path.sep), b.split(path.sep)];
  const at = left.findIndex((part, i) => part !== right[i]);
  return at < 0 ? left.length : at;
}

/** The folders below which the sources find most of the headers of their own tree. `files`: all sources and headers of the tree. */
export function includeFolders(files) {
  const byName = new Map();
  for (const file of files.filter((each) => header.test(each))) {
    const name = path.basename(file);
    byName.set(name, [...(byName.get(name) ?? []), file]);
  }
  const uses = new Map();
  for (const file of files) {
    for (const include of includesOf(file)) {
      const tail = path.sep + path.normalize(include);
      const found = (byName.get(path.basename(include)) ?? []).filter((each) => each.endsWith(tail));
      if (found.length === 0 || found.includes(path.join(path.dirname(file), include))) continue;
      const nearest = found.reduce((best, each) => (shared(each, file) > shared(best, file) ? each : best));
      const folder = nearest.slice(0, -tail.length);
      uses.set(folder, (uses.get(folder) ?? 0) + 1);
    }
  }
  return [...uses.entries()]
    .sort((a, b) => b[1] - a[1])
    .slice(0, maxFolders)
    .map(([folder]) => folder);
}
