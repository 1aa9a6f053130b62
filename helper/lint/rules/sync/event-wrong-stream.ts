/**
 * # sync/event-wrong-stream
 *
 * ## What it does
 * Reports an event that is recorded on one stream right behind work that was queued on another, in a function that queues nothing on the
 * event's stream.
 *
 * ## Why is this bad
 * An event stands for the work that its stream was given before. Recorded elsewhere it completes at once or with unrelated work, and
 * whoever waits for it reads too early. Often the stream argument was forgotten: then it is the default stream.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * void produce(void* target, const void* source, size_t bytes, cudaStream_t copy, cudaStream_t compute, cudaEvent_t ready) {
 *     cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, copy);
 *     cudaEventRecord(ready, compute);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * void produce(void* target, const void* source, size_t bytes, cudaStream_t copy, cudaEvent_t ready) {
 *     cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, copy);
 *     cudaEventRecord(ready, copy);
 * }
 * ```
 *
 * ## What it cannot see
 * What an event is meant to stand for: functions that queue work on both streams, or join them, are left alone. The legacy default stream
 * waits for every stream that is not made with the non-blocking flag: an event on it counts only where the file makes the other one so.
 */
import { eventUse } from '../../analyses/cuda-events';
import { isPythonWork } from '../../analyses/python-mappings';
import { isTensorCall, scopeAt, streamScopes } from '../../analyses/python-streams';
import { defaultStream, hasOwnDefault, ignoresDefault, streamKey, unorderedBetween, waitsForStream, worksIn } from '../../analyses/stream-order';
import type { Call, Expr, FileFacts, FunctionFacts } from '../../facts/index';
import { pathKey, pathOf, samePath, walk } from '../../facts/paths';
import { inLoop } from '../../flow/order';
import { defineRule, type Problem } from '../rule';

interface Data {
  readonly event: string;
  readonly recorded: string;
  readonly worked: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/event-wrong-stream',
    summary: 'An event is recorded on another stream than the work it stands for.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ event, recorded, worked }) {
    return `\`${event}\` is recorded on ${recorded}, but the work before it is queued on ${worked}: the event says nothing of that work. Record it on ${worked}.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      if (file.language === 'python') checkPython(file, fn, report);
      else checkC(file, fn, report);
    }
  },
});

type Report = (problem: Problem<Data>) => void;

function checkC(file: FileFacts, fn: FunctionFacts, report: Report): void {
  const works = worksIn(file, fn);
  for (const record of fn.calls) {
    const use = eventUse(record);
    if (use?.action !== 'record' || !record.api || record.api.spelling === 'python' || changesInLoop(fn, record, use.stream)) continue;
    const key = streamKey(file, record, use.stream);
    const last = works.findLast((work) => work.call.id < record.id);
    if (!last || last.key === key || works.some((work) => work.key === key) || isSameArray(last.key, key)) continue;
    const isDefault = key === defaultStream || last.key === defaultStream;
    if (isDefault && !hasOwnDefault(file) && !ignoresDefault(file, [last.written, use.stream])) continue;
    const joins = (call: Call) => waitsForStream(file, call, last.key) || (call.api?.does('wait') ?? false) || (call.api?.does('record') ?? false);
    if (fn.calls.some((call) => call.id < last.call.id && (call.api?.does('wait') ?? false))) continue;
    if (unorderedBetween(file, last.call, record, joins) && !isWaitedForBy(file, last.key, record))
      report({
        at: record,
        data: { event: file.source(record.api!.arg('event')!), recorded: nameOf(key), worked: nameOf(last.key) },
        related: [{ at: last.call, message: 'work queued here' }],
      });
  }
}

/** The stream of the work waits for the event: it stands for what the other stream has, and nobody waits for himself. */
function isWaitedForBy(file: FileFacts, key: string, record: Call): boolean {
  const event = record.api!.path('event');
  return record.fn.calls.some((call) => {
    const use = call.id > record.id ? eventUse(call) : undefined;
    return use?.action === 'wait' && samePath(use.path, event) && streamKey(file, call, use.stream) === key;
  });
}

/** `for (cudaStream_t s : {a, b}) cudaEventRecord(event, s)`: another stream in every round, each for what is queued on it. */
function changesInLoop(fn: FunctionFacts, record: Call, stream: Expr | undefined): boolean {
  const root = pathOf(stream)?.root;
  return (
    root !== undefined && inLoop(record) && fn.events.some((event) => event.kind === 'assign' && pathOf(event.target)?.root === root && inLoop(event))
  );
}

function nameOf(key: string): string {
  return key === defaultStream ? 'the default stream' : `\`${key}\``;
}

function isSameArray(a: string, b: string): boolean {
  return a.includes('[') && a.split('[')[0] === b.split('[')[0];
}

/** `event.record()` behind the `with` that made the side stream current. */
function checkPython(file: FileFacts, fn: FunctionFacts, report: Report): void {
  const scopes = streamScopes(fn);
  for (const scope of scopes) {
    const isWork = (call: Call) => isPythonWork(call) || isTensorCall(call);
    const last = fn.calls.findLast((call) => scopeAt(scopes, call) === scope && isWork(call));
    const record = fn.calls.find((call) => call.id > scope.end.id && call.name === 'record' && call.args.length === 0 && call.keywords.size === 0);
    if (!last || !record || scopeAt(scopes, record)) continue;
    const between = fn.calls.filter((call) => call.id > scope.end.id && call.id < record.id);
    const outside = fn.calls.some((call) => isWork(call) && !scopeAt(scopes, call));
    // Who is given the stream may let another one wait for it.
    const mayJoin = (call: Call) =>
      /wait|sync|record/i.test(call.name) ||
      [call.receiver, ...call.args].some((arg) => arg && [...walk(arg)].some((part) => part.kind === 'path' && pathKey(part.path) === scope.key));
    if (outside || between.some(mayJoin)) continue;
    report({
      at: record,
      data: { event: record.receiver ? file.source(record.receiver) : 'event', recorded: 'the current stream', worked: `\`${scope.key}\`` },
      related: [{ at: last, message: 'work queued here' }],
    });
  }
}
