import { type Check, fine, fix, found, notApplicable } from '../check';
import { reasonsWith, wordsOf } from '../facts';

const RELOAD = 'sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia_uvm';

/** User libraries that were upgraded under a loaded kernel module. */
export const driverMismatch: Check = {
  id: 'driver-mismatch',
  title: 'Kernel module and libraries',
  run({ snapshot }) {
    const kernel = snapshot.environment.kernelDriverVersion;
    const reasons = reasonsWith(snapshot, 'cuda-driver-mismatch', 'nvml-driver-mismatch');
    const versions = snapshot.libraries.filter(({ name, version }) => name !== 'libvulkan.so.1' && /^\d+\.\d+/.test(version ?? ''));
    // The compatibility package is newer than the module on purpose.
    const other = versions.filter(({ path, version }) => kernel && version !== kernel && !/compat/.test(path ?? ''));
    const evidence = [`kernel module: ${kernel ?? 'not loaded'}`, ...versions.map(({ path, version }) => `${path}: ${version}`), ...wordsOf(reasons)];
    const mend = [fix('Reboot.', 'sudo reboot'), fix('Or reload the kernel modules while nothing uses the GPU.', RELOAD)];
    if (reasons.length > 0) return found('problem', reasons[0]!.message, evidence, ...mend);
    if (other.length > 0)
      return found('problem', `The kernel module is ${kernel}, but ${other[0]!.name} is ${other[0]!.version}.`, evidence, ...mend);
    if (!kernel || versions.length === 0) return notApplicable('There is no NVIDIA driver here.');
    return fine(`Both are ${kernel}.`, evidence);
  },
};
