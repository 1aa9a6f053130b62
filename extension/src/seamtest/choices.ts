/** What can be chosen before a seam test, free of VS Code so that tests can read it. */
import type { DeviceSnapshot } from '../../../helper/protocol/devices';
import type { SeamSettings } from '../../../helper/protocol/seamtest';

export interface Choice<T> {
  label: string;
  description?: string;
  detail?: string;
  value: T;
}

export type Extent = 'quick' | 'full' | 'choose';

export const extents: Choice<Extent>[] = [
  {
    label: 'Quick',
    description: '1 and 3 slots, a quarter of the frames',
    detail: 'Every way to synchronise, own and share, in both directions.',
    value: 'quick',
  },
  { label: 'Full', description: '1, 2, 3 and 8 slots', detail: 'What the model of the slots needs to be exact.', value: 'full' },
  { label: 'Choose…', description: 'ways to synchronise, directions, processes, resources', value: 'choose' },
];

type Only = NonNullable<SeamSettings['only']>;
export type Part = { [K in keyof Only]-?: { axis: K; value: NonNullable<Only[K]>[number] } }[keyof Only];

export const parts: Choice<Part>[] = [
  { label: 'Timeline semaphores', description: 'each side waits on the GPU', value: { axis: 'modes', value: 'timeline' } },
  { label: 'Fence', description: 'the host waits', value: { axis: 'modes', value: 'fence' } },
  { label: 'Vulkan to CUDA', description: 'direction', value: { axis: 'directions', value: 'vulkan-to-partner' } },
  { label: 'CUDA to Vulkan', description: 'direction', value: { axis: 'directions', value: 'partner-to-vulkan' } },
  { label: 'One process', description: 'both sides in it', value: { axis: 'processes', value: 1 } },
  { label: 'Two processes', description: 'descriptors pass over a socket', value: { axis: 'processes', value: 2 } },
  { label: 'Buffers', description: 'linear memory', value: { axis: 'resources', value: 'buffer' } },
  { label: 'Images', description: 'CUDA arrays', value: { axis: 'resources', value: 'image' } },
];

const AXES: Record<keyof Only, string> = {
  modes: 'way to synchronise',
  directions: 'direction',
  processes: 'number of processes',
  resources: 'kind of resource',
};

/** The settings for what was ticked, or what is missing: a run needs one of each axis. */
export function settingsFor(ticked: Part[]): SeamSettings | { missing: string } {
  const of = <K extends keyof Only>(axis: K) => ticked.filter((part) => part.axis === axis).map(({ value }) => value);
  const missing = (Object.keys(AXES) as (keyof Only)[]).find((axis) => of(axis).length === 0);
  if (missing) return { missing: `Tick one ${AXES[missing]} at least.` };
  const only = { modes: of('modes'), directions: of('directions'), processes: of('processes'), resources: of('resources') } as Required<Only>;
  return ticked.length === parts.length ? {} : { only };
}

/** Devices to choose from: all with a partner first, then each. Empty when there is no choice. */
export function deviceChoices({ vulkan, cuda }: DeviceSnapshot): Choice<string | undefined>[] {
  if (vulkan.devices.length < 2) return [];
  const each = vulkan.devices.map((device): Choice<string> => {
    const partner = cuda.devices.find(({ uuid }) => uuid === device.deviceUuid);
    return {
      label: device.name,
      description: partner ? `Vulkan ${device.index} = CUDA ${partner.ordinal}` : `Vulkan ${device.index}, no CUDA partner`,
      value: device.deviceUuid,
    };
  });
  const matched = vulkan.devices.filter(({ deviceUuid }) => cuda.devices.some(({ uuid }) => uuid === deviceUuid)).length;
  const all =
    matched > 1 ? [{ label: `All ${matched} devices with a CUDA partner`, description: 'and the copies between them', value: undefined }] : [];
  return [...all, ...each];
}
