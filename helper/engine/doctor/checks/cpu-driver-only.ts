import { type Check, fine, fix, found, notApplicable } from '../check';
import { hasNvidia, wordsOf } from '../facts';

/** Vulkan lists no device at all, or works on the CPU only. */
export const cpuDriverOnly: Check = {
  id: 'cpu-driver-only',
  title: 'Vulkan on a GPU',
  asks: 'vulkan',
  run({ snapshot }) {
    const { devices, reason } = snapshot.vulkan;
    if (devices.length === 0 && reason) return found('problem', reason.message, wordsOf([reason]), fix(reason.nextStep));
    if (devices.length === 0) return notApplicable('Vulkan lists no device.');
    const evidence = devices.map(({ index, name, type, driverName }) => `Vulkan ${index}: ${name}, ${type}, ${driverName}`);
    if (devices.some(({ type }) => type !== 'cpu')) return fine('Vulkan lists a GPU.', evidence);
    const message = `Vulkan lists only ${devices[0]!.name}, which runs on the CPU and is never matched to CUDA.`;
    if (!hasNvidia(snapshot)) return found('info', message, evidence);
    return found('problem', message, evidence, fix("See why NVIDIA's driver was left out.", 'VK_LOADER_DEBUG=error,warn vulkaninfo --summary'));
  },
};
