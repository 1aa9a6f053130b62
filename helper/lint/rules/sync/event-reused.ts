/**
 * # sync/event-reused
 *
 * ## What it does
 * Reports an event that lives longer than one step (a field, a variable before the loop), is recorded in every step and handed on with
 * the step's result while the result of the step before may still be waiting. Also one that a loop records on several streams, while
 * only the code behind the loop waits for it (one event for each device and all streams of the device, too), and an event of a class that is recorded on whatever stream a caller names: a record on one
 * stream forgets the use on another.
 *
 * ## Why is this bad
 * Recording an event again moves it: whoever still holds it for an earlier step now waits for the later one, or, where the query
 * happens between the two, believes that its own step is complete.
 *
 * ## Example
 * ```python
 * import torch
 * class Runner:
 *     def __init__(self):
 *         self.done = torch.cuda.Event()
 *     def step(self, x, queue):
 *         host = x.to("cpu", non_blocking=True)
 *         self.done.record()
 *         queue.put((host, self.done))
 * ```
 *
 * ## Use instead
 * ```python
 * import torch
 * class Runner:
 *     def step(self, x, queue):
 *         host = x.to("cpu", non_blocking=True)
 *         done = torch.cuda.Event()  # one for every step in flight
 *         done.record()
 *         queue.put((host, done))
 * ```
 *
 * ## What it cannot see
 * Whether the receiver is done before the next step: a queue of length one or a join elsewhere makes the finding wrong. A wait for the
 * event in the same function silences it.
 */
import { type EventUse, eventObjects, isSameEvent, makesOne, publishedBy, publishes } from '../../analyses/cuda-events';
import { forgottenRecords } from '../../analyses/forgotten-records';
import { movedMarks } from '../../analyses/moved-marks';
import { overwrittenRecords } from '../../analyses/overwritten-events';
import { wrappedEvents } from '../../analyses/wrapped-events';
import type { Call, Event, FileFacts } from '../../facts/index';
import { pathText, stripCasts } from '../../facts/paths';
import { inLoop } from '../../flow/order';
import { defineRule } from '../rule';

export const rule = defineRule<{ event: string; receiver: string | undefined; isMark?: boolean }>({
  meta: {
    id: 'sync/event-reused',
    summary: 'One event is recorded again for every step while earlier steps may still be waiting for it.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ event, receiver, isMark }) {
    if (isMark)
      return `\`${event}\` is recorded on whatever stream this is called with, and the wait for it elsewhere is for the last record only: uses on other streams before it may still be at work. Let the stream wait for the event before it records it anew, or keep one event for each stream.`;
    if (receiver === undefined)
      return `\`${event}\` is recorded on one stream after the other, and the wait behind the loop is for the last record only: the streams before it may still be at work. Wait in the loop, right behind the record, or take one event for each stream.`;
    return `\`${event}\` is recorded anew for every step, but \`${receiver}\` hands it on with each result: a result that is still waiting then waits for a later step. Create one event for each step in flight, or take turns in a ring.`;
  },

  detect(file, report) {
    for (const { record, wait } of [...overwrittenRecords(file), ...forgottenRecords(file)])
      report({
        at: record.call,
        data: { event: pathText(record.path), receiver: undefined },
        related: [{ at: wait.call, message: 'waited for here' }],
      });
    for (const { record, wait } of movedMarks(file))
      report({
        at: record.call,
        data: { event: pathText(record.path), receiver: undefined, isMark: true },
        related: [{ at: wait.call, message: 'waited for here' }],
      });
    for (const event of [...eventObjects(file), ...wrappedEvents(file)]) {
      for (const record of event.uses.filter((use) => use.action === 'record')) {
        if (!outlivesStep(file, event.uses, record) || record.path.steps.some((step) => step.startsWith('['))) continue;
        const published = record.fn.events.find((each) => each.id > record.call.id && publishes(each, record));
        const waits =
          event.uses.some((use) => use.fn === record.fn && use.action === 'host wait') ||
          (published !== undefined && record.fn.calls.some((call) => call.id > record.call.id && call.id < published.id && waitsForAll(call)));
        if (published && !waits && isRepeated(record, published))
          report({
            at: record.call,
            data: { event: pathText(record.path), receiver: publishedBy(file, published) },
            related: [{ at: published, message: 'handed on here' }],
          });
      }
    }
  },
});

/** The host waits for everything: nothing of this step is pending any more. */
function waitsForAll(call: Call): boolean {
  return call.api?.does('sync') === true || /(^|_)synchronize(_device|_stream)?$/.test(call.name);
}

/** Created once for many steps: in another function, or before the loop of the record. */
function outlivesStep(file: FileFacts, uses: readonly EventUse[], record: EventUse): boolean {
  const created = uses.filter((use) => use.action === 'create');
  if (created.some((use) => use.fn === record.fn && (inLoop(use.call) || !inLoop(record.call)))) return false;
  const isField = record.path.kind === 'this' && record.path.steps.length === 1;
  if (!isField) return created.length > 0 && created.every((use) => use.fn === record.fn);
  const own = file.functionsOfClass(record.fn.className ?? '');
  const assigned = own.some((fn) => fn.kind !== 'constructor' && fn.events.some((event) => assignsFresh(event, record)));
  return (created.length > 0 || isMadeInPlace(file, record)) && !assigned;
}

/** `EventPtr done_ = makeEvent();` among the members of the class. */
function isMadeInPlace(file: FileFacts, { path, fn }: EventUse): boolean {
  const init = file.classNamed(fn.className ?? '')?.fields.find((each) => `.${each.name}` === path.steps[0])?.init;
  const bare = init && stripCasts(init);
  return bare?.kind === 'call' && makesOne(file, bare);
}

/** The field gets another event outside the constructor: swapped, taken from a pool. */
function assignsFresh(event: Event, record: EventUse): boolean {
  return event.kind === 'assign' && event.fn.className === record.fn.className && isSameEvent(record, event.target);
}

/** A local event counts only inside a loop; a method runs once for every step. */
function isRepeated(record: EventUse, published: Event): boolean {
  if (record.path.kind === 'this') return record.fn.kind === 'method';
  return inLoop(record.call) && inLoop(published);
}
