import { type Check, fine, fix, found, notApplicable } from '../check';
import { wordsOf } from '../facts';

export const nvml: Check = {
  id: 'nvml',
  title: 'NVML',
  asks: 'addon',
  run({
    snapshot: {
      nvml: { available, gpus, reason, driverVersion },
    },
  }) {
    if (!available && !reason) return notApplicable('NVML was not asked.');
    if (reason)
      return found(
        reason.code === 'nvml-library-missing' || reason.code === 'tegra' ? 'info' : 'problem',
        reason.message,
        wordsOf([reason]),
        fix(reason.nextStep),
      );
    const denied = gpus.flatMap(({ problems }) => problems.filter(({ code }) => code === 'nvml-no-permission' || code === 'nvml-call-failed'));
    if (denied.length > 0) return found('warning', denied[0]!.message, wordsOf(denied), fix(denied[0]!.nextStep));
    return fine(`${gpus.length} GPUs, driver ${driverVersion ?? 'unknown'}.`);
  },
};
