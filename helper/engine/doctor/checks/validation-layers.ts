import { type Check, fine, fix, found, notApplicable } from '../check';

// The reports on exported semaphores were mended in the layers in May 2026.
const SOUND = [1, 4, 350];

/** Validation layers that report correct use of exported semaphores as errors. */
export const validationLayersCheck: Check = {
  id: 'validation-layers',
  title: 'Vulkan validation layers',
  run({ system: { layers } }) {
    if (layers.length === 0) return notApplicable('No validation layer is installed.');
    const evidence = layers.map(({ path, apiVersion }) => `${path}: built for Vulkan ${apiVersion}`);
    const old = layers.filter(({ apiVersion }) => isOlder(apiVersion.split('.').map(Number), SOUND));
    if (old.length === 0) return fine('They know exported semaphores.', evidence);
    return found(
      'warning',
      `The validation layer of Vulkan ${old[0]!.apiVersion} is from before May 2026 and reports false errors on exported semaphores.`,
      evidence,
      fix(
        'Install the layers of a current Vulkan SDK and point the loader to them.',
        'export VK_ADD_LAYER_PATH=$VULKAN_SDK/share/vulkan/explicit_layer.d',
      ),
    );
  },
};

function isOlder(version: number[], than: number[]): boolean {
  const at = than.findIndex((part, index) => (version[index] ?? 0) !== part);
  return at >= 0 && (version[at] ?? 0) < than[at]!;
}
