import { type Check, fine, fix, found, notApplicable } from '../check';
import { wordsOf } from '../facts';

const HOT = ['hardware-slowdown', 'software-thermal', 'hardware-thermal', 'power-brake'];

/** Lost GPUs, memory errors, clocks held down by heat or power supply. */
export const gpuHealth: Check = {
  id: 'gpu-health',
  title: 'Health of the GPUs',
  asks: 'addon',
  run({ snapshot: { nvml } }) {
    if (nvml.gpus.length === 0) return notApplicable('NVML lists no GPU.');
    const lost = nvml.gpus.flatMap(({ problems }) => problems.filter(({ code }) => code === 'gpu-lost'));
    if (lost.length > 0) return found('problem', lost[0]!.message, wordsOf(lost), fix(lost[0]!.nextStep, 'sudo nvidia-smi --gpu-reset'));
    const broken = nvml.gpus.filter(({ health }) => (health?.ecc?.uncorrectedErrors ?? 0) > 0);
    const evidence = nvml.gpus.map(
      ({ index, health }) => `GPU ${index}: ${health?.temperatureC ?? '?'} C, clocks limited by ${health?.clockLimits?.join(', ') || 'nothing'}`,
    );
    if (broken.length > 0)
      return found(
        'problem',
        `GPU ${broken[0]!.index} has ${broken[0]!.health!.ecc!.uncorrectedErrors} memory errors that ECC could not correct.`,
        evidence,
        fix('Reset the GPU; have it exchanged if they come back.', `sudo nvidia-smi --gpu-reset -i ${broken[0]!.index}`),
      );
    const hot = nvml.gpus.filter(({ health }) => health?.clockLimits?.some((limit) => HOT.includes(limit)));
    if (hot.length > 0)
      return found(
        'warning',
        `GPU ${hot[0]!.index} is held down by ${hot[0]!.health!.clockLimits!.filter((limit) => HOT.includes(limit)).join(' and ')}.`,
        evidence,
        fix('Check cooling and power supply.', 'nvidia-smi -q -d PERFORMANCE,TEMPERATURE'),
      );
    return fine('No GPU is lost, failing or held down.', evidence);
  },
};
