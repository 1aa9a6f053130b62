import { type Check, fine, fix, found, notApplicable } from '../check';

const FEW = 1024;
/** Each MIG instance that CUDA opens takes descriptors of its own. */
const FEW_WITH_MIG = 4096;

/** RLIMIT_NOFILE: exported memory and semaphores are descriptors until they are imported. */
export const descriptorLimit: Check = {
  id: 'descriptor-limit',
  title: 'Limit of open files',
  run({ snapshot, system: { descriptors } }) {
    if (!descriptors) return notApplicable('The system does not tell.');
    const instances = snapshot.nvml.gpus.reduce((sum, { instances: all }) => sum + all.length, 0);
    const wanted = instances > 1 ? FEW_WITH_MIG : FEW;
    const evidence = [`soft limit ${descriptors.soft}, hard limit ${descriptors.hard}`, ...(instances > 0 ? [`${instances} MIG instances`] : [])];
    if (descriptors.soft >= wanted) return fine(`A process may open ${descriptors.soft} files.`, evidence);
    const most = Math.min(descriptors.hard, 65536);
    return found(
      'warning',
      `A process may open ${descriptors.soft} files only; sharing GPU memory needs ${wanted} or more.`,
      evidence,
      fix('Raise the limit in the shell that starts the program.', `ulimit -n ${most}`),
    );
  },
};
