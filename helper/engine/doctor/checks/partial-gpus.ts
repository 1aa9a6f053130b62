import { type Check, fine, fix, found, notApplicable } from '../check';

/** Some of the machine's GPUs are not mapped in: older drivers then fail to enumerate at all. */
export const partialGpus: Check = {
  id: 'partial-gpus',
  title: 'All GPUs mapped in',
  run({ snapshot, system }) {
    const nodes = system.nodes.filter(({ path }) => /nvidia\d+$/.test(path));
    const driven = system.kernelGpus.length;
    if (driven === 0) return notApplicable('The NVIDIA kernel module drives no GPU here.');
    const evidence = [`GPUs of the kernel module: ${system.kernelGpus.join(', ')}`, `nodes: ${nodes.map(({ path }) => path).join(', ') || 'none'}`];
    if (nodes.length === 0 || nodes.length >= driven) return fine(`${nodes.length} of ${driven} GPUs have a node.`, evidence);
    const broken = snapshot.vulkan.reason?.code === 'vulkan-enumeration-failed';
    const message = `Only ${nodes.length} of ${driven} GPUs are mapped in${broken ? ', and Vulkan fails to list any: this driver tries the missing ones' : ''}.`;
    const words = snapshot.vulkan.reason?.detail?.split('\n') ?? [];
    return found(
      broken ? 'problem' : 'info',
      message,
      [...evidence, ...words],
      fix('Map all GPUs in, or update the driver.', 'docker run --gpus all -e NVIDIA_VISIBLE_DEVICES=all IMAGE'),
    );
  },
};
