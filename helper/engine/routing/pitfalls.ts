/** What would mislead a program on this very machine: identities that are shared, numbers that do not carry over. */
import type { Pitfall } from '../../protocol/device-routing';
import type { CudaDevice, DeviceMatch, DeviceSnapshot } from '../../protocol/devices';

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
      message: `CUDA's numbers are not those of nvidia-smi here: ${[...instancesOf(cuda), pairs(nvml.filter(isWhole), 'GPU', 'gpuIndex')].filter(Boolean).join(', ')}.`,
      nextStep: numbersStep(cuda.every(isWhole), listed),
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

const isWhole = ({ migIndex }: DeviceMatch) => migIndex === undefined;

/** "CUDA 0, 1 are MIG instances of GPU 0", a GPU each. */
function instancesOf(matches: DeviceMatch[]): string[] {
  const instances = matches.filter((match) => !isWhole(match));
  return [...new Set(instances.map(({ gpuIndex }) => gpuIndex))].map((gpu) => {
    const rows = instances.filter(({ gpuIndex }) => gpuIndex === gpu);
    const numbers = rows.map(({ cudaOrdinal }) => cudaOrdinal).join(', ');
    return `CUDA ${numbers} ${rows.length === 1 ? 'is a MIG instance' : 'are MIG instances'} of GPU ${gpu}`;
  });
}

/** Each MIG instance takes a number of its own, so no order of the GPUs makes CUDA's numbers those of nvidia-smi. */
function numbersStep(allWhole: boolean, listed: boolean): string {
  if (!allWhole) return 'Use UUIDs: nvidia-smi -L prints those of GPUs and MIG instances, and CUDA_VISIBLE_DEVICES takes them.';
  return listed ? 'Read numbers under the same CUDA_VISIBLE_DEVICES, or use UUIDs.' : 'Set CUDA_DEVICE_ORDER=PCI_BUS_ID, or use UUIDs.';
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
