/** Who a device is: a table of names and values. */
import { type DeviceParts, deviceName, visibleDevicesValue } from '../../../../helper/protocol/device-parts';
import type { DeviceSnapshot, NvmlGpu } from '../../../../helper/protocol/devices';
import { bytes } from './format';
import { limitWords } from './health';
import type { Cell, Table } from './table';

type Fact = [name: string, value: string | number | undefined];

export function factsTable(device: DeviceParts, snapshot: DeviceSnapshot): Table {
  const facts = [...identity(device), ...instanceFacts(device), ...gpuFacts(device.instance ? undefined : device.gpu), ...drivers(device, snapshot)];
  const rows = facts.filter((fact): fact is [string, string | number] => fact[1] !== undefined && fact[1] !== '');
  return {
    columns: [
      { id: 'name', label: 'Property' },
      { id: 'value', label: 'Value' },
    ],
    rows: rows.map(([name, value]) => ({ id: name, cells: [{ text: name }, valueCell(value)] })),
  };
}

const valueCell = (value: string | number): Cell => ({ text: String(value), sort: value });

function identity(device: DeviceParts): Fact[] {
  const { gpu, instance, cuda, vulkan } = device;
  return [
    ['Name', deviceName(device)],
    ['UUID', visibleDevicesValue(device) ?? vulkan?.deviceUuid],
    ["UUID, the older query's", cuda?.legacyUuid !== cuda?.uuid ? cuda?.legacyUuid : undefined],
    ['CUDA ordinal', cuda?.ordinal],
    ['Vulkan index', vulkan?.index],
    ['NVML index', instance ? undefined : gpu?.index],
    ['Part of', instance && gpu ? `GPU ${gpu.index}, ${gpu.name}` : undefined],
    ['PCI', gpu?.pci ?? cuda?.pci ?? vulkan?.pci],
    ['DRM nodes', [vulkan?.drm?.primary, vulkan?.drm?.render, vulkan?.drm?.renderNode].filter(Boolean).join(', ')],
    ['Memory', sizeOf(device)],
    ['Architecture', gpu?.architecture],
    ['Compute capability', cuda?.computeCapability],
  ];
}

function sizeOf({ gpu, instance, cuda, vulkan }: DeviceParts): string | undefined {
  const size = (instance ?? gpu ?? cuda ?? vulkan)?.memoryBytes;
  return size === undefined ? undefined : bytes(size);
}

function instanceFacts({ instance }: DeviceParts): Fact[] {
  if (!instance) return [];
  const { engines, profile, profileId, graphics } = instance;
  const kinds: Fact[] = engines
    ? [['Engines', `${engines.copy} copy, ${engines.decoder} decoder, ${engines.encoder} encoder, ${engines.jpeg} JPEG, ${engines.ofa} optical flow`]]
    : [];
  return [
    ['Profile', profile && (profileId === undefined ? profile : `${profile} (${profileId})`)],
    ['GPU instance / compute instance', `${instance.gpuInstanceId} / ${instance.computeInstanceId}`],
    ['UUID, the form before R470', instance.legacyUuid],
    ['Multiprocessors', instance.smCount],
    ...kinds,
    ['Graphics (Vulkan)', graphics === undefined ? 'the driver does not tell' : graphics ? 'yes' : 'no'],
  ];
}

function gpuFacts(gpu: NvmlGpu | undefined): Fact[] {
  if (!gpu) return [];
  const { health, mig } = gpu;
  const { ecc, maxClocks } = health ?? {};
  const mode = !mig.supported
    ? 'not supported'
    : `${mig.current ? 'on' : 'off'}${mig.current === mig.pending ? '' : ', changes with the next reset'}`;
  return [
    ['MIG mode', mode],
    ['Offers', gpu.profiles?.map(({ name, maxInstances }) => `${name} ×${maxInstances}`).join(', ')],
    ['Compute mode', gpu.computeMode],
    ['Power limit', health?.powerLimitWatts && `${Math.round(health.powerLimitWatts)} W`],
    ['Slows down at', health?.slowdownTemperatureC && `${health.slowdownTemperatureC} °C`],
    ['Fan', health?.fanPercent === undefined ? undefined : `${health.fanPercent} %`],
    ['Highest clocks', maxClocks?.smMhz && `${maxClocks.smMhz} MHz, memory ${maxClocks.memoryMhz ?? '?'} MHz`],
    ['Clocks limited by', health?.clockLimits?.map(limitWords).join(', ')],
    ['ECC', ecc && (ecc.enabled ? `on, ${ecc.uncorrectedErrors ?? 0} uncorrected and ${ecc.correctedErrors ?? 0} corrected errors` : 'off')],
  ];
}

function drivers({ vulkan, gpu, cuda }: DeviceParts, snapshot: DeviceSnapshot): Fact[] {
  return [
    ['Vulkan driver', vulkan && [vulkan.driverName, vulkan.driverInfo].filter(Boolean).join(' ')],
    ['Vulkan API', vulkan?.apiVersion],
    ['Vulkan driver UUID', vulkan?.driverUuid],
    ['Queue families', vulkan?.queueFamilies.map(({ count, flags }) => `${count} × ${flags.join('+')}`).join(', ')],
    ['Largest storage buffer', vulkan && bytes(vulkan.maxStorageBufferRange)],
    ['NVIDIA driver', gpu && snapshot.nvml.driverVersion],
    ['CUDA of the driver', cuda && snapshot.cuda.driverVersion],
  ];
}
