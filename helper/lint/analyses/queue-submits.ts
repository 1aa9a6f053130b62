// What a vkQueueSubmit waits for and signals, as far as the function shows it.
import type { Call, Expr } from '../facts/index';
import { mentions, pathOf, stripCasts } from '../facts/paths';
import { fieldAt, valueAt } from '../flow/definitions';

export interface Submit {
  readonly call: Call;
  readonly waits: Count;
  readonly signals: Count;
  /** No fence is given, so the host cannot wait for this batch alone. */
  readonly fence: 'none' | 'given';
}

export type Count = 'none' | 'some' | 'unknown';

export function submitsIn(calls: readonly Call[]): Submit[] {
  return calls.flatMap((call) => {
    if (!call.api || !/^vkQueueSubmit2?$/.test(call.api.name)) return [];
    const isTwo = call.api.name === 'vkQueueSubmit2';
    return [
      {
        call,
        waits: countOf(call, isTwo ? 'waitSemaphoreInfoCount' : 'waitSemaphoreCount'),
        signals: countOf(call, isTwo ? 'signalSemaphoreInfoCount' : 'signalSemaphoreCount'),
        fence: isNull(call, call.api.arg('fence')) ? 'none' : 'given',
      },
    ];
  });
}

function countOf(call: Call, field: string): Count {
  const info = call.api!.arg('info');
  const count = call.api!.arg('count');
  if (!info || (count && count.kind === 'number' && count.value !== 1)) return 'unknown';
  const struct = singleStruct(info);
  const path = pathOf(struct);
  if (
    path &&
    call.fn.calls.some(
      (each) =>
        each.id < call.id &&
        !each.api &&
        !/^set[A-Z]/.test(each.name) &&
        (mentions(each.receiver, path) || each.args.some((arg) => mentions(arg, path))),
    )
  )
    return 'unknown';
  const { values, unknown } = fieldAt(call, struct, field);
  if (unknown || values.length === 0) return 'unknown';
  const kinds = values.map(({ value, at }) => {
    const known = value === 'zero' ? 'zero' : valueAt(at, value);
    return known === 'zero' || (known?.kind === 'number' && known.value === 0) ? 'none' : 'some';
  });
  return kinds.every((kind) => kind === 'none') ? 'none' : kinds.every((kind) => kind === 'some') ? 'some' : 'unknown';
}

/** `&info`, `info`, `{info}` and a brace list in place. */
function singleStruct(info: Expr): Expr {
  const bare = stripCasts(info);
  if (bare.kind === 'unary' && bare.op === '&') return singleStruct(bare.operand);
  if (bare.kind === 'init' && !bare.type && bare.entries.length === 1 && bare.entries[0]!.field === undefined)
    return singleStruct(bare.entries[0]!.value);
  return bare;
}

function isNull(call: Call, fence: Expr | undefined): boolean {
  const value = fence && valueAt(call, fence);
  if (value === undefined || value === 'zero') return true;
  return (
    value.kind === 'null' || (value.kind === 'number' && value.value === 0) || (value.kind === 'path' && /^VK_NULL_HANDLE$/.test(value.path.root))
  );
}

/** The host or the device waits for work of a Vulkan queue, polls for it or hands it over. */
export function waitsForQueue(call: Call): boolean {
  const { api } = call;
  if (!api) return false;
  if (/^vk(QueueWaitIdle|DeviceWaitIdle|WaitForFences|WaitSemaphores|GetFenceStatus|GetSemaphoreCounterValue|QueuePresent)$/.test(api.name))
    return true;
  return /^(cuda|cu)WaitExternalSemaphoresAsync$/.test(api.name);
}
