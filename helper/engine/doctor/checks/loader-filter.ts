import type { Env } from '../../driver-files';
import { type Check, fine, fix, found } from '../check';
import { reasonsWith } from '../facts';

const FILTERS = [
  'VK_DRIVER_FILES',
  'VK_ICD_FILENAMES',
  'VK_LOADER_DRIVERS_SELECT',
  'VK_LOADER_DRIVERS_DISABLE',
  'VK_LOADER_DEVICE_SELECT',
  'MESA_VK_DEVICE_SELECT',
];

/** An empty list of files is a list without files. */
const LISTS_OF_FILES = ['VK_DRIVER_FILES', 'VK_ICD_FILENAMES'];

/** Variables with which the Vulkan loader leaves drivers or devices out. */
export const loaderFilter: Check = {
  id: 'loader-filter',
  title: 'Vulkan loader filters',
  run({ snapshot, env }) {
    const set = FILTERS.filter((name) => env[name] || isEmptyList(env, name));
    if (set.length === 0) return fine('No variable limits the Vulkan loader.');
    const evidence = set.map((name) => `${name}=${env[name]}`);
    const hides = reasonsWith(snapshot, 'hidden-by-loader-filter');
    const empty = set.find((name) => isEmptyList(env, name));
    if (empty && snapshot.vulkan.devices.length === 0)
      return found(
        'problem',
        `${empty} is set to nothing, which hides every Vulkan driver: the loader takes an empty list for the list.`,
        evidence,
        fix('Leave it out instead of setting it empty.', `unset ${empty}`),
      );
    const message = hides[0]?.message ?? `${set.join(' and ')} ${set.length === 1 ? 'limits' : 'limit'} what the Vulkan loader shows.`;
    return found(hides.length > 0 ? 'warning' : 'info', message, evidence, fix('Leave it out.', `unset ${set.join(' ')}`));
  },
};

function isEmptyList(env: Env, name: string): boolean {
  return LISTS_OF_FILES.includes(name) && env[name] === '';
}
