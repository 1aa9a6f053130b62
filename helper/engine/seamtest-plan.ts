/** Which devices the seam test takes, and which runs it makes on each. Pure. */
import type { DeviceSnapshot, VulkanDevice } from '../protocol/devices';
import type { SeamCell, SeamDirection, SeamMode, SeamOwnership, SeamResource, SeamSettings } from '../protocol/seamtest';
import { UserError } from './user-error';

export interface SeamTarget {
  device: VulkanDevice;
  cudaOrdinal?: number;
}

export interface SeamTargets {
  chosen: SeamTarget[];
  notTested: { name: string; vulkanUuid: string; reason: string }[];
}

/** Partners are found by UUID bytes alone. Without any CUDA partner the host is the consumer. Throws when there is nothing to test. */
export function chooseTargets({ vulkan, cuda }: DeviceSnapshot, wanted?: string): SeamTargets {
  if (vulkan.devices.length === 0) {
    throw new UserError(
      vulkan.reason?.message ?? 'There is no Vulkan device, and the seam test needs one.',
      vulkan.reason?.nextStep ?? 'Run "seamscope doctor".',
    );
  }
  const targets = vulkan.devices.map((device): SeamTarget => {
    const partner = cuda.devices.find(({ uuid }) => uuid === device.deviceUuid);
    return partner ? { device, cudaOrdinal: partner.ordinal } : { device };
  });
  if (wanted !== undefined) return { chosen: [findWanted(targets, wanted)], notTested: [] };
  const matched = targets.filter(({ cudaOrdinal }) => cudaOrdinal !== undefined);
  const chosen = matched.length > 0 ? matched : targets;
  const notTested = targets
    .filter((target) => !chosen.includes(target))
    .map(({ device }) => ({ name: device.name, vulkanUuid: device.deviceUuid, reason: 'It has no CUDA partner; test it with --device.' }));
  return { chosen, notTested };
}

function findWanted(targets: SeamTarget[], wanted: string): SeamTarget {
  const uuid = wanted.toLowerCase().replace(/^(gpu|mig)-/, '');
  const target = targets.find(({ device }) => device.deviceUuid === uuid);
  if (target) return target;
  const known = targets.map(({ device }) => `${device.deviceUuid} (${device.name})`).join(', ');
  throw new UserError(`No Vulkan device has the UUID ${wanted}. There are: ${known}.`, 'Choose one of them with --device.');
}

const MODES: SeamMode[] = ['fence', 'timeline'];
const OWNERSHIPS: SeamOwnership[] = ['exporter', 'inverted'];
const DIRECTIONS: SeamDirection[] = ['vulkan-to-partner', 'partner-to-vulkan'];

/** The matrix, buffers first. Images are shared by whoever exports them, in one process. */
export function cellsOf(target: SeamTarget, settings: SeamSettings): SeamCell[] {
  const slots = settings.quick ? [1, 3] : [1, 2, 3, 8];
  const base = baseCell(target, settings);
  const buffers = MODES.flatMap((mode) =>
    OWNERSHIPS.flatMap((ownership) =>
      ([1, 2] as const).flatMap((processes) =>
        slots.flatMap((count) =>
          DIRECTIONS.map((direction) => cell(base, { mode, ownership, processes, slots: count, direction, resource: 'buffer' })),
        ),
      ),
    ),
  );
  const images = MODES.flatMap((mode) =>
    [1, 3].flatMap((count) =>
      DIRECTIONS.map((direction) => cell(base, { mode, ownership: 'exporter', processes: 1, slots: count, direction, resource: 'image' })),
    ),
  );
  return [...buffers, ...images].filter((each) => isWanted(each, settings.only));
}

function isWanted(
  { mode, direction, processes, resource }: SeamCell,
  { modes, directions, processes: counts, resources }: SeamSettings['only'] = {},
): boolean {
  const allows = <T>(list: T[] | undefined, value: T) => list === undefined || list.includes(value);
  return allows(modes, mode) && allows(directions, direction) && allows(counts, processes) && allows(resources, resource);
}

type Axes = { mode: SeamMode; ownership: SeamOwnership; processes: 1 | 2; slots: number; direction: SeamDirection; resource: SeamResource };

/** The way there is timed frame by frame where one frame is in flight and one clock sees both ends. */
function cell(base: SeamCell, axes: Axes): SeamCell {
  const timed = axes.processes === 1 && axes.slots === 1;
  return { ...base, ...axes, latencyFrames: timed ? base.latencyFrames : 0 };
}

/** Small where the frames are computed by the CPU, so that the whole matrix takes seconds. */
export function baseCell({ device }: SeamTarget, { frames, quick, size }: SeamSettings): SeamCell {
  const slow = device.type === 'cpu';
  const usual = slow ? 40 : 500;
  return {
    mode: 'fence',
    slots: 1,
    ownership: 'exporter',
    processes: 1,
    direction: 'vulkan-to-partner',
    resource: 'buffer',
    frames: frames ?? (quick ? Math.ceil(usual / 4) : usual),
    warmup: slow ? 4 : 16,
    latencyFrames: slow ? 10 : 100,
    ...(size ?? (slow ? { width: 320, height: 180 } : { width: 1920, height: 1080 })),
  };
}
