/** CUDA_DEVICE_ORDER: what decides which device is ordinal 0. */
import type { VisibleDevices } from '../../protocol/device-routing';

export function deviceOrder(variables: Record<string, string>): VisibleDevices['order'] {
  const written = variables.CUDA_DEVICE_ORDER;
  if (written === 'PCI_BUS_ID')
    return { value: 'PCI_BUS_ID', set: true, message: 'CUDA numbers devices by PCI address, which is the order of NVML and nvidia-smi.' };
  const fastest = 'CUDA numbers the fastest device first, which need not be the order of NVML and nvidia-smi.';
  if (written === undefined) return { value: 'FASTEST_FIRST', set: false, message: `CUDA_DEVICE_ORDER is not set: ${fastest}` };
  const known = written === 'FASTEST_FIRST';
  return { value: 'FASTEST_FIRST', set: true, message: known ? fastest : `CUDA does not know the order "${written}": ${fastest}` };
}
