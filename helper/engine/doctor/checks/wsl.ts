import { type Check, found, notApplicable } from '../check';

export const wsl: Check = {
  id: 'wsl',
  title: 'Windows Subsystem for Linux',
  run({ snapshot: { environment } }) {
    if (!environment.wsl) return notApplicable('This is not WSL.');
    return found('info', "WSL passes the GPU through Direct3D: CUDA works, NVIDIA's Vulkan driver does not exist there.", [], {
      text: 'Use host copies on WSL, or run natively on Linux or Windows for Vulkan interop.',
    });
  },
};
