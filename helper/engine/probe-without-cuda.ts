/** A CUDA driver that crashes or hangs must not hide what Vulkan lists: the probe runs once more without it. */
import { existsSync } from 'node:fs';
import type { DeviceSnapshot, Reason } from '../protocol/devices';
import { type ProbeOptions, type ProbeResult, runProbe } from './probe-runner';

/** Together with the first probe's own limit less than the engine's for a snapshot. */
const SECOND_TIMEOUT_MS = 8_000;

/** Never rejects. */
export async function probeDrivers(options: ProbeOptions, signal?: AbortSignal): Promise<ProbeResult> {
  const first = await runProbe(options, signal);
  if (!('reason' in first) || signal?.aborted || !existsSync(options.addonPath)) return first;
  const second = await runProbe({ ...options, withoutCuda: true, timeoutMs: SECOND_TIMEOUT_MS }, signal);
  return 'snapshot' in second ? { snapshot: withCudaFailure(second.snapshot, first.reason) } : first;
}

function withCudaFailure(snapshot: DeviceSnapshot, { message, nextStep, detail }: Reason): DeviceSnapshot {
  const reason: Reason = {
    code: 'probe-failed',
    message: `The CUDA driver failed: without it the probe works. ${message}`,
    nextStep,
    ...(detail ? { detail } : {}),
  };
  return { ...snapshot, cuda: { available: false, reason, devices: [] } };
}
