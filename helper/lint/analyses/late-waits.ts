// Waits of a stream for an imported semaphore that stand behind the work which they were to hold back.
import type { Call, FileFacts, FunctionFacts } from '../facts/index';
import { inLoop } from '../flow/order';
import { streamKey, unorderedBetween, type Work, waitsForStream, worksIn } from './stream-order';

export interface LateWait {
  readonly work: Work;
  readonly wait: Call;
}

/**
 * Nothing but a host wait for the stream follows the wait, so there is no work that it could hold back; and nothing before the work has
 * waited. A signal between the two says that the wait belongs to a later turn, and so may a loop around it.
 */
export function lateWaits(file: FileFacts, fn: FunctionFacts): LateWait[] {
  const waits = fn.calls.filter(({ api }) => /^(cuda|cu)WaitExternalSemaphoresAsync$/.test(api?.name ?? ''));
  if (waits.length === 0) return [];
  const works = worksIn(file, fn).filter(({ call }) => !isExternal(call));
  return waits.flatMap((wait, i): LateWait[] => {
    const key = streamKey(file, wait, wait.api!.arg('stream'));
    const own = works.filter((work) => work.key === key);
    if (i > 0 || inLoop(wait) || own.some(({ call }) => call.id > wait.id) || !isJoined(file, wait, key)) return [];
    const work = own.find(({ call }) => call.id < wait.id && unorderedBetween(file, call, wait, orders) && !isAwaited(call));
    return work ? [{ work, wait }] : [];
  });
}

function isExternal({ api }: Call): boolean {
  return /ExternalSemaphoresAsync$/.test(api?.name ?? '');
}

function isJoined(file: FileFacts, wait: Call, key: string): boolean {
  return wait.fn.calls.some((call) => call.id > wait.id && /Synchronize$/.test(call.api?.name ?? '') && waitsForStream(file, call, key));
}

function orders(call: Call): boolean {
  const { api } = call;
  return api !== undefined && (api.does('wait') || api.does('signal') || api.does('sync') || api.does('record') || /Submit/.test(api.name));
}

/** Something before it may have waited already, by its name. */
function isAwaited(work: Call): boolean {
  return work.fn.calls.some((call) => call.id < work.id && (orders(call) || (call.api === undefined && /wait|sync|acquire|begin/i.test(call.name))));
}
