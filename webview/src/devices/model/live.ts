/** A snapshot with the values of a newer reading in it. */
import type { DevicePoll, GpuReading } from '../../../../helper/protocol/device-readings';
import type { DeviceSnapshot, MigInstance, NvmlGpu } from '../../../../helper/protocol/devices';

/** Devices are those of the snapshot: what has come or gone since is in the next one. */
export function withReading(snapshot: DeviceSnapshot, poll: DevicePoll | undefined): DeviceSnapshot {
  if (!poll?.available || poll.takenAt < snapshot.takenAt) return snapshot;
  const readings = new Map(poll.gpus.map((reading) => [reading.uuid, reading]));
  const gpus = snapshot.nvml.gpus.map((gpu) => withGpuReading(gpu, readings.get(gpu.uuid)));
  return { ...snapshot, nvml: { ...snapshot.nvml, gpus } };
}

function withGpuReading(gpu: NvmlGpu, reading: GpuReading | undefined): NvmlGpu {
  if (!reading) return gpu;
  const { memoryUsedBytes, temperatureC, powerWatts, use, clocks, clockLimits, processes, problems } = reading;
  const values = defined({ memoryUsedBytes, temperatureC, powerWatts });
  const health = gpu.health && { ...gpu.health, ...defined({ temperatureC, powerWatts, clockLimits }), clocks };
  return {
    ...gpu,
    ...values,
    use,
    ...(use.percent !== undefined && { utilizationPercent: use.percent }),
    ...(health && { health }),
    processes,
    problems,
    instances: gpu.instances.map((instance) => withInstanceReading(instance, reading)),
  };
}

function withInstanceReading(instance: MigInstance, { instances }: GpuReading): MigInstance {
  const found = instances.find(({ uuid }) => uuid === instance.uuid);
  return found ? { ...instance, ...defined({ memoryUsedBytes: found.memoryUsedBytes }), use: found.use } : instance;
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
