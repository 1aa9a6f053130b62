import { type Check, fine, fix, found, notApplicable } from '../check';

/** A MIG instance is reached through nodes of its own below /dev/nvidia-caps. */
export const migNodes: Check = {
  id: 'mig-nodes',
  title: 'Nodes of MIG instances',
  run({ snapshot, system }) {
    if (system.migNodes.length === 0 && !snapshot.nvml.gpus.some(({ mig }) => mig.current)) return notApplicable('No GPU is in MIG mode.');
    const evidence = system.migNodes.map(({ capability, node, state }) => `${capability}: ${node}, ${state}`);
    const bad = system.migNodes.filter(({ state }) => state !== 'usable');
    if (bad.length === 0) return fine(`${system.migNodes.length} nodes may be opened.`, evidence);
    const first = bad[0]!;
    const access = `/proc/driver/nvidia/capabilities/${first.capability.replace('/gi', '/mig/gi')}/access`;
    return found(
      'problem',
      `${bad.length} of ${system.migNodes.length} nodes of MIG instances cannot be opened, ${first.node} (${first.capability}) among them: CUDA does not list those instances.`,
      evidence,
      first.state === 'missing'
        ? fix('Create the node.', `sudo nvidia-modprobe -f ${access}`)
        : fix('Let this user read it.', `sudo chmod a+r ${first.node}`),
      fix('In a container, give it the instances.', 'docker run --gpus \'"device=MIG-UUID"\' IMAGE'),
    );
  },
};
