/** The Khronos validation layers that the loader would find, by their manifests. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Env } from '../driver-files';

export interface ValidationLayer {
  path: string;
  /** Vulkan version the layer was built for: "1.3.239". */
  apiVersion: string;
}

export function validationLayers(env: Env, root: string): ValidationLayer[] {
  return layerFolders(env).flatMap((folder) =>
    list(root + folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => layersIn(`${folder}/${name}`, root)),
  );
}

function layerFolders(env: Env): string[] {
  const split = (value: string | undefined) => (value ?? '').split(':').filter(Boolean);
  const home = env.HOME ?? '';
  const roots = [
    '/etc',
    ...split(env.XDG_DATA_HOME || (home && `${home}/.local/share`)),
    ...split(env.XDG_DATA_DIRS || '/usr/local/share:/usr/share'),
  ];
  return [...split(env.VK_LAYER_PATH), ...split(env.VK_ADD_LAYER_PATH), ...roots.map((base) => `${base}/vulkan/explicit_layer.d`)];
}

function layersIn(path: string, root: string): ValidationLayer[] {
  try {
    const manifest = JSON.parse(readFileSync(root + path, 'utf8')) as { layer?: Layer; layers?: Layer[] };
    const layers = [...(manifest.layers ?? []), ...(manifest.layer ? [manifest.layer] : [])];
    return layers
      .filter(({ name, api_version }) => name === 'VK_LAYER_KHRONOS_validation' && api_version)
      .map(({ api_version }) => ({ path, apiVersion: api_version! }));
  } catch {
    return [];
  }
}

interface Layer {
  name?: string;
  api_version?: string;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
