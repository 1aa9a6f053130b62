/**
 * # sync/timeline-not-monotonic
 *
 * ## What it does
 * Reports timeline values that do not grow: a constant signalled in a loop or in every frame, a value computed with `%`, a second signal
 * that is not above the first, the value that the stream has just waited for, a counter that is set back while its semaphore lives on, to zero
 * or to what the semaphore has reached, and GL signals that were given no value of their own.
 *
 * ## Why is this bad
 * Every signal of a timeline semaphore must be above its current value. A value that has been reached already makes all later waits
 * pass at once, or the signal is an error and the waits hang.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * void frames(cudaExternalSemaphore_t ready, cudaStream_t stream, int count) {
 *     for (int i = 0; i < count; i++) {
 *         cudaExternalSemaphoreSignalParams params{};
 *         params.params.fence.value = 1;
 *         cudaSignalExternalSemaphoresAsync(&ready, &params, 1, stream);
 *     }
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * void frames(cudaExternalSemaphore_t ready, cudaStream_t stream, int count, uint64_t& value) {
 *     for (int i = 0; i < count; i++) {
 *         cudaExternalSemaphoreSignalParams params{};
 *         params.params.fence.value = ++value;
 *         cudaSignalExternalSemaphoresAsync(&ready, &params, 1, stream);
 *     }
 * }
 * ```
 *
 * ## What it cannot see
 * Counters in other files, two threads that count independently, and values that come through parameters. The value 0 is left alone: it
 * is what binary semaphores are given.
 */
