import { type Check, fine, fix, found, notApplicable } from '../check';

/** Entries of CUDA_VISIBLE_DEVICES that do not do what they look like. */
export const visibleDevices: Check = {
  id: 'visible-devices',
  title: 'CUDA_VISIBLE_DEVICES',
  run({ snapshot: { visible } }) {
    if (visible?.value === undefined) return notApplicable('The variable is not set.');
    const evidence = visible.entries.map(({ text, message }) => `"${text}": ${message}`);
    const bad = visible.entries.filter(({ status }) => status !== 'selects' && status !== 'unknown');
    if (bad.length === 0 && visible.entries.length > 0) return fine(visible.summary, evidence);
    const good = visible.entries.filter(({ status }) => status === 'selects').map(({ text }) => text);
    const command = good.length > 0 ? `export CUDA_VISIBLE_DEVICES=${good.join(',')}` : 'unset CUDA_VISIBLE_DEVICES';
    return found('warning', visible.summary, evidence, fix('Write only entries that name a device.', command));
  },
};
