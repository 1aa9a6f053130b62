import { type Check, fine, fix, found, notApplicable } from '../check';

const NEEDED = ['/dev/nvidiactl', '/dev/nvidia-uvm'];

/** The files through which programs reach the kernel module. */
export const deviceNodes: Check = {
  id: 'device-nodes',
  title: 'Device nodes',
  run({ snapshot, system: { nodes, kernelGpus } }) {
    if (!snapshot.environment.kernelDriverVersion && kernelGpus.length === 0 && nodes.length === 0)
      return notApplicable('The NVIDIA kernel module is not loaded.');
    const evidence = nodes.map(({ path, usable }) => `${path}: ${usable ? 'usable' : 'no permission'}`);
    const missing = NEEDED.filter((path) => !nodes.some((node) => node.path === path));
    if (!nodes.some(({ path }) => /nvidia\d+$/.test(path))) missing.push('/dev/nvidia0');
    if (missing.length > 0)
      return found(
        'problem',
        `${missing.join(' and ')} ${missing.length === 1 ? 'does' : 'do'} not exist, so CUDA cannot start.`,
        evidence,
        fix('Create the nodes.', 'sudo nvidia-modprobe -u -c=0'),
        fix('In a container, map them in.', 'docker run --gpus all IMAGE'),
      );
    const forbidden = nodes.filter(({ usable }) => !usable);
    if (forbidden.length === 0) return fine('They exist and may be opened.', evidence);
    return found(
      'problem',
      `This user may not open ${forbidden.map(({ path }) => path).join(', ')}.`,
      evidence,
      fix('Join the group that owns them (often video or render), then log in again.', 'sudo usermod -aG video,render $USER'),
    );
  },
};
