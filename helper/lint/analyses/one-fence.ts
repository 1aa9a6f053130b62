// Semaphores of all frames that are destroyed behind the wait for the fence of one frame.
import type { Call, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathOf } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { inLoop } from '../flow/order';
import { callersOf } from '../flow/program';
import { typeOfPath } from '../flow/visible';
import { waitsForQueue } from './queue-submits';
import { mayWait } from './stream-order';
import type { InFlight } from './submitted-semaphores';

/** The loop ends them all; who waits for the queue or the device, here or before the call, has waited for all. */
export function endedBehindOneFence(file: FileFacts, fn: FunctionFacts): InFlight[] {
  if (!/^(method|function)$/.test(fn.kind)) return [];
  const waits = fn.calls.filter((call) => !inLoop(call) && isForOne(call));
  const [user] = waits;
  if (!user) return [];
  return fn.calls.flatMap((destroy): InFlight[] => {
    const semaphore = destroy.id > user.id && inLoop(destroy) ? destroyedIn(file, destroy) : undefined;
    if (!semaphore || fn.events.some((event) => event.id < destroy.id && mayWait(file, event, (call) => isWait(call) && !waits.includes(call))))
      return [];
    return callersOf(file, fn).some((caller) => caller.calls.some(isWait)) ? [] : [{ destroy, semaphore, user, isCuda: false }];
  });
}

function isWait(call: Call): boolean {
  return waitsForQueue(call) || call.api?.does('sync') === true;
}

/** One fence, that of a frame which an index chooses. */
function isForOne(call: Call): boolean {
  if (call.api?.name !== 'vkWaitForFences') return false;
  const count = call.api.arg('count');
  const value = count && valueAt(call, count);
  if (value && (value === 'zero' || value.kind !== 'number' || value.value !== 1)) return false;
  const path = call.api.path('fence');
  const written = path && valueAt(call, { kind: 'path', path, span: call.span });
  const fence = (written && written !== 'zero' && pathOf(written)) || path;
  return fence?.steps.some((step) => /^\[[^\]]*[A-Za-z_]/.test(step)) ?? false;
}

function destroyedIn(file: FileFacts, call: Call): Path | undefined {
  if (call.api?.name === 'vkDestroySemaphore') return call.api.path('semaphore');
  const path = call.api === undefined && call.name === 'destroy' && call.receiver ? pathOf(call.args[0]) : undefined;
  return path && /^(VkSemaphore|vk::Semaphore)$/.test(typeOfPath(file, call.fn, path) ?? '') ? path : undefined;
}
