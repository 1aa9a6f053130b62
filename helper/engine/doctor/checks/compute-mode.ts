import { type Check, fine, fix, found, notApplicable } from '../check';

/** CU_COMPUTEMODE_*, for where NVML is not there. */
const MODES: Record<number, string> = { 1: 'exclusive-thread', 2: 'prohibited', 3: 'exclusive-process' };

/** A GPU in exclusive mode lets one process have a CUDA context: renderer and viewer are two. */
export const computeMode: Check = {
  id: 'compute-mode',
  title: 'Compute mode',
  asks: 'addon',
  run({ snapshot: { nvml, cuda } }) {
    const gpus = nvml.gpus
      .filter((gpu) => gpu.computeMode)
      .map((gpu) => ({ name: `GPU ${gpu.index}`, id: gpu.uuid ? `GPU-${gpu.uuid}` : String(gpu.index), mode: gpu.computeMode! }));
    const devices = cuda.devices.map(({ ordinal, attributes }) => ({
      name: `CUDA ${ordinal}`,
      id: '',
      mode: MODES[attributes.computeMode ?? 0] ?? 'default',
    }));
    const all = gpus.length > 0 ? gpus : devices;
    if (all.length === 0) return notApplicable('There is no CUDA device.');
    const evidence = all.map(({ name, mode }) => `${name}: ${mode}`);
    const limited = all.filter(({ mode }) => mode !== 'default');
    if (limited.length === 0) return fine('Every GPU may be shared by processes.', evidence);
    const { name, id, mode } = limited[0]!;
    const effect = mode === 'prohibited' ? 'no process may use CUDA on it' : 'only one process at a time may use CUDA on it';
    return found(
      'problem',
      `${name} is in compute mode ${mode}: ${effect}.`,
      evidence,
      fix('Set the default mode.', `sudo nvidia-smi ${id ? `-i ${id} ` : ''}-c DEFAULT`),
    );
  },
};
