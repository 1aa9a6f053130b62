import { type Check, fine, fix, found, notApplicable } from '../check';

/** CUDA devices that no Vulkan device belongs to, each with its reason. */
export const cudaWithoutVulkan: Check = {
  id: 'cuda-without-vulkan',
  title: 'CUDA devices with a Vulkan partner',
  asks: 'drivers',
  run({ snapshot: { matches, cuda } }) {
    if (cuda.devices.length === 0) return notApplicable('CUDA lists no device.');
    const alone = matches.filter(({ status }) => status === 'cuda-only');
    if (alone.length === 0) return fine(`Each of ${cuda.devices.length} has its Vulkan device.`);
    const lines = alone.map(({ cudaOrdinal, reasons }) => `CUDA ${cudaOrdinal}: ${reasons.map(({ message }) => message).join(' ')}`);
    const steps = [...new Set(alone.flatMap(({ reasons }) => reasons.map(({ nextStep }) => nextStep)))];
    return found(
      'warning',
      `${alone.length} of ${cuda.devices.length} CUDA devices have no Vulkan device.`,
      lines,
      ...steps.map((step) => fix(step)),
    );
  },
};
