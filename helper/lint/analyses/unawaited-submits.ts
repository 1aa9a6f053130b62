// Submits that signal a semaphore for CUDA, and CUDA work behind them that no wait for it precedes.
import type { Call, FileFacts, FunctionFacts } from '../facts/index';
import { symbolOf } from '../facts/paths';
import { resolveCallee } from '../flow/program';
import { fileQuery } from '../memo/query';
import { type Submit, submitsIn, waitsForQueue } from './queue-submits';
import { copiesToHost, unorderedBetween, type Work, worksIn } from './stream-order';

export interface Unawaited {
  readonly submit: Call;
  readonly work: Work;
}

/** The file has semaphores that CUDA imports. */
const importsSemaphores = fileQuery((file) => file.hasToken('word', /^(cudaExternalSemaphore_t|CUexternalSemaphore|hipExternalSemaphore_t)$/));

/**
 * A function that also signals from CUDA, or waits at another place, has an order that these lines alone do not show: it may work on the
 * picture of the frame before.
 */
export function unawaitedSubmits(file: FileFacts, fn: FunctionFacts): Unawaited[] {
  if (!importsSemaphores(file) || fn.calls.some(handlesSemaphores)) return [];
  const submits = [...signallingSubmits(fn), ...fn.calls.filter((call) => onlySubmits(file, call))];
  if (submits.length === 0) return [];
  const works = worksIn(file, fn).filter(({ call }) => !isUpload(call) && !copiesToHost(call));
  return submits.flatMap((submit) => {
    const work = works.find((each) => unorderedBetween(file, submit, each.call, orders));
    return work ? [{ submit, work }] : [];
  });
}

function signallingSubmits(fn: FunctionFacts): Call[] {
  return submitsIn(fn.calls)
    .filter(signals)
    .map(({ call }) => call);
}

/** A helper of the file that submits and signals, and leaves all waiting to others. */
function onlySubmits(file: FileFacts, call: Call): boolean {
  const callee = call.api || call.form !== 'call' ? undefined : resolveCallee(file, call);
  if (!callee || callee === call.fn || signallingSubmits(callee).length === 0) return false;
  return !callee.calls.some((each) => waitsForQueue(each) || handlesSemaphores(each) || each.api?.does('sync') || resolveCallee(file, each));
}

function signals({ call, signals: count }: Submit): boolean {
  return count === 'some' || (count === 'unknown' && call.fn.calls.some((each) => each.id < call.id && each.name === 'setSignalSemaphores'));
}

function handlesSemaphores({ api, name }: Call): boolean {
  return /ExternalSemaphoresAsync$/.test(api?.name ?? '') || (api === undefined && !/^set[A-Z]/.test(name) && /wait|sync|signal|acquire/i.test(name));
}

function orders(call: Call): boolean {
  return waitsForQueue(call) || /Submit/.test(call.api?.name ?? '');
}

/** What the host or a constant gives is not the submit's. */
function isUpload({ api, name }: Call): boolean {
  return /HtoD|Memset/i.test(name) || /HostToDevice$/.test(symbolOf(api?.arg('kind')) ?? '');
}
