/** What would mislead a program on this very machine: identities that are shared, numbers that do not carry over. */
import type { Pitfall } from '../../protocol/device-routing';
import type { CudaDevice, DeviceSnapshot } from '../../protocol/devices';

const BY_UUID = 'Tell devices apart by cuDeviceGetUuid_v2 and VkPhysicalDeviceIDProperties::deviceUUID.';

export function pitfallsOf(snapshot: DeviceSnapshot): Pitfall[] {
  return [...legacyUuids(snapshot), ...sharedPci(snapshot), ...foreignNumbers(snapshot), ...sameNames(snapshot)];
}

function legacyUuids({ cuda }: DeviceSnapshot): Pitfall[] {
  const wrong = cuda.devices.filter(({ uuid, legacyUuid }) => legacyUuid !== undefined && uuid !== undefined && uuid !== legacyUuid);
  return grouped(wrong, ({ legacyUuid }) => legacyUuid).map(([legacy, devices]) => ({
    code: 'legacy-uuid-shared',
    message: `cuDeviceGetUuid and cudaDeviceProp::uuid give ${ordinals(devices)} the UUID of the whole GPU, ${legacy}.`,
    nextStep: BY_UUID,
    ordinals: devices.map(({ ordinal }) => ordinal),
  }));
}

function sharedPci({ cuda }: DeviceSnapshot): Pitfall[] {
  const shared = grouped(cuda.devices, ({ pci }) => pci).filter(([, devices]) => devices.length > 1);
  return shared.map(([pci, devices]) => ({
    code: 'pci-shared',
    message: `${ordinals(devices)} have one PCI address, ${pci}: it tells the GPU, not the MIG instance.`,
    nextStep: BY_UUID,
    ordinals: devices.map(({ ordinal }) => ordinal),
  }));
}

function foreignNumbers({ matches, environment }: DeviceSnapshot): Pitfall[] {
  const cuda = matches.filter((match) => match.cudaOrdinal !== undefined);
  const nvml = cuda.filter(({ cudaOrdinal, gpuIndex }) => gpuIndex !== undefined && gpuIndex !== cudaOrdinal);
  const vulkan = cuda.filter(({ cudaOrdinal, vulkanIndex }) => vulkanIndex !== undefined && vulkanIndex !== cudaOrdinal);
  const listed = environment.variables.CUDA_VISIBLE_DEVICES !== undefined;
  const pairs = (rows: typeof cuda, name: string, of: 'gpuIndex' | 'vulkanIndex') =>
    rows.map((row) => `CUDA ${row.cudaOrdinal} is ${name} ${row[of]}`).join(', ');
  const pitfalls: Pitfall[] = [];
  if (nvml.length > 0)
    pitfalls.push({
      code: 'ordinal-not-nvml-index',
      message: `CUDA's numbers are not those of nvidia-smi here: ${pairs(nvml, 'GPU', 'gpuIndex')}.`,
      nextStep: listed ? 'Read numbers under the same CUDA_VISIBLE_DEVICES, or use UUIDs.' : 'Set CUDA_DEVICE_ORDER=PCI_BUS_ID, or use UUIDs.',
      ordinals: nvml.map(({ cudaOrdinal }) => cudaOrdinal!),
    });
  if (vulkan.length > 0)
    pitfalls.push({
      code: 'ordinal-not-vulkan-index',
      message: `CUDA's numbers are not Vulkan's here: ${pairs(vulkan, 'Vulkan', 'vulkanIndex')}.`,
      nextStep: BY_UUID,
      ordinals: vulkan.map(({ cudaOrdinal }) => cudaOrdinal!),
    });
  return pitfalls;
}

function sameNames({ cuda }: DeviceSnapshot): Pitfall[] {
  const shared = grouped(cuda.devices, ({ name }) => name).filter(([, devices]) => devices.length > 1);
  return shared.map(([name, devices]) => ({
    code: 'same-name',
    message: `${ordinals(devices)} are all called "${name}".`,
    nextStep: BY_UUID,
    ordinals: devices.map(({ ordinal }) => ordinal),
  }));
}

function grouped(devices: CudaDevice[], keyOf: (device: CudaDevice) => string | undefined): [string, CudaDevice[]][] {
  const groups = new Map<string, CudaDevice[]>();
  for (const device of devices) {
    const key = keyOf(device);
    if (key) groups.set(key, [...(groups.get(key) ?? []), device]);
  }
  return [...groups];
}

function ordinals(devices: CudaDevice[]): string {
  const numbers = devices.map(({ ordinal }) => ordinal);
  return numbers.length === 1 ? `CUDA device ${numbers[0]}` : `CUDA devices ${numbers.join(', ')}`;
}
