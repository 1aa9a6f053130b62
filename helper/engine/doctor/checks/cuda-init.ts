import { type Check, fine, fix, found, notApplicable } from '../check';
import { wordsOf } from '../facts';

/** The error of cuInit, by its number. */
export const cudaInit: Check = {
  id: 'cuda-init',
  title: 'CUDA',
  asks: 'drivers',
  run({ snapshot: { cuda } }) {
    if (cuda.available) return fine(`${cuda.devices.length} devices, driver for CUDA ${cuda.driverVersion ?? 'unknown'}.`);
    if (!cuda.reason) return notApplicable('CUDA was not asked.');
    const { code, message, nextStep } = cuda.reason;
    if (code === 'cuda-library-missing') return found('info', message, wordsOf([cuda.reason]), fix(nextStep));
    const command =
      code === 'cuda-system-not-ready'
        ? 'sudo systemctl start nvidia-fabricmanager'
        : code === 'cuda-mps-failed'
          ? 'echo quit | nvidia-cuda-mps-control'
          : undefined;
    return found(code === 'hidden-by-cuda-visible-devices' ? 'warning' : 'problem', message, wordsOf([cuda.reason]), fix(nextStep, command));
  },
};
