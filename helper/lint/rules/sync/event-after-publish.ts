/**
 * # sync/event-after-publish
 *
 * ## What it does
 * Reports an event that is handed to others together with a result and recorded only afterwards.
 *
 * ## Why is this bad
 * As soon as the result is in the queue, another thread may wait for its event. Not yet recorded, or still recorded for the step before,
 * it counts as complete, and the reader runs before the writer.
 *
 * ## Example
 * ```python
 * import torch
 * def produce(x, queue):
 *     done = torch.cuda.Event()
 *     y = torch.relu(x)
 *     queue.put((y, done))
 *     done.record()
 * ```
 *
 * ## Use instead
 * ```python
 * import torch
 * def produce(x, queue):
 *     done = torch.cuda.Event()
 *     y = torch.relu(x)
 *     done.record()
 *     queue.put((y, done))  # last: whoever gets it may wait at once
 * ```
 *
 * ## What it cannot see
 * Receivers that are woken later than the record, for example by a condition variable: a lock held over both silences it.
 */
import { type EventUse, eventUse, handsOver, isSameEvent, publishedBy, publishes } from '../../analyses/cuda-events';
import type { Assign, Call, Event, Path } from '../../facts/index';
import { expressionsOf, mentions, pathOf, pathText, samePath } from '../../facts/paths';
import { reachesWithout } from '../../flow/order';
import { defineRule } from '../rule';

export const rule = defineRule<{ event: string; receiver: string }>({
  meta: {
    id: 'sync/event-after-publish',
    summary: 'An event is recorded only after it was handed to others.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ event, receiver }) {
    return `\`${event}\` is recorded after \`${receiver}\` handed it on: whoever waits for it in between passes at once. Record it first, then publish.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      const isLocked = fn.locals.some((local) => /lock_guard|unique_lock|scoped_lock/.test(local.type));
      if (fn.degraded || isLocked) continue;
      const handing = fn.calls.filter(handsOver);
      const records = handing.length > 0 ? fn.calls.flatMap((call) => recordOf(call) ?? []) : [];
      for (const record of records) {
        const { call } = record;
        const published = handing.find(
          (each) => each.id < call.id && !isPrivate(each, call) && publishes(each, record) && reachesWithout(each, call, isRebound(record)),
        );
        if (!published || records.some((each) => each.call.id < published.id && isSameEvent(record, each))) continue;
        report({
          at: call,
          data: { event: pathText(record.path), receiver: publishedBy(file, published) },
          related: [{ at: published, message: 'handed on here' }],
        });
      }
    }
  },
});

/** Put into a list of this function's own, which nobody else is given before the record. */
function isPrivate({ receiver, fn, id }: Call, record: Call): boolean {
  const list = receiver && pathOf(receiver);
  if (list?.kind !== 'local' || list.steps.length > 0) return false;
  const made = fn.events.filter((event): event is Assign => event.kind === 'assign' && samePath(pathOf(event.target), list));
  const others = fn.events.filter((event) => event.id < record.id && event.id !== id && !made.includes(event as Assign));
  return made.length > 0 && made.every(isEmptyList) && !others.some((event) => goesFurther(event, list));
}

function isEmptyList({ value, declares }: Assign): boolean {
  if (!value) return /^(std::)?(vector|deque|list)</.test(declares?.type ?? '');
  return (
    (value.kind === 'init' && value.entries.length === 0) || (value.kind === 'call' && /^(list|deque)$/.test(value.name) && value.args.length === 0)
  );
}

function goesFurther(event: Event, list: Path): boolean {
  if (event.kind === 'escape') return event.paths.some(({ root }) => root === list.root);
  if (event.kind === 'call') return event.args.some((arg) => mentions(arg, list));
  return expressionsOf(event).some((expr) => mentions(expr, list));
}

/** The name means another event from here on: what was handed on is no longer recorded through it. */
function isRebound({ path }: EventUse): (event: Event) => boolean {
  return (event) => event.kind === 'assign' && event.op === '=' && samePath(pathOf(event.target), path);
}

function recordOf(call: Call): EventUse | undefined {
  const use = eventUse(call);
  return use?.action === 'record' ? use : undefined;
}
