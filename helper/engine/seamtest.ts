/** The seam test: every device in turn, each step in sacrificial processes, one report. Killing this process kills all of them. */
import type { DeviceSnapshot } from '../protocol/devices';
import type {
  SeamAlone,
  SeamCell,
  SeamConnections,
  SeamControl,
  SeamDeviceReport,
  SeamEvent,
  SeamJob,
  SeamProgress,
  SeamReport,
  SeamSettings,
  SeamStreamSync,
  SeamTeardown,
  Skipped,
} from '../protocol/seamtest';
import { acrossCheck, acrossSteps, testAcross } from './seamtest-across';
import { runCells } from './seamtest-cells';
import { checksOf, nameOf } from './seamtest-checks';
import { describeEnd } from './seamtest-end';
import { findingsOf } from './seamtest-findings';
import { handoffOf } from './seamtest-handoff';
import { fitModel } from './seamtest-model';
import { baseCell, cellsOf, chooseTargets, type SeamTarget } from './seamtest-plan';
import { runSeamProcess, type SeamProcessOptions } from './seamtest-process';
import { runTeardown, TEARDOWN_CASES } from './seamtest-teardown';
import { verdictOf } from './seamtest-verdict';
import { UserError } from './user-error';

export interface SeamTestOptions extends SeamProcessOptions {
  snapshot: DeviceSnapshot;
  settings: SeamSettings;
  /** UUID of the only Vulkan device to test. */
  device?: string;
  /** What a reader of the report must know beside it. */
  notes?: string[];
  onProgress?: (progress: SeamProgress) => void;
  signal?: AbortSignal;
}

const CONTROLS = ['staging', 'leakingImporter', 'staleReader'];
const CONTROL_FRAMES = 20;
const PROBE_FRAMES = 200;
const SILENCE_MS = 60_000;
/** Beside the cells: controls, work alone, stream synchronisation, connections twice, teardowns. */
const OTHER_STEPS = 5 + TEARDOWN_CASES.length;

/** Throws a UserError when there is nothing to test or when it was cancelled. */
export async function runSeamTest(options: SeamTestOptions): Promise<SeamReport> {
  const started = Date.now();
  const { chosen, notTested } = chooseTargets(options.snapshot, options.device);
  const plans = chosen.map((target) => ({ target, cells: cellsOf(target, options.settings) }));
  const total = plans.reduce((sum, { cells }) => sum + cells.length + OTHER_STEPS, acrossSteps(chosen));
  let done = 0;
  const step = (text: string) => options.onProgress?.({ done: done++, total, text });
  const devices: SeamDeviceReport[] = [];
  for (const { target, cells } of plans) devices.push(await new DeviceTest(options, target, step).run(cells));
  const across = await testAcross({ ...options, onStep: step }, chosen);
  const check = across && acrossCheck(across);
  options.onProgress?.({ done: total, total, text: 'done' });
  const measured = devices.flatMap(({ runs }) => runs).filter((run) => 'usPerFrame' in run);
  const passed = (check?.ok ?? true) && devices.every(({ checks }) => checks.every(({ ok }) => ok));
  return {
    version: 1,
    takenAt: new Date(started).toISOString(),
    passed,
    verdict: verdictOf(devices, check, options.notes),
    settings: options.settings,
    frames: measured.reduce((sum, run) => sum + run.frames, 0),
    seconds: (Date.now() - started) / 1000,
    ...devices[0]!,
    devices,
    ...(across && check ? { across: { ...across, check } } : {}),
    notTested,
  };
}

class DeviceTest {
  readonly #options: SeamTestOptions;
  readonly #target: SeamTarget;
  readonly #step: (text: string) => void;
  readonly #device: SeamJob['device'];
  readonly #base: SeamCell;

  constructor(options: SeamTestOptions, target: SeamTarget, step: (text: string) => void) {
    this.#options = options;
    this.#target = target;
    this.#step = step;
    const { device, cudaOrdinal } = target;
    this.#device = { vulkanUuid: device.deviceUuid, ...(cudaOrdinal === undefined ? {} : { cudaOrdinal }) };
    this.#base = { ...baseCell(target, options.settings), warmup: 0, latencyFrames: 0 };
  }

