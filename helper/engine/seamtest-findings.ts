/** What the measurements beside the matrix mean, in sentences that a user can act on. Pure. */
import type { SeamConnections, SeamControl, SeamDeviceReport, SeamRun, SeamStreamSync, Skipped } from '../protocol/seamtest';
import { pointsOf } from './seamtest-model';

/** A median that grows by less is noise. */
const NOTABLE = 1.5;
const NOTABLE_US = 5;

export function findingsOf(report: Pick<SeamDeviceReport, 'runs' | 'controls' | 'streamSync' | 'connections'>): string[] {
  return [...handOff(report.runs), ...staging(report.controls), ...streamSync(report.streamSync), ...connections(report.connections)];
}

function handOff(runs: SeamRun[]): string[] {
  const [timeline, fence] = (['timeline', 'fence'] as const).map((mode) => pointsOf(runs, mode).find(({ slots }) => slots === 1)?.usPerFrame);
  const times = [timeline && `${us(timeline)} with timeline semaphores`, fence && `${us(fence)} with a CPU fence`].filter(Boolean);
  if (times.length === 0) return [];
  const faster = timeline && fence ? ` Prefer ${timeline <= fence ? 'timeline semaphores' : 'the fence'} here.` : '';
  return [`One frame in flight, there and back: ${times.join(', ')}.${faster}`];
}

function staging(controls: SeamControl[]): string[] {
  const result = controls.find(({ name }) => name === 'staging')?.result;
  if (!result || 'failed' in result || result.usPerFrame === undefined) return [];
  return [`Staging the same frame through the host takes ${us(result.usPerFrame)}.`];
}

function streamSync(result: SeamStreamSync | Skipped): string[] {
  if ('skipped' in result) return [];
  const row = (imports: number, ownership: string) => result.rows.find((each) => each.imports === imports && each.ownership === ownership)?.p50Us;
  const without = row(0, 'inverted');
  const held = row(8, 'exporter');
  const inverted = row(8, 'inverted');
  if (without === undefined || held === undefined) return [];
  const measured = `cuStreamSynchronize after one kernel: ${us(without)} without imports, ${us(held)} with 8 imports of Vulkan memory held${
    inverted === undefined ? '' : `, ${us(inverted)} with 8 allocations of CUDA's own that Vulkan imports`
  }.`;
  return [
    isSlower(held, without)
      ? `${measured} Held imports make synchronising slow here: let CUDA own the memory (inverted ownership), or wait for events instead.`
      : `${measured} Held imports do not slow synchronising down here.`,
  ];
}

function connections(results: (SeamConnections | Skipped)[]): string[] {
  const measured = results.filter((result): result is SeamConnections => !('skipped' in result));
  const usual = measured.find(({ maxConnections }) => maxConnections !== '1');
  const one = measured.find(({ maxConnections }) => maxConnections === '1');
  if (!usual || !one) return [];
  return [...measured.map(connectionsLine), connectionsAdvice(usual, one)];
}

function connectionsLine(result: SeamConnections): string {
  const setting = result.maxConnections === null ? 'unset' : result.maxConnections;
  return (
    `CUDA_DEVICE_MAX_CONNECTIONS ${setting}: a Vulkan submit takes ${us(result.vulkanUsIdle)}, and ${us(result.vulkanUsWaiting)} while ${result.streams} ` +
    `CUDA streams wait for a semaphore; an unrelated CUDA kernel takes ${kernel(result.kernelUsIdle)} and ${kernel(result.kernelUsWaiting)}.`
  );
}

function connectionsAdvice(usual: SeamConnections, one: SeamConnections): string {
  const stalls = isSlower(usual.vulkanUsWaiting, usual.vulkanUsIdle);
  const helps = stalls && isSlower(usual.vulkanUsWaiting, one.vulkanUsWaiting);
  const blocks = one.kernelUsWaiting === null && usual.kernelUsWaiting !== null;
  const price = blocks ? ' Its price: with one connection a CUDA stream that waits holds up unrelated streams.' : '';
  if (helps) return `Pending CUDA waits stall Vulkan here and CUDA_DEVICE_MAX_CONNECTIONS=1 avoids it: set it before the first CUDA call.${price}`;
  if (stalls) return 'Pending CUDA waits slow Vulkan down here, and CUDA_DEVICE_MAX_CONNECTIONS=1 does not help: keep waits short.';
  return `Pending CUDA waits do not stall Vulkan here: CUDA_DEVICE_MAX_CONNECTIONS needs no setting.${blocks ? ' Set to 1, a stream that waits holds up unrelated streams.' : ''}`;
}

const isSlower = (slow: number, fast: number) => slow > NOTABLE * fast && slow - fast > NOTABLE_US;
const kernel = (value: number | null) => (value === null ? 'more than half a second (blocked)' : us(value));
const us = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} us`;
