/** A GPU in MIG mode as slices: which are taken by whom, and where the holes are. */
import type { MigInstance, NvmlGpu } from '../../../../helper/protocol/devices';

export interface SliceBlock {
  /** First slice from 0, and how many. */
  start: number;
  size: number;
  kind: 'instance' | 'free' | 'blocked';
  label: string;
  /** One sentence. */
  title: string;
  /** The UUIDs of the instances in it. */
  devices?: string[];
  /** Colour: one for each GPU instance. */
  group?: number;
}

export interface SliceLayout {
  memorySlices: number;
  computeSlices: number;
  /** Without gaps, in the order of the slices. */
  memory: SliceBlock[];
  compute: SliceBlock[];
  /** False: the driver tells places only to root, so instances are drawn in the order of their ids. */
  exact: boolean;
}

interface GpuInstance {
  id: number;
  instances: MigInstance[];
  memory: { start: number; size: number };
  compute: { start: number; size: number };
}

/** Undefined where nothing is known of slices. */
export function sliceLayout(gpu: NvmlGpu): SliceLayout | undefined {
  if (!gpu.mig.current) return undefined;
  const computeSlices = computeSliceCount(gpu);
  if (computeSlices === 0) return undefined;
  const exact = gpu.instances.every(({ placement }) => placement !== undefined);
  const placed = place(gpu.instances, exact);
  const ends = placed.map(({ memory }) => memory.start + memory.size);
  const memorySlices = Math.max(memorySlicesOf(computeSlices), ...ends);
  const memory = placed.map((each, group) => memoryBlock(each, group));
  const compute = placed.flatMap((each, group) => computeBlocks(each, group));
  return {
    memorySlices,
    computeSlices,
    memory: fill(memory, memorySlices, free),
    compute: fill(compute, computeSlices, (slice) => holeIn(placed, slice)),
    exact,
  };
}

/** Chips with seven compute slices have eight of memory; the others have as many of the one as of the other. */
const memorySlicesOf = (computeSlices: number): number => (computeSlices === 7 ? 8 : computeSlices);

/** The smallest profile fits as often as there are slices. */
function computeSliceCount({ profiles = [], instances }: NvmlGpu): number {
  const offered = profiles.filter(({ name }) => /^1g\./.test(name)).map(({ maxInstances }) => maxInstances);
  const used = [...new Map(instances.map((each) => [each.gpuInstanceId, gpuSlicesOf(each)])).values()].reduce((sum, size) => sum + size, 0);
  return Math.max(0, used, ...offered, ...instances.map(({ placement, ...each }) => (placement?.start ?? 0) + gpuSlicesOf(each)));
}

/** By the profile's name, "3g.71gb", which defines it; else by NVML's count. */
function gpuSlicesOf({ engines, profile, name }: Pick<MigInstance, 'engines' | 'profile' | 'name'>): number {
  return Number(/(\d+)g\./.exec(profile ?? name)?.[1] ?? (engines?.gpuSlices || 1));
}

function place(instances: MigInstance[], exact: boolean): GpuInstance[] {
  const ids = [...new Set(instances.map(({ gpuInstanceId }) => gpuInstanceId))];
  let next = 0;
  const placed = ids.map((id) => {
    const own = instances.filter(({ gpuInstanceId }) => gpuInstanceId === id).toSorted((a, b) => a.computeInstanceId - b.computeInstanceId);
    const width = gpuSlicesOf(own[0]!);
    const memory = exact ? own[0]!.placement! : { start: next, size: width };
    next += width;
    // A GPU instance's compute slices begin where its memory slices do.
    return { id, instances: own, memory, compute: { start: memory.start, size: width } };
  });
  return placed.toSorted((a, b) => a.memory.start - b.memory.start);
}

function memoryBlock({ id, instances, memory }: GpuInstance, group: number): SliceBlock {
  const [first] = instances;
  const profile = first!.profile ?? first!.name;
  return {
    ...memory,
    kind: 'instance',
    label: profile,
    title: `GPU instance ${id}, ${profile}: ${slices(memory.size, 'memory')} from ${memory.start}.`,
    devices: instances.map(({ uuid }) => uuid),
    group,
  };
}

/** Compute instances share the slices of their GPU instance, in the order of their ids. */
function computeBlocks({ id, instances, compute }: GpuInstance, group: number): SliceBlock[] {
  let start = compute.start;
  const end = compute.start + compute.size;
  return instances.flatMap((instance): SliceBlock[] => {
    const wanted = instances.length === 1 ? instance.engines?.computeSlices || compute.size : instance.engines?.computeSlices || 1;
    const size = Math.min(wanted, end - start);
    if (size <= 0) return [];
    const block: SliceBlock = {
      start,
      size,
      kind: 'instance',
      label: `${id}/${instance.computeInstanceId}`,
      title: `GPU instance ${id}, compute instance ${instance.computeInstanceId}, ${instance.name}: ${slices(size, 'compute')}${instance.smCount ? `, ${instance.smCount} multiprocessors` : ''}.`,
      devices: [instance.uuid],
      group,
    };
    start += size;
    return [block];
  });
}

function fill(blocks: SliceBlock[], total: number, hole: (slice: number) => SliceBlock): SliceBlock[] {
  const whole: SliceBlock[] = [];
  for (let slice = 0; slice < total; ) {
    const block = blocks.find((each) => each.start === slice) ?? hole(slice);
    whole.push(block);
    slice += block.size;
  }
  return whole;
}

const free = (start: number): SliceBlock => ({ start, size: 1, kind: 'free', label: 'free', title: `Slice ${start} is free.` });

/** A compute slice that no compute instance has. */
function holeIn(placed: GpuInstance[], start: number): SliceBlock {
  const owner = placed.find(({ compute }) => covers(compute, start));
  if (owner) return blocked(start, `Slice ${start} belongs to GPU instance ${owner.id}, but none of its compute instances has it.`);
  const shadow = placed.find(({ memory }) => covers(memory, start));
  return shadow ? blocked(start, `Slice ${start} is lost: GPU instance ${shadow.id} has the memory beside it and cannot use it.`) : free(start);
}

const blocked = (start: number, title: string): SliceBlock => ({ start, size: 1, kind: 'blocked', label: '', title });

const covers = ({ start, size }: { start: number; size: number }, slice: number): boolean => slice >= start && slice < start + size;
const slices = (count: number, what: string): string => `${count} ${what} slice${count === 1 ? '' : 's'}`;
