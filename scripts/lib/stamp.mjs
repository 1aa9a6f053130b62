// A stamp remembers from which inputs something was made, so that it is made again only when they change.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Hash of the names and contents of files, wherever they lie, and of plain texts. */
export function hashOf({ files = [], texts = [] }) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(path.basename(file)).update(readFileSync(file));
  for (const text of texts) hash.update(text);
  return hash.digest('hex');
}

export function stampMatches(stamp, hash) {
  try {
    return readFileSync(stamp, 'utf8') === hash;
  } catch {
    return false;
  }
}

export function clearStamp(stamp) {
  rmSync(stamp, { force: true });
}

export function writeStamp(stamp, hash) {
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}