  async run(cells: SeamCell[]): Promise<SeamDeviceReport> {
    const { signal } = this.#options;
    const hooks = { onCell: (cell: SeamCell) => this.#step(nameOf(cell)), ...(signal ? { signal } : {}) };
    const { runs, costs, timelineExport, problem } = await runCells(this.#options, this.#device, cells, hooks);
    this.#stopIfCancelled();
    if (problem) throw new UserError(problem.message, problem.nextStep);
    const controls = await this.#controls();
    const alone = await this.#probe<SeamAlone>('alone', "each side's work alone");
    const streamSync = await this.#probe<SeamStreamSync>('streamSync', 'stream synchronisation under imports');
    const connections = [await this.#connections(undefined), await this.#connections('1')];
    const teardown = await this.#teardown();
    const { device, cudaOrdinal } = this.#target;
    const facts = { name: device.name, driver: `${device.driverName} ${device.driverInfo}`.trim(), timelineExport };
    const measured = {
      device: { ...facts, ...this.#device, partner: cudaOrdinal === undefined ? ('host' as const) : ('cuda' as const) },
      runs,
      costs,
      controls,
      teardown,
      model: fitModel(runs, 'skipped' in alone ? null : alone),
      streamSync,
      connections,
    };
    return { ...measured, findings: findingsOf(measured), handoff: handoffOf(measured), checks: checksOf(measured) };
  }

  async #controls(): Promise<SeamControl[]> {
    this.#step('control runs');
    const results = new Map<string, SeamControl['result']>();
    const end = await this.#start({ kind: 'controls', cell: { ...this.#base, frames: CONTROL_FRAMES } }, (event) => {
      if (event.event === 'control') results.set(event.id, event.result);
      if (event.event === 'failed') results.set(String(event.id), { failed: event.error });
    });
    return CONTROLS.map((name) => ({ name, result: results.get(name) ?? { failed: describeEnd(end, 'The control run') } }));
  }

  /** A measurement that could not be made is no failure of the seam: its reason stands in the report. */
  async #probe<T>(kind: 'alone' | 'streamSync' | 'connections', text: string, env?: NodeJS.ProcessEnv): Promise<T | Skipped> {
    this.#step(text);
    let result: T | Skipped | undefined;
    const job = { kind, cell: { ...this.#base, frames: Math.min(PROBE_FRAMES, this.#base.frames) } };
    const end = await this.#start(
      job,
      (event) => {
        if (event.event === kind) result = event.result as T | Skipped;
        if (event.event === 'error') result = { skipped: event.error.message };
      },
      env,
    );
    return result ?? { skipped: `${describeEnd(end, 'The measurement').message}` };
  }

  #connections(value: string | undefined): Promise<SeamConnections | Skipped> {
    const { CUDA_DEVICE_MAX_CONNECTIONS: _, ...env } = this.#options.env;
    const text = `CUDA_DEVICE_MAX_CONNECTIONS ${value ?? 'unset'}`;
    return this.#probe('connections', text, value === undefined ? env : { ...env, CUDA_DEVICE_MAX_CONNECTIONS: value });
  }

  async #teardown(): Promise<SeamTeardown[]> {
    const results: SeamTeardown[] = [];
    for (const which of TEARDOWN_CASES) {
      this.#step(`teardown: ${which.order}, ${which.ownership}`);
      results.push(await runTeardown(this.#options, this.#device, this.#base, which, this.#options.signal));
      this.#stopIfCancelled();
    }
    return results;
  }

  async #start(job: DistributiveOmit<SeamJob, 'parent' | 'device'>, onEvent: (event: SeamEvent) => void, env = this.#options.env) {
    const { signal } = this.#options;
    const whole = { ...job, parent: process.pid, device: this.#device } as SeamJob;
    const end = await runSeamProcess({ ...this.#options, env }, whole, { onEvent, silenceMs: SILENCE_MS, ...(signal ? { signal } : {}) });
    this.#stopIfCancelled();
    return end;
  }

  #stopIfCancelled(): void {
    if (this.#options.signal?.aborted)
      throw new UserError('The seam test was cancelled.', 'Start it again when you like; nothing of it is left behind.');
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
