/**
 * devices/snapshot and devices/poll. The CUDA and Vulkan part comes from the probe child and is kept until its fingerprint changes; NVML is asked
 * each time, in this process.
 */
import type { DevicePoll } from '../protocol/device-readings';
import type { DeviceSnapshot, Reason } from '../protocol/devices';
import type { SourceDescription } from '../protocol/frames';
import type { LoadedAddon } from './addon-loader';
import { bareSnapshot } from './bare-snapshot';
import type { Env } from './driver-files';
import { fingerprint } from './fingerprint';
import { NvmlReader, type NvmlReaderOptions } from './nvml-reader';
import type { ProbeResult } from './probe-runner';
import { probeDrivers } from './probe-without-cuda';
import { explained } from './routing/explained';
import type { UserError } from './user-error';

/** Environments remembered: the editor's, a few terminals', one typed in. */
const MAX_REMEMBERED = 8;
const NO_READING = { generation: '', cost: { cpuMs: 0, wallMs: 0 } };

export interface SnapshotParams {
  env?: Record<string, string | null>;
  refresh?: boolean;
}

export interface DeviceServiceOptions extends NvmlReaderOptions {
  /** What the preview shows now; it runs in this process's environment. */
  sources?: () => SourceDescription[];
}

export class DeviceService {
  readonly #addon: LoadedAddon | UserError;
  readonly #probeScript: string;
  readonly #options: DeviceServiceOptions;
  readonly #nvml: NvmlReader | null;
  readonly #remembered = new Map<string, DeviceSnapshot>();
  readonly #running = new Map<string, Promise<ProbeResult>>();
  readonly #stop = new AbortController();

  constructor(addon: LoadedAddon | UserError, probeScript: string, options: DeviceServiceOptions = {}) {
    this.#addon = addon;
    this.#probeScript = probeScript;
    this.#options = options;
    this.#nvml = addon instanceof Error ? null : new NvmlReader(addon.addon, options);
  }

  async snapshot({ env: overrides = {}, refresh = false }: SnapshotParams, base: Env = process.env): Promise<DeviceSnapshot> {
    const env = layEnvironment(base, overrides);
    const sources = Object.keys(overrides).length === 0 ? (this.#options.sources?.() ?? []) : [];
    return explained(await this.#take(env, refresh), sources);
  }

  async poll({ last = false }: { last?: boolean }): Promise<DevicePoll> {
    const base = { version: 1, takenAt: new Date().toISOString() } as const;
    if (!this.#nvml) return { ...base, available: false, reason: missingAddon(this.#addon as UserError), gpus: [], ...NO_READING };
    const reading = await this.#nvml.poll();
    if (last) this.#nvml.close();
    return { ...base, ...reading };
  }

  close(): void {
    this.#stop.abort();
    this.#nvml?.close();
  }

  async #take(env: Env, refresh: boolean): Promise<DeviceSnapshot> {
    if (this.#addon instanceof Error || !this.#nvml) return bareSnapshot(env, missingAddon(this.#addon as UserError));
    const nvml = await this.#nvml.facts();
    // This process is about to end: a probe would take longer than it has.
    if (nvml.reason?.code === 'driver-hangs') return bareSnapshot(env, nvml.reason, nvml);
    const key = fingerprint(env, nvml);
    const known = refresh ? undefined : this.#remembered.get(key);
    const result: ProbeResult = known ? { snapshot: known } : await this.#probe(key, this.#addon.path, env);
    if ('reason' in result) return bareSnapshot(env, result.reason, nvml);
    this.#remember(key, result.snapshot);
    return { ...result.snapshot, takenAt: new Date().toISOString(), nvml };
  }

  /** Two askers at once share one probe. */
  #probe(key: string, addonPath: string, env: Env): Promise<ProbeResult> {
    const running = this.#running.get(key);
    if (running) return running;
    const probe = probeDrivers({ script: this.#probeScript, addonPath, env }, this.#stop.signal).finally(() => this.#running.delete(key));
    this.#running.set(key, probe);
    return probe;
  }

  #remember(key: string, snapshot: DeviceSnapshot): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, snapshot);
    if (this.#remembered.size > MAX_REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value!);
  }
}

/** `overrides` laid over `base`; null removes a variable. */
export function layEnvironment(base: Env, overrides: Record<string, string | null>): Env {
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
