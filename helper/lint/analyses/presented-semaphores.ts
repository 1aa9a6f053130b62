// Semaphores that a present waits for and that are destroyed behind fences: the fence of a batch says nothing about the present after it.
import type { Call, Event, FileFacts, FunctionFacts, Path } from '../facts/index';
import { rangeOf } from '../flow/owner-types';
import { callsMeaning } from '../flow/program';
import { happensIn } from '../flow/visible';
import { fileQuery } from '../memo/query';
import { fromFunctions } from '../memo/table';
import { eventId } from './cuda-events';
import { mayWait } from './stream-order';
import { behindLocals, destroyedBy, type InFlight, isSemaphore, pathsIn } from './submitted-semaphores';

export function destroyedWhilePresented(file: FileFacts, fn: FunctionFacts): InFlight[] {
  if (!/^(method|function|destructor)$/.test(fn.kind) || presents(file).length === 0 || tellsOfPresents(file)) return [];
  return fn.calls.flatMap((destroy): InFlight[] => {
    const semaphore = destroyedBy(file, destroy);
    const user = semaphore && presentOf(file, fn, semaphore);
    if (!user || !waitsForFences(file, fn, destroy) || waitsBefore(file, destroy)) return [];
    return [{ destroy, semaphore, user, isCuda: false }];
  });
}

interface Present {
  readonly call: Call;
  readonly id: string;
}

const presents = fromFunctions((file, fn): readonly Present[] =>
  fn.calls.flatMap((call) => {
    if (call.api?.name !== 'vkQueuePresent') return [];
    return behindLocals(fn, pathsIn(call)).flatMap((path): Present[] => {
      const id = isSemaphore(file, fn, path) ? idOf(file, fn, path) : undefined;
      return id ? [{ call, id }] : [];
    });
  }),
);

/** `renderFinished[image]` of a local that stands for an element counts as the whole list. */
function idOf(file: FileFacts, fn: FunctionFacts, path: Path): string | undefined {
  return eventId(file, fn, rangeOf(file, fn, path) ?? path);
}

function presentOf(file: FileFacts, fn: FunctionFacts, semaphore: Path): Call | undefined {
  const id = idOf(file, fn, semaphore);
  return id === undefined ? undefined : presents(file).find((each) => each.id === id)?.call;
}

/** A present can be waited for after all. */
const tellsOfPresents = fileQuery((file) => file.hasToken('word', /PresentFence|swapchain_?maintenance_?1|WaitForPresent|PresentWait|present_wait/i));

/** Here, in a helper, or in the callers before they come here. */
function waitsForFences(file: FileFacts, fn: FunctionFacts, before: Call): boolean {
  const isFence = (event: Event) =>
    event.kind === 'call' && happensIn(file, event, (each) => each.kind === 'call' && each.api?.name === 'vkWaitForFences') === 'yes';
  if (fn.events.some((event) => event.id < before.id && isFence(event))) return true;
  const calls = callsMeaning(file, fn);
  return calls.length > 0 && calls.every((call) => call.fn.events.some((event) => event.id < call.id && isFence(event)));
}

/** The queue or the device is idle, here or where this is called from, or code that nobody sees may see to it. */
function waitsBefore(file: FileFacts, destroy: Call): boolean {
  const { fn } = destroy;
  const may = (event: Event) => event.kind !== 'scopeEnd' && mayWait(file, event, isIdle);
  if (fn.events.some((event) => event.id < destroy.id && may(event))) return true;
  return callsMeaning(file, fn).some((call) => call.fn.calls.some(isIdle) || call.fn.events.some((event) => event.id < call.id && may(event)));
}

function isIdle(call: Call): boolean {
  return /^vk(Queue|Device)WaitIdle$/.test(call.api?.name ?? '');
}