import { staleOperations } from '../../analyses/gl-timelines';
import { constantOf, importsIn, type Signal, signalsIn, waitsIn } from '../../analyses/semaphores';
import { rewindsIn } from '../../analyses/timeline-rewinds';
import type { Assign, Event, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { addressOf, pathOf, pathText, samePath, stripCasts, walk } from '../../facts/paths';
import { valueAt } from '../../flow/definitions';
import { dominates, inLoop } from '../../flow/order';
import { cFamily, defineRule, type Problem } from '../rule';

interface Data {
  readonly what: 'constant' | 'modulo' | 'not above' | 'set back' | 'as waited' | 'rewound' | 'stale';
  readonly value: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/timeline-not-monotonic',
    summary: 'The values signalled on a timeline semaphore do not grow.',
    severity: 'error',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ what, value }) {
    const cause = {
      constant: `The same value ${value} is signalled again and again: from the second time on every wait for it passes at once.`,
      modulo: `\`${value}\` falls back to smaller values: a timeline must only grow, the slot's index is no timeline value.`,
      'not above': `${value} is signalled behind a value that is as high or higher.`,
      'set back': `\`${value}\` is set back while the semaphore keeps its value: the next signals are below it.`,
      'as waited': `\`${value}\` is signalled although the same stream has just waited for that value: the semaphore is there already, and whoever waits for this signal goes on at once.`,
      stale: `GL waits and signals with the value that \`${value}\` was last given, and it was given none for this one: the semaphore is there already. Give it the next value with glSemaphoreParameterui64vEXT first; changing the variable that held the last one does nothing.`,
      rewound: `\`${value}\` goes back to what the semaphore has reached, but signals with higher values may still be queued: they satisfy the waits of the next frames.`,
    };
    return what === 'stale' ? cause.stale : `${cause[what]} Count up by one for every signal, and start again only with a new semaphore.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      const signals = makesSemaphore(fn) ? [] : signalsIn(fn);
      for (const signal of signals) {
        const found = problemOf(file, signals, signal);
        if (found) report({ at: found.at, data: found, related: [{ at: signal.call, message: 'signalled here' }] });
      }
      for (const { at, waited, value } of signalsAsWaited(file, fn, signals))
        report({ at, data: { what: 'as waited', value }, related: [{ at: waited.call, message: 'waited for here' }] });
      reportStale(file, fn, report);
      for (const { at, path, signal } of makesSemaphore(fn) ? [] : rewindsIn(file, fn))
        report({ at, data: { what: 'rewound', value: pathText(path) }, related: [{ at: signal.call, message: 'signalled here' }] });
      for (const reset of resetsIn(file, fn))
        report({
          at: reset.at,
          data: { what: 'set back', value: pathText(reset.path) },
          related: [{ at: reset.signal.call, message: 'signalled here' }],
        });
    }
  },
});

function reportStale(file: FileFacts, fn: FunctionFacts, report: (problem: Problem<Data>) => void): void {
  for (const { at, before, semaphore } of staleOperations(file, fn))
    report({ at, data: { what: 'stale', value: semaphore }, related: [{ at: before, message: 'the value went into this' }], isPreview: true });
}

/** A new semaphore starts a new count. */
function makesSemaphore(fn: FunctionFacts): boolean {
  return fn.calls.some(
    (call) =>
      /CreateSemaphore|ImportExternalSemaphore/.test(call.api?.name ?? '') || (!call.api && /create|recreate|init|make_?sem|import/i.test(call.name)),
  );
}

function problemOf(file: FileFacts, signals: readonly Signal[], signal: Signal): (Data & { at: Event }) | undefined {
  const number = constantOf(signal.at, signal.value);
  if (number !== undefined && number > 0) {
    const earlier = signals.find(
      (each) => each !== signal && samePath(each.semaphore, signal.semaphore) && dominates(each.call, signal.call) && isAtLeast(each, number),
    );
    if (earlier) return { at: signal.at, what: 'not above', value: String(number) };
    const isRepeated = inLoop(signal.call) || /(frame|render|draw|tick|present)/i.test(signal.call.fn.name);
    return isRepeated && !isOnce(signal) ? { at: signal.at, what: 'constant', value: String(number) } : undefined;
  }
  const value = valueAt(signal.at, signal.value);
  const bare = value && value !== 'zero' ? stripCasts(value) : undefined;
  return bare?.kind === 'binary' && bare.op === '%' ? { at: signal.at, what: 'modulo', value: file.source(bare) } : undefined;
}

function isAtLeast(earlier: Signal, number: number): boolean {
  const before = constantOf(earlier.at, earlier.value);
  return before !== undefined && before >= number;
}

/** Under a condition such as "the first frame". */
function isOnce(signal: Signal): boolean {
  const { fn } = signal.call;
  return fn.events.some(
    (event) =>
      event.kind === 'test' &&
      !inLoopHead(event) &&
      dominates(event, signal.call) &&
      pathsOf(event).some((name) => /first|init|once|prime/i.test(name)),
  );
}

function inLoopHead(event: Event): boolean {
  return event.kind === 'test' && event.expr.kind === 'binary' && event.expr.op === '<';
}

function pathsOf(event: Event): string[] {
  return event.kind === 'test' ? [...walk(event.expr)].flatMap((part) => (part.kind === 'path' ? [pathText(part.path)] : [])) : [];
}

/** Wait and signal of one semaphore with one value that nothing changes between them. Values of binary semaphores mean nothing. */
function signalsAsWaited(file: FileFacts, fn: FunctionFacts, signals: readonly Signal[]): { at: Event; waited: Signal; value: string }[] {
  const waits = signals.length > 0 ? waitsIn(fn) : [];
  if (waits.length === 0 || importsIn(file).some((each) => each.kind === 'binary')) return [];
  return signals.flatMap((signal) => {
    const path = countOf(signal);
    const waited = waits.find(
      (each) => path && samePath(countOf(each), path) && samePath(each.semaphore, signal.semaphore) && dominates(each.call, signal.call),
    );
    if (!path || !waited || constantOf(signal.at, signal.value) !== undefined) return [];
    const [first, last] = [Math.min(waited.at.id, signal.at.id), Math.max(waited.at.id, signal.at.id, signal.call.id)];
    const isChanged = fn.events.some((event) => event.id > first && event.id < last && mayChange(event, path));
    return isChanged ? [] : [{ at: signal.at, waited, value: pathText(path) }];
  });
}

function countOf({ value }: Signal): Path | undefined {
  const bare = stripCasts(value);
  return bare.kind === 'path' ? bare.path : undefined;
}

/** An assignment, or a call that is given its address; fields may be changed by methods of their class. */
function mayChange(event: Event, path: Path): boolean {
  if (event.kind === 'assign') return samePath(pathOf(event.target), path);
  if (event.kind !== 'call' || event.api) return event.kind === 'call' && event.args.some((arg) => samePath(addressOf(arg), path));
  const isOwnMethod = path.kind === 'this' && (!event.receiver || pathOf(event.receiver)?.root === 'this');
  return (isOwnMethod && /next|advance|bump|inc|step|tick|signal|value/i.test(event.name)) || event.args.some((arg) => samePath(pathOf(arg), path));
}

/** `value_ = 0` in an ordinary method although other methods signal with it. */
function resetsIn(file: FileFacts, fn: FunctionFacts): { at: Assign; path: Path; signal: Signal }[] {
  if (
    fn.kind !== 'method' ||
    !fn.className ||
    makesSemaphore(fn) ||
    fn.calls.some((call) => /Destroy\w*Semaphore|destroy|reset|release/i.test(call.name))
  )
    return [];
  const others = file.functionsOfClass(fn.className).filter((each) => each !== fn);
  const resets = fn.events.flatMap((event) => {
    const path = event.kind === 'assign' && event.op === '=' ? pathOf(event.target) : undefined;
    return event.kind === 'assign' && path?.kind === 'this' && path.steps.length === 1 && event.value && constantOf(event, event.value) === 0
      ? [{ at: event, path }]
      : [];
  });
  return resets.flatMap((reset) => {
    const signal = others
      .flatMap((each) => signalsIn(each))
      .find((each) => [...walk(each.value)].some((part) => part.kind === 'path' && samePath(part.path, reset.path)) || countsWith(each, reset.path));
    return signal ? [{ ...reset, signal }] : [];
  });
}

/** `params.params.fence.value = ++value_` and `const v = value_ + 1`. */
function countsWith(signal: Signal, path: Path): boolean {
  const value = valueAt(signal.at, signal.value);
  return value !== undefined && value !== 'zero' && [...walk(value)].some((part) => part.kind === 'path' && samePath(part.path, path));
}
