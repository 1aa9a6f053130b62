/** A device snapshot as text for a terminal: four tables, each with the reason when it is empty. */
import type { DeviceMatch, DeviceSnapshot, ExternalHandle, NvmlGpu, Reason, ReasonCode, VulkanDevice } from '../protocol/devices';
import { linkSection, pitfallSection, processSection, visibleSection } from './explained-text';
import { gibibytes, table } from './table';

export function devicesText(snapshot: DeviceSnapshot): string {
  const sections = [
    gpuSection(snapshot),
    processSection(snapshot),
    linkSection(snapshot),
    cudaSection(snapshot),
    vulkanSection(snapshot),
    matchSection(snapshot),
    visibleSection(snapshot),
    pitfallSection(snapshot),
    environmentSection(snapshot),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function gpuSection({ nvml }: DeviceSnapshot): string {
  const rows = nvml.gpus.flatMap((gpu) => [gpuRow(gpu), ...gpu.instances.map(migRow)]);
  const header = ['GPU', 'Name', 'UUID', 'PCI', 'Memory', 'Used', 'Use', 'Temp', 'Power', 'MIG'];
  const problems = nvml.gpus.flatMap((gpu) => gpu.problems.map((problem) => reasonText(`GPU ${gpu.index}`, problem)));
  return [section(`GPUs${version('NVML', nvml.driverVersion)}`, header, rows, nvml.reason), ...problems].join('\n');
}

function gpuRow(gpu: NvmlGpu): string[] {
  const unit = (value: number | undefined, name: string) => (value === undefined ? '' : `${Math.round(value)} ${name}`);
  return [
    String(gpu.index),
    gpu.name,
    gpu.uuid,
    gpu.pci,
    gibibytes(gpu.memoryBytes),
    gibibytes(gpu.memoryUsedBytes),
    unit(gpu.utilizationPercent, '%'),
    unit(gpu.temperatureC, 'C'),
    unit(gpu.powerWatts, 'W'),
    migMode(gpu.mig),
  ];
}

function migMode({ supported, current, pending }: NvmlGpu['mig']): string {
  if (!supported) return 'none';
  const mode = (on: boolean) => (on ? 'on' : 'off');
  return current === pending ? mode(current) : `${mode(current)}, ${mode(pending)} after a reset`;
}

function migRow(instance: NvmlGpu['instances'][number]): string[] {
  const graphics = instance.graphics === undefined ? '' : instance.graphics ? ', graphics' : ', no graphics';
  const used = gibibytes(instance.memoryUsedBytes);
  return [
    `MIG ${instance.index}`,
    instance.name,
    instance.uuid,
    '',
    gibibytes(instance.memoryBytes),
    used,
    instanceUse(instance),
    '',
    '',
    `GI ${instance.gpuInstanceId} CI ${instance.computeInstanceId}${graphics}`,
  ];
}

function instanceUse({ use }: NvmlGpu['instances'][number]): string {
  if (use?.percent !== undefined) return `${Math.round(use.percent)} %`;
  return use?.missing?.code === 'not-measurable-on-this-chip' ? 'not measurable' : '';
}

function cudaSection({ cuda }: DeviceSnapshot): string {
  const rows = cuda.devices.map((device) => [
    String(device.ordinal),
    device.name,
    device.uuid ?? 'unknown',
    device.pci ?? '',
    gibibytes(device.memoryBytes),
    device.computeCapability,
  ]);
  const doubts = cuda.devices.flatMap(({ ordinal, uuidReason }) => (uuidReason ? [reasonText(`CUDA ${ordinal}`, uuidReason)] : []));
  const header = ['Ordinal', 'Name', 'UUID', 'PCI', 'Memory', 'Compute'];
  return [section(`CUDA devices${version('driver', cuda.driverVersion)}`, header, rows, cuda.reason), ...doubts].join('\n');
}

function vulkanSection(snapshot: DeviceSnapshot): string {
  const { vulkan } = snapshot;
  const header = ['Index', 'Name', 'Type', 'UUID', 'Driver', 'API', 'Memory export', 'Semaphore export'];
  const list = section(`Vulkan devices${version('loader', vulkan.instanceVersion)}`, header, vulkan.devices.map(vulkanRow), vulkan.reason);
  return [list, ...icdProblems(snapshot)].join('\n');
}

function vulkanRow(device: VulkanDevice): string[] {
  const { binary, timeline } = device.externalSemaphore;
  const semaphores = [...exported(binary).map((type) => `binary ${type}`), ...exported(timeline).map((type) => `timeline ${type}`)];
  return [
    String(device.index),
    device.name,
    device.type,
    device.deviceUuid,
    device.driverInfo || device.driverName,
    device.apiVersion,
    exported(device.externalMemory).join(', ') || 'none',
    semaphores.join(', ') || 'none',
  ];
}

function exported(handles: ExternalHandle[]): string[] {
  return handles.filter((handle) => handle.exportable).map((handle) => handle.handleType);
}

function matchSection(snapshot: DeviceSnapshot): string {
  if (snapshot.matches.length === 0) return '';
  const lines = snapshot.matches.map((match) => {
    if (match.status === 'matched') return `  ${matchNames(match)}  by UUID ${match.uuid ?? ''}`;
    return match.reasons.map((reason) => reasonText(matchNames(match), reason)).join('\n') || `  ${matchNames(match)}`;
  });
  return ['Matches', ...lines].join('\n');
}

/** "CUDA 0 = Vulkan 1 = GPU 0 MIG 2", as far as each exists. */
export function matchNames({ cudaOrdinal, vulkanIndex, gpuIndex, migIndex }: DeviceMatch): string {
  const mig = migIndex === undefined ? '' : ` MIG ${migIndex}`;
  const named = [
    cudaOrdinal === undefined ? '' : `CUDA ${cudaOrdinal}`,
    vulkanIndex === undefined ? '' : `Vulkan ${vulkanIndex}`,
    gpuIndex === undefined ? '' : `GPU ${gpuIndex}${mig}`,
  ];
  return named.filter((name) => name !== '').join(' = ');
}

/** Manifests of Vulkan drivers that are no good, whether another driver works or not. */
function icdProblems({ environment }: DeviceSnapshot): string[] {
  return environment.icdFiles.flatMap(({ path, problem }) =>
    problem ? [`  ${path}: ${problem.split('\n').slice(0, MOST_WORDS).join('\n      ')}`] : [],
  );
}

function environmentSection({ environment }: DeviceSnapshot): string {
  const variables = Object.entries(environment.variables).map(([name, value]) => `  ${name}=${value}`);
  const where = [environment.container ? 'in a container' : '', environment.wsl ? 'in WSL' : ''].filter(Boolean);
  if (variables.length === 0 && where.length === 0) return '';
  return [`Environment${where.length > 0 ? ` (${where.join(', ')})` : ''}`, ...variables].join('\n');
}

function section(title: string, header: string[], rows: string[][], reason: Reason | undefined): string {
  const body = rows.length > 0 ? [table(header, rows)] : [];
  const why = reason ? [reasonText('', reason)] : rows.length === 0 ? ['  none'] : [];
  return [title, ...body, ...why].join('\n');
}

/** What is simply not installed needs no words of the linker. */
const plainFacts = new Set<ReasonCode>(['cuda-library-missing', 'nvml-library-missing', 'vulkan-loader-missing', 'cpu-driver', 'not-nvidia']);
const MOST_WORDS = 6;

function reasonText(subject: string, { code, message, nextStep, detail }: Reason): string {
  const words = detail && !plainFacts.has(code) ? detail.split('\n').slice(0, MOST_WORDS) : [];
  const more = [...words, `Next step: ${nextStep}`].map((line) => `\n      ${line}`);
  return `  ${subject ? `${subject}: ` : ''}${message}${more.join('')}`;
}

function version(name: string, value: string | undefined): string {
  return value ? ` (${name} ${value})` : '';
}
