import { type Check, fine, fix, found, notApplicable } from '../check';
import { reasonsWith, variable } from '../facts';

/** Whether the container was given the graphics half of the driver. */
export const container: Check = {
  id: 'container-without-graphics',
  title: 'Container with graphics',
  run({ snapshot, env }) {
    const reasons = reasonsWith(snapshot, 'container-without-graphics');
    if (!snapshot.environment.container && reasons.length === 0) return notApplicable('This is no container.');
    const capabilities = env.NVIDIA_DRIVER_CAPABILITIES;
    const evidence = [
      ...variable(env, 'NVIDIA_DRIVER_CAPABILITIES'),
      ...variable(env, 'NVIDIA_VISIBLE_DEVICES'),
      ...(reasons[0]?.detail?.split('\n') ?? []),
    ];
    const words = capabilities?.split(',').map((word) => word.trim());
    const drawn = words ? words.includes('all') || words.includes('graphics') : ['', 'void', 'none'].includes(env.NVIDIA_VISIBLE_DEVICES ?? '');
    if (drawn && reasons.length === 0) return fine('The container was given the graphics libraries, or none of NVIDIA.', evidence);
    return found(
      'problem',
      `NVIDIA_DRIVER_CAPABILITIES is ${capabilities === undefined ? 'not set, which means utility,compute' : `"${capabilities}"`}: Vulkan and OpenGL were left out.`,
      evidence,
      fix('Start the container with the graphics capability.', 'docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=graphics,compute,utility IMAGE'),
    );
  },
};
