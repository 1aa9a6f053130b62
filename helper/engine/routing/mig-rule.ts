/** How many MIG instances a driver shows one process: one before R570, several from then on. */
import type { VisibleDevices } from '../../protocol/device-routing';
import type { DeviceSnapshot } from '../../protocol/devices';

const SEVERAL_INSTANCES_FROM = 570;

export function migRule({ nvml, environment }: DeviceSnapshot): VisibleDevices['migRule'] {
  const driver = nvml.driverVersion ?? environment.kernelDriverVersion;
  const branch = Number.parseInt(driver ?? '', 10);
  if (driver === undefined || Number.isNaN(branch)) return { generation: 'unknown', message: 'The driver version is not known.' };
  if (branch < SEVERAL_INSTANCES_FROM) {
    const message = `Driver ${driver} (before R570) shows a process one MIG instance, and then no whole GPU beside it.`;
    return { generation: 'one-instance', driver, message };
  }
  const message = `Driver ${driver} (R570 or later) shows a process one compute instance of each GPU instance, and whole GPUs beside them.`;
  return { generation: 'several-instances', driver, message };
}
