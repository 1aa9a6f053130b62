/**
 * devices/snapshot. The CUDA and Vulkan part comes from the probe child and is kept until its fingerprint changes; NVML is asked each time,
 * in this process, and let go when nobody has asked for a while: an open handle can block a MIG mode change.
 */
import type { NativeAddon } from '../protocol/addon';
import type { DevicePoll, GpuReading } from '../protocol/device-readings';
import type { DeviceSnapshot, NvmlGpu, Reason } from '../protocol/devices';
import type { LoadedAddon } from './addon-loader';
import { bareSnapshot } from './bare-snapshot';
import type { Env } from './driver-files';
import { fingerprint } from './fingerprint';
import { type ProbeResult, runProbe } from './probe-runner';
import { toUserError, type UserError } from './user-error';

const NVML_IDLE_MS = 10_000;
/** Environments remembered: the editor's, a few terminals', one typed in. */
const MAX_REMEMBERED = 8;

export interface SnapshotParams {
  env?: Record<string, string | null>;
  refresh?: boolean;
}

export class DeviceService {
  readonly #addon: LoadedAddon | UserError;
  readonly #probeScript: string;
  readonly #remembered = new Map<string, DeviceSnapshot>();
  readonly #running = new Map<string, Promise<ProbeResult>>();
  readonly #stop = new AbortController();
  #nvmlTimer: NodeJS.Timeout | undefined;

  constructor(addon: LoadedAddon | UserError, probeScript: string) {
    this.#addon = addon;
    this.#probeScript = probeScript;
  }

  async snapshot({ env: overrides = {}, refresh = false }: SnapshotParams, base: Env = process.env): Promise<DeviceSnapshot> {
    const env = layEnvironment(base, overrides);
    if (this.#addon instanceof Error) return bareSnapshot(env, missingAddon(this.#addon));
    const nvml = await this.#nvml(this.#addon.addon);
    const key = fingerprint(env, nvml);
    const known = refresh ? undefined : this.#remembered.get(key);
    const result: ProbeResult = known ? { snapshot: known } : await this.#probe(key, this.#addon.path, env);
    if ('reason' in result) return bareSnapshot(env, result.reason, nvml);
    this.#remember(key, result.snapshot);
    return { ...result.snapshot, takenAt: new Date().toISOString(), nvml };
  }

  async poll({ last = false }: { last?: boolean }): Promise<DevicePoll> {
    const began = performance.now();
    const nvml: DeviceSnapshot['nvml'] =
      this.#addon instanceof Error ? { available: false, reason: missingAddon(this.#addon), gpus: [] } : await this.#nvml(this.#addon.addon);
    if (last) this.#closeNvml();
    return {
      version: 1,
      takenAt: new Date().toISOString(),
      available: nvml.available,
      ...(nvml.reason ? { reason: nvml.reason } : {}),
      gpus: nvml.gpus.map(readingOf),
      generation: JSON.stringify(nvml.gpus.map(({ uuid, instances }) => [uuid, instances.map((instance) => instance.uuid)])),
      cost: { cpuMs: 0, wallMs: performance.now() - began },
    };
  }

  close(): void {
    this.#stop.abort();
    clearTimeout(this.#nvmlTimer);
    this.#closeNvml();
  }

  async #nvml(addon: NativeAddon): Promise<DeviceSnapshot['nvml']> {
    clearTimeout(this.#nvmlTimer);
    this.#nvmlTimer = setTimeout(() => this.#closeNvml(), NVML_IDLE_MS).unref();
    try {
      return JSON.parse(await addon.nvml()) as DeviceSnapshot['nvml'];
    } catch (error) {
      const { message, nextStep } = toUserError(error);
      return { available: false, reason: { code: 'nvml-init-failed', message, nextStep }, gpus: [] };
    }
  }

  #closeNvml(): void {
    if (!(this.#addon instanceof Error)) this.#addon.addon.nvmlClose();
  }

  /** Two askers at once share one probe. */
  #probe(key: string, addonPath: string, env: Env): Promise<ProbeResult> {
    const running = this.#running.get(key);
    if (running) return running;
    const probe = runProbe({ script: this.#probeScript, addonPath, env }, this.#stop.signal).finally(() => this.#running.delete(key));
    this.#running.set(key, probe);
    return probe;
  }

  #remember(key: string, snapshot: DeviceSnapshot): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, snapshot);
    if (this.#remembered.size > MAX_REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value!);
  }
}

function readingOf(gpu: NvmlGpu): GpuReading {
  const { index, uuid, memoryBytes, memoryUsedBytes, utilizationPercent, temperatureC, powerWatts, problems } = gpu;
  const instances = gpu.instances.map(({ use = {}, ...instance }) => ({ ...instance, use }));
  const use = gpu.use ?? (utilizationPercent === undefined ? {} : { percent: utilizationPercent });
  const measured = { ...(temperatureC === undefined ? {} : { temperatureC }), ...(powerWatts === undefined ? {} : { powerWatts }) };
  const memory = { memoryBytes, ...(memoryUsedBytes === undefined ? {} : { memoryUsedBytes }) };
  return { index, uuid, ...memory, use, ...measured, clocks: {}, processes: gpu.processes ?? [], instances, problems };
}

function layEnvironment(base: Env, overrides: Record<string, string | null>): Env {
  const merged: Record<string, string | undefined> = { ...base };
  for (const [name, value] of Object.entries(overrides)) {
    if (value === null) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

function missingAddon({ message, nextStep }: UserError): Reason {
  return { code: 'addon-missing', message, nextStep };
}
