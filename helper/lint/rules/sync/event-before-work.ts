/**
 * # sync/event-before-work
 *
 * ## What it does
 * Reports a generator that records the event for the end of a slot's use and only then yields the slot: the work that the event is to stand
 * for is not on the stream yet.
 *
 * ## Why is this bad
 * An event covers what was queued before it was recorded. The consumer queues its kernels after the `yield`, so whoever waits for the event
 * before writing the slot again waits for nothing, and overwrites what those kernels still read.
 *
 * ## Example
 * ```python
 * import cupy as cp
 * class Ring:
 *     def frames(self, count):
 *         for i in range(count):
 *             self.copies.wait_event(self.done[i % 2])
 *             self.fill(i % 2)
 *             stream = cp.cuda.get_current_stream()
 *             stream.wait_event(self.ready[i % 2])
 *             self.done[i % 2].record(stream)
 *             yield self.slots[i % 2]
 * ```
 *
 * ## Use instead
 * ```python
 * import cupy as cp
 * class Ring:
 *     def frames(self, count):
 *         for i in range(count):
 *             self.copies.wait_event(self.done[i % 2])
 *             self.fill(i % 2)
 *             stream = cp.cuda.get_current_stream()
 *             stream.wait_event(self.ready[i % 2])
 *             yield self.slots[i % 2]
 *             self.done[i % 2].record(stream)
 * ```
 *
 * ## What it cannot see
 * Consumers that are called instead of yielded to, and events that are recorded in another function than the `yield`.
 */
import type { Call, Event, Expr, FileFacts, FunctionFacts } from '../../facts/index';
import { lastName, pathOf, pathText, samePath } from '../../facts/paths';
import { valueAt } from '../../flow/definitions';
import { defineRule } from '../rule';

export const rule = defineRule<{ event: string }>({
  meta: {
    id: 'sync/event-before-work',
    summary: 'The event for the end of a slot’s use is recorded before the consumer gets the slot.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ event }) {
    return `\`${event}\` is recorded before the slot is yielded, when the consumer's work is not on the stream yet: whoever waits for it waits for nothing and overwrites the slot under that work. Record it behind the yield.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      const yields = fn.events.filter((event) => isYield(file, event));
      for (const call of yields.length > 0 ? fn.calls : []) {
        const event = recorded(call);
        const after = event && yields.find((each) => isNext(fn, call, each));
        const waited = after && coversNothing(call) ? waitOf(file, call, event) : undefined;
        if (waited) report({ at: call, data: { event: pathText(pathOf(event)!) }, related: [{ at: waited, message: 'waited for here' }] });
      }
    }
  },
});

function isYield(file: FileFacts, event: Event): boolean {
  return (event.kind === 'access' || event.kind === 'assign') && /^(\w+\s*=\s*)?yield\b/.test(file.source(event.span));
}

/** The event of `event.record(stream)` and `stream.record_event(event)` on the stream that the consumer works on. */
function recorded(call: Call): Expr | undefined {
  const [event, stream] = call.name === 'record' ? [call.receiver, call.args[0]] : call.name === 'record_event' ? [call.args[0], call.receiver] : [];
  if (!event || pathOf(event)?.kind !== 'this' || !stream) return undefined;
  const value = valueAt(call, stream);
  const isCurrent = value !== undefined && value !== 'zero' && value.kind === 'call' && /current_stream$/.test(value.callee);
  return isCurrent ? event : undefined;
}

function streamOf(call: Call): Expr | undefined {
  return call.name === 'record' ? call.args[0] : call.receiver;
}

/** No call lies between the record and the yield. */
function isNext(fn: FunctionFacts, call: Call, after: Event): boolean {
  return after.block === call.block && after.id > call.id && !fn.calls.some((each) => each.id > call.id && each.id < after.id);
}

/** The last thing on the stream before the record is a wait: nothing of this function is what the event stands for. */
function coversNothing(call: Call): boolean {
  const before = call.fn.calls.findLast((each) => each.id < call.id);
  if (!before || before.block !== call.block) return false;
  if (/^(wait_event|wait_stream)$/.test(before.name)) return samePath(pathOf(before.receiver), pathOf(streamOf(call)));
  return /^wait$/.test(before.name) && samePath(pathOf(before.args[0]), pathOf(streamOf(call)));
}

/** A wait of the class for the event, before it is recorded again. */
function waitOf(file: FileFacts, call: Call, event: Expr): Call | undefined {
  const name = lastName(pathOf(event)!);
  const isIt = (expr: Expr | undefined) => {
    const path = pathOf(expr);
    return path?.kind === 'this' && lastName(path) === name;
  };
  return file
    .functionsOfClass(call.fn.className ?? '')
    .flatMap((fn) => fn.calls)
    .find((each) => (each.name === 'wait_event' && isIt(each.args[0])) || (/^(wait|synchronize)$/.test(each.name) && isIt(each.receiver)));
}
