/** The use of a MIG instance covers the time between two readings: a command that asks once has to ask again. */
import { setTimeout as delay } from 'node:timers/promises';
import type { EngineClient } from '../engine/client';
import type { DeviceSnapshot, MigInstance } from '../protocol/devices';

/** NVML gives no figure for less than 100 ms. */
const APART_MS = 150;

export async function withSecondReading(client: EngineClient, snapshot: DeviceSnapshot): Promise<DeviceSnapshot> {
  const waiting = snapshot.nvml.gpus.some(({ instances }) => instances.some(({ use }) => use?.missing?.code === 'needs-second-reading'));
  if (!waiting) return snapshot;
  await delay(APART_MS);
  const { gpus } = await client.request('devices/poll', { last: true });
  const again = ({ uuid, use }: MigInstance) => gpus.flatMap(({ instances }) => instances).find((reading) => reading.uuid === uuid)?.use ?? use;
  const withUse = (instance: MigInstance): MigInstance => {
    const use = again(instance);
    return use ? { ...instance, use } : instance;
  };
  return {
    ...snapshot,
    nvml: { ...snapshot.nvml, gpus: snapshot.nvml.gpus.map((gpu) => ({ ...gpu, instances: gpu.instances.map(withUse) })) },
  };
}
