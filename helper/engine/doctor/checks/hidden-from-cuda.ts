import { type Check, fine, fix, found, notApplicable } from '../check';

/** Vulkan ignores CUDA_VISIBLE_DEVICES: it may see GPUs that CUDA does not. */
export const hiddenFromCuda: Check = {
  id: 'hidden-from-cuda',
  title: 'GPUs that CUDA does not see',
  asks: 'drivers',
  run({ snapshot: { matches, environment } }) {
    const hidden = matches.filter(({ reasons }) => reasons.some(({ code }) => code === 'hidden-by-cuda-visible-devices'));
    const value = environment.variables.CUDA_VISIBLE_DEVICES;
    if (hidden.length === 0)
      return value === undefined
        ? notApplicable('CUDA_VISIBLE_DEVICES is not set.')
        : fine('CUDA_VISIBLE_DEVICES hides no device.', [`CUDA_VISIBLE_DEVICES=${value}`]);
    const names = hidden.map(({ vulkanIndex, gpuIndex, migIndex }) =>
      [
        vulkanIndex === undefined ? '' : `Vulkan ${vulkanIndex}`,
        gpuIndex === undefined ? '' : `GPU ${gpuIndex}${migIndex === undefined ? '' : ` MIG ${migIndex}`}`,
      ]
        .filter(Boolean)
        .join(' = '),
    );
    const reasons = hidden.flatMap((match) => match.reasons.map(({ message }) => message));
    return found(
      'warning',
      `Not visible to CUDA: ${names.join(', ')}.`,
      [...new Set(reasons)],
      fix('Leave the variable out for programs that need every GPU.', 'unset CUDA_VISIBLE_DEVICES'),
    );
  },
};
