/** The files that decide which drivers a process finds, and what they say, without loading any of them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { EnvironmentFacts } from '../protocol/devices';

export type Env = Readonly<Record<string, string | undefined>>;

const MANIFEST_KINDS = ['icd.d', 'implicit_layer.d', 'explicit_layer.d'];

/** The Vulkan loader's manifest folders, in its order of search. */
function manifestRoots(env: Env): string[] {
  const home = env.HOME ?? '/';
  const split = (value: string | undefined, otherwise: string) => (value || otherwise).split(':').filter((part) => part !== '');
  return [
    env.XDG_CONFIG_HOME || path.join(home, '.config'),
    ...split(env.XDG_CONFIG_DIRS, '/etc/xdg'),
    '/etc',
    env.XDG_DATA_HOME || path.join(home, '.local/share'),
    ...split(env.XDG_DATA_DIRS, '/usr/local/share:/usr/share'),
  ].map((root) => path.join(root, 'vulkan'));
}

function jsonFilesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

/** VK_DRIVER_FILES (or its old name) replaces the search, an empty one too: the loader then looks at no driver. An entry may be a folder. */
function forcedIcds(env: Env): string[] | null {
  const forced = env.VK_DRIVER_FILES ?? env.VK_ICD_FILENAMES;
  if (forced === undefined) return null;
  const entries = forced.split(':').filter((entry) => entry !== '');
  return entries.flatMap((entry) => (isFolder(entry) ? jsonFilesIn(entry) : [entry]));
}

export function icdManifests(env: Env): string[] {
  const added = (env.VK_ADD_DRIVER_FILES ?? '').split(':').filter((entry) => entry !== '');
  const found = forcedIcds(env) ?? [...added, ...manifestRoots(env).flatMap((root) => jsonFilesIn(path.join(root, 'icd.d')))];
  return [...new Set(found)];
}

/** Everything whose change can change what the drivers enumerate: manifests, the linker's cache, NVIDIA's kernel module. */
export function watchedDriverFiles(env: Env): string[] {
  const manifests = manifestRoots(env).flatMap((root) => MANIFEST_KINDS.flatMap((kind) => jsonFilesIn(path.join(root, kind))));
  return [...icdManifests(env), ...manifests, '/etc/ld.so.cache', '/proc/driver/nvidia/version'];
}

export function describeIcd(manifest: string): EnvironmentFacts['icdFiles'][number] {
  try {
    const library = (JSON.parse(readFileSync(manifest, 'utf8')) as { ICD?: { library_path?: string } }).ICD?.library_path;
    return library ? { path: manifest, library } : { path: manifest, problem: 'The manifest names no ICD.library_path.' };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem =
      code === undefined ? 'The manifest is not valid JSON.' : `The manifest ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}.`;
    return { path: manifest, problem };
  }
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
