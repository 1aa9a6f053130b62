/** A device snapshot in lines that can be read and checked by hand: one a GPU, instance, ordinal, Vulkan device, match and finding. */
import type { CudaDevice, DeviceMatch, DeviceSnapshot, GpuLink, MigInstance, NvmlGpu } from '../../../helper/protocol/devices';

export interface LayoutAnswer {
  gpus: string[];
  cuda: string[];
  vulkan: string[];
  matches: string[];
  routes: string[];
  pitfalls: string[];
  links?: string[];
}

export function layoutLines({ nvml, cuda, vulkan, matches, routes = [], pitfalls = [], links = [] }: DeviceSnapshot): LayoutAnswer {
  return {
    gpus: nvml.gpus.flatMap((gpu) => [gpuLine(gpu), ...gpu.instances.map(instanceLine)]),
    cuda: cuda.available ? cuda.devices.map(cudaLine) : [`none: ${cuda.reason?.code}`],
    vulkan: vulkan.devices.map(({ index, name, deviceUuid }) => `${index}: ${name} ${short(deviceUuid)}`),
    matches: matches.map(matchLine),
    routes: routes.map(({ cudaOrdinal, vulkanIndex }) => `CUDA ${cudaOrdinal ?? '-'} -> Vulkan ${vulkanIndex ?? '-'}`),
    pitfalls: pitfalls.map(({ code, ordinals }) => `${code}: ${ordinals.join(' ')}`),
    ...(links.length > 0 ? { links: summarized(links) } : {}),
  };
}

function gpuLine({ index, name, uuid, pci, mig, problems, architecture, profiles = [] }: NvmlGpu): string {
  const mode = mig.supported ? `MIG ${mig.current ? 'on' : 'off'}` : 'no MIG';
  const offered = profiles.length > 0 ? `, offers ${profiles.map((each) => `${each.name} x${each.maxInstances}`).join(' ')}` : '';
  const wrong = problems.length > 0 ? `, problems ${problems.map(({ code }) => code).join(' ')}` : '';
  return `GPU ${index}: ${name} ${short(uuid)} ${pci} ${architecture ?? ''}, ${mode}${offered}${wrong}`;
}

function instanceLine({
  index,
  profile,
  profileId,
  uuid,
  nvmlUuid,
  legacyUuid,
  gpuInstanceId,
  computeInstanceId,
  smCount,
  memoryBytes,
  placement,
  graphics,
  use,
}: MigInstance): string {
  const place = placement ? `slices ${placement.start}+${placement.size}` : 'place unknown';
  const names = `${uuid ? short(uuid) : 'no uuid'}${nvmlUuid === legacyUuid ? ' legacy' : ''}`;
  const draws = graphics === undefined ? 'graphics unknown' : graphics ? 'graphics' : 'no graphics';
  return `  MIG ${index}: ${profile} (${profileId ?? '?'}) ${names} gi ${gpuInstanceId} ci ${computeInstanceId}, ${smCount} SMs, ${memoryBytes / 2 ** 20} MiB, ${place}, ${draws}, use ${use?.missing?.code ?? use?.percent}`;
}

function cudaLine({ ordinal, name, uuid, uuidReason, legacyUuid, peers = [] }: CudaDevice): string {
  const others = peers.filter(({ access }) => access).map((peer) => peer.ordinal);
  return `${ordinal}: ${name} ${uuid ? short(uuid) : uuidReason?.code}${legacyUuid && legacyUuid !== uuid ? ` legacy ${short(legacyUuid)}` : ''}${others.length > 0 ? `, peers ${others.join(' ')}` : ''}`;
}

function matchLine({ cudaOrdinal, vulkanIndex, gpuIndex, migIndex, status, reasons }: DeviceMatch): string {
  const names = [
    cudaOrdinal === undefined ? '' : `CUDA ${cudaOrdinal}`,
    vulkanIndex === undefined ? '' : `Vulkan ${vulkanIndex}`,
    gpuIndex === undefined ? '' : `GPU ${gpuIndex}${migIndex === undefined ? '' : ` MIG ${migIndex}`}`,
  ];
  return `${names.filter(Boolean).join(' = ')}: ${status === 'matched' ? status : reasons.map(({ code }) => code).join(' ')}`;
}

/** Pairs that are linked alike in one line. */
function summarized(links: GpuLink[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { a, b, path, nvlinks, throughSwitch, peerRead } of links) {
    const kind = `${path}, ${nvlinks} NVLinks${throughSwitch ? ' through a switch' : ''}, peer reads ${peerRead}`;
    groups.set(kind, [...(groups.get(kind) ?? []), `${a}-${b}`]);
  }
  return [...groups].map(([kind, pairs]) => `${kind}: ${pairs.join(' ')}`);
}

/** UUIDs of the fixtures differ in the first and the last digits. */
function short(uuid: string): string {
  return uuid === '' ? '-' : `${uuid.slice(0, 4)}..${uuid.slice(-2)}`;
}
