// One id for the native sources: the bundles and the addon carry it, so that an addon that was left behind is noticed.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from './paths.mjs';
import { hashOf } from './stamp.mjs';

const folders = ['native/src', 'native/shaders', 'native/kernels'];

/** Twelve hexadecimal digits. */
export function nativeBuildId() {
  const files = folders.flatMap((folder) =>
    readdirSync(inRoot(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name)),
  );
  return hashOf({ files: [inRoot('native/CMakeLists.txt'), inRoot('native/publisher/seamscope.h'), ...files.sort()] }).slice(0, 12);
}
