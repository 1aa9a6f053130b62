/** The sections of `seamscope devices` that explain: who is on a GPU, how GPUs reach each other, what the environment selects, what misleads. */
import type { DeviceSnapshot } from '../protocol/devices';
import { gibibytes, table } from './table';

export function processSection({ nvml }: DeviceSnapshot): string {
  const rows = nvml.gpus.flatMap((gpu) =>
    (gpu.processes ?? []).map((process) => {
      const instance = gpu.instances.find(
        ({ gpuInstanceId, computeInstanceId }) => gpuInstanceId === process.gpuInstanceId && computeInstanceId === process.computeInstanceId,
      );
      const where = instance ? `GPU ${gpu.index} MIG ${instance.index}` : `GPU ${gpu.index}`;
      return [where, String(process.pid), process.name ?? '', process.kinds.join(', '), gibibytes(process.memoryBytes)];
    }),
  );
  return rows.length > 0 ? ['Processes', table(['Where', 'PID', 'Name', 'Kind', 'Memory'], rows)].join('\n') : '';
}

export function linkSection({ links = [] }: DeviceSnapshot): string {
  const rows = links.map(({ a, b, path, nvlinks, throughSwitch, peerRead }) => [
    `GPU ${a} - GPU ${b}`,
    path,
    nvlinks > 0 ? `${nvlinks} NVLinks${throughSwitch ? ' through a switch' : ''}` : '',
    peerRead ?? '',
  ]);
  return rows.length > 0 ? ['Links', table(['Pair', 'Path', 'NVLink', 'Peer reads'], rows)].join('\n') : '';
}

/** Nothing where the variables are not set and cannot surprise anybody. */
export function visibleSection({ visible }: DeviceSnapshot): string {
  if (!visible || (visible.value === undefined && !visible.order.set)) return '';
  const rows = visible.entries.map(({ text, status, message }) => [`"${text}"`, status, message]);
  const entries = rows.length > 0 ? [table(['Entry', 'Status', 'Why'], rows)] : [];
  return ['CUDA_VISIBLE_DEVICES', `  ${visible.summary}`, ...entries, `  ${visible.order.message}`, `  ${visible.migRule.message}`].join('\n');
}

export function pitfallSection({ pitfalls = [] }: DeviceSnapshot): string {
  if (pitfalls.length === 0) return '';
  return ['Pitfalls on this machine', ...pitfalls.map(({ message, nextStep }) => `  ${message}\n      Next step: ${nextStep}`)].join('\n');
}
