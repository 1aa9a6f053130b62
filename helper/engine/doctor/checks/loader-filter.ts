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

/** Variables with which the Vulkan loader leaves drivers or devices out. */
export const loaderFilter: Check = {
  id: 'loader-filter',
  title: 'Vulkan loader filters',
  run({ snapshot, env }) {
    const set = FILTERS.filter((name) => env[name]);
    if (set.length === 0) return fine('No variable limits the Vulkan loader.');
    const evidence = set.map((name) => `${name}=${env[name]}`);
    const hides = reasonsWith(snapshot, 'hidden-by-loader-filter');
    const message = hides[0]?.message ?? `${set.join(' and ')} ${set.length === 1 ? 'limits' : 'limit'} what the Vulkan loader shows.`;
    return found(hides.length > 0 ? 'warning' : 'info', message, evidence, fix('Leave it out.', `unset ${set.join(' ')}`));
  },
};
