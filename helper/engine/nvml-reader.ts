/**
 * NVML as the engine asks it: opened with the first reading, let go when nobody has asked for a while, because an open handle can block a MIG mode
 * change. A call that never returns is named once; from then on nothing is asked any more, and the engine has to be started again.
 */
import type { NativeAddon } from '../protocol/addon';
import type { DevicePoll } from '../protocol/device-readings';
import type { DeviceSnapshot, Reason } from '../protocol/devices';
import { NVML_TIMEOUT_MS } from '../protocol/timeouts';
import { ProcessNames } from './process-names';
import { toUserError } from './user-error';
import { withTimeout } from './with-timeout';

const IDLE_MS = 10_000;

export interface NvmlReaderOptions {
  /** Called once, when a driver call has not returned. */
  onHang?: (reason: Reason) => void;
  timeoutMs?: number;
}

type Facts = DeviceSnapshot['nvml'];

export class NvmlReader {
  readonly #addon: NativeAddon;
  readonly #options: NvmlReaderOptions;
  readonly #names = new ProcessNames();
  #timer: NodeJS.Timeout | undefined;
  #hang: Reason | undefined;

  constructor(addon: NativeAddon, options: NvmlReaderOptions = {}) {
    this.#addon = addon;
    this.#options = options;
  }

  async facts(): Promise<Facts> {
    const answer = await this.#ask<Facts>(() => this.#addon.nvml());
    if ('reason' in answer && !('gpus' in answer)) return { available: false, reason: answer.reason, gpus: [] };
    for (const gpu of answer.gpus) this.#names.add(gpu.processes ?? []);
    return answer;
  }

  async poll(): Promise<Omit<DevicePoll, 'version' | 'takenAt'>> {
    const answer = await this.#ask<DevicePoll>(() => this.#addon.nvmlPoll!());
    if (!('gpus' in answer)) return { available: false, reason: answer.reason, gpus: [], generation: '', cost: { cpuMs: 0, wallMs: 0 } };
    const begun = performance.now();
    for (const gpu of answer.gpus) this.#names.add(gpu.processes);
    // Looking names up never waits, so its time is CPU time.
    return { ...answer, cost: { ...answer.cost, cpuMs: answer.cost.cpuMs + performance.now() - begun } };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#addon.nvmlClose();
  }

  async #ask<T>(question: () => Promise<string>): Promise<T | { reason: Reason }> {
    if (this.#hang) return { reason: this.#hang };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.close(), IDLE_MS).unref();
    const limit = this.#options.timeoutMs ?? NVML_TIMEOUT_MS;
    try {
      return JSON.parse(await withTimeout(question(), limit, () => new HangError())) as T;
    } catch (error) {
      if (error instanceof HangError) return { reason: this.#hung(limit) };
      const { message, nextStep } = toUserError(error);
      return { reason: { code: 'nvml-init-failed', message, nextStep } };
    }
  }

  /** Two readings may wait for the same call. */
  #hung(limitMs: number): Reason {
    if (this.#hang) return this.#hang;
    const call = this.#addon.driverCall?.() || 'of NVML';
    this.#hang = {
      code: 'driver-hangs',
      message: `The driver call ${call} did not return within ${limitMs / 1000} s, so the engine was started again.`,
      nextStep: 'Check that "nvidia-smi" answers and "dmesg" for Xid errors; then refresh.',
      detail: call,
    };
    this.#options.onHang?.(this.#hang);
    return this.#hang;
  }
}

class HangError extends Error {}
