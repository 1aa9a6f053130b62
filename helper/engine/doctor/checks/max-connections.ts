import { type Check, fine, fix, found, notApplicable } from '../check';
import { variable } from '../facts';

/** On Linux an outstanding wait of a CUDA stream can hold up what Vulkan submits. */
export const maxConnections: Check = {
  id: 'max-connections',
  title: 'CUDA_DEVICE_MAX_CONNECTIONS',
  asks: 'drivers',
  run({ snapshot, system, env }) {
    if (system.platform !== 'linux') return notApplicable('Only Linux is concerned.');
    if (!snapshot.matches.some(({ status }) => status === 'matched')) return notApplicable('No CUDA device has a Vulkan partner here.');
    const evidence = variable(env, 'CUDA_DEVICE_MAX_CONNECTIONS');
    if (env.CUDA_DEVICE_MAX_CONNECTIONS === '1') return fine('Waits of CUDA streams cannot hold up Vulkan.', evidence);
    return found(
      'info',
      'A CUDA stream that waits while others run may hold up what Vulkan submits. It concerns programs with several streams that wait.',
      evidence,
      fix(
        'Set it before the first CUDA context if a renderer is slow with correct waits; the seam test measures it here.',
        'export CUDA_DEVICE_MAX_CONNECTIONS=1',
      ),
    );
  },
};
