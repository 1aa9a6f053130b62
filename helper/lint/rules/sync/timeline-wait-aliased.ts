/**
 * # sync/timeline-wait-aliased
 *
 * ## What it does
 * Reports `vkWaitSemaphores` whose `pValues` points at a counter that other code of the file counts up.
 *
 * ## Why is this bad
 * `pValues` is an address. While the host blocks, another thread or the next frame may bump the counter, and the wait then asks for a
 * value that nobody has submitted yet: a hang, or a wait for the wrong frame.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * struct Timeline {
 *     void next() { ++value_; }
 *     void wait(VkDevice device) {
 *         VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &semaphore_, &value_};
 *         vkWaitSemaphores(device, &info, 1000000000);
 *     }
 *     VkSemaphore semaphore_ = VK_NULL_HANDLE;
 *     uint64_t value_ = 0;
 * };
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * struct Timeline {
 *     void next() { ++value_; }
 *     void wait(VkDevice device) {
 *         const uint64_t target = value_;  // frozen before blocking
 *         VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &semaphore_, &target};
 *         vkWaitSemaphores(device, &info, 1000000000);
 *     }
 *     VkSemaphore semaphore_ = VK_NULL_HANDLE;
 *     uint64_t value_ = 0;
 * };
 * ```
 *
 * ## What it cannot see
 * Whether the two really run at the same time: a program with one thread is reported too, where the value is counted up (`++x`, `x += n`,
 * `x = x + 1`). A plain `x = next` counts for a member or a global of a file that tells of threads. Counters reached through pointers of
 * unknown origin, and locks taken by the callers.
 */

import { holdsLock } from '../../analyses/held-locks';
import { behindLocal, waitedValue } from '../../analyses/wait-values';
import type { Call, Event, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { lastName, mentions, pathOf, pathText, samePath } from '../../facts/paths';
import { dominates } from '../../flow/order';
import { resolveCallee } from '../../flow/program';
import { typeOfPath } from '../../flow/visible';
import { fileQuery } from '../../memo/query';
import { functionTable } from '../../memo/table';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ counter: string; bumper: string }>({
  meta: {
    id: 'sync/timeline-wait-aliased',
    summary: 'A timeline wait reads its value through the address of a counter that other code counts up.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ counter, bumper }) {
    return `The wait reads \`${counter}\` by address, and ${bumper} may change it while the host blocks: the wait then asks for a value that nobody has submitted. Copy it to a local first and point pValues at the copy.`;
  },

  detect(file, report) {
    for (const call of file.subjects.flatMap((fn) => fn.calls)) {
      const waited = call.api?.name === 'vkWaitSemaphores' && !holdsLock(call) ? waitedValue(file, call) : undefined;
      if (!waited || isScratch(file, call, waited.counter)) continue;
      const { counter, at } = waited;
      const bump = bumpOf(file, call, counter);
      if (!bump) continue;
      const bumper = bump.fn === call.fn ? 'the line that counts it up' : `\`${bump.fn.qualifiedName}\``;
      report({ at, data: { counter: pathText(counter), bumper }, related: [{ at: bump, message: 'counted up here' }] });
    }
  },
});

/** The waiting function has just put the value there, and nothing tells of a second thread. */
function isScratch(file: FileFacts, call: Call, counter: Path): boolean {
  const isSet = call.fn.events.some(
    (event) => event.kind === 'assign' && event.id < call.id && event.op === '=' && samePath(pathOf(event.target), counter) && dominates(event, call),
  );
  return isSet && !tellsOfThreads(file);
}

const tellsOfThreads = fileQuery((file) => file.hasToken('word', /^(j?thread|async|mutex|atomic|pthread_create|condition_variable)$/));

function bumpOf(file: FileFacts, call: Call, counter: Path): Event | undefined {
  const type = typeOfPath(file, call.fn, counter);
  if (type !== undefined && /\bconst\b/.test(type)) return undefined;
  return bumps.of(file, lastName(counter)).find((event) => {
    const { fn } = event;
    const isElsewhere = (fn !== call.fn || counter.kind === 'captured') && fn.kind !== 'constructor';
    const target = targetOf(event);
    if (!countsUp(event) && !isOneObject(file, counter)) return false;
    if (waitsFirst(file, event, call) && !tellsOfThreads(file)) return false;
    return isElsewhere && target !== undefined && sameCounter(file, call, counter, fn, behindLocal(fn, target));
  });
}

/** The function that counts up calls the waiting one before: nobody waits when the counter changes. */
function waitsFirst(file: FileFacts, bump: Event, { fn }: Call): boolean {
  return bump.fn.calls.some((call) => call.id < bump.id && resolveCallee(file, call) === fn && dominates(call, bump));
}

/** What counts something up, by its last name. */
const bumps = functionTable<string, Event>((_, fn) =>
  fn.events.flatMap((event) => {
    const target = changes(event) ? targetOf(event) : undefined;
    return target ? [[lastName(target), event]] : [];
  }),
);

function targetOf(event: Event): Path | undefined {
  if (event.kind === 'assign') return pathOf(event.target);
  return event.kind === 'call' ? pathOf(event.receiver) : undefined;
}

/** `++x`, `x += n`, `x = next`, `x.fetch_add(1)`; resets to a constant do not count up. */
function changes(event: Event): boolean {
  if (event.kind === 'call') return /^(fetch_add|store|exchange)$/.test(event.name);
  if (event.kind !== 'assign' || event.declares) return false;
  if (event.op !== '=') return true;
  return event.value !== undefined && !/^(number|null|bool|init)$/.test(event.value.kind);
}

/** `x = x + 1`; `x = next` may as well write down, behind a wait of its own, what was just submitted. */
function countsUp(event: Event): boolean {
  if (event.kind !== 'assign' || event.op !== '=') return true;
  const target = pathOf(event.target);
  return target !== undefined && mentions(event.value, target);
}

/** Of a struct that is reached through a pointer nobody knows which one is meant, and without threads nobody writes during the wait. */
function isOneObject(file: FileFacts, { kind }: Path): boolean {
  return kind !== 'param' && kind !== 'local' && tellsOfThreads(file);
}

/** The same object as far as one can tell: equal paths of one class, or equal members of one struct type. */
function sameCounter(file: FileFacts, call: Call, counter: Path, fn: FunctionFacts, other: Path): boolean {
  if (counter.kind === 'this' && other.kind === 'this') return fn.className === call.fn.className && sameElement(counter, other);
  if (counter.kind === 'captured') return samePath(counter, other) && isAround(fn, call.fn);
  if (counter.kind === 'global') return other.kind === 'global' && samePath(counter, other) && staticIn(call.fn, counter) === staticIn(fn, other);
  if (lastName(counter) !== lastName(other) || counter.steps.length === 0 || other.steps.length === 0) return false;
  const owner = (at: FunctionFacts, path: Path) =>
    typeOfPath(file, at, {
      ...path,
      steps: path.steps.slice(
        0,
        path.steps.findLastIndex((step) => step.startsWith('.')),
      ),
    });
  const mine = owner(call.fn, counter);
  return mine !== undefined && mine === owner(fn, other);
}

/** The function whose `static` variable is meant: each function has its own of that name. */
function staticIn(fn: FunctionFacts | undefined, { root }: Path): FunctionFacts | undefined {
  return !fn || fn.locals.some((each) => each.name === root && each.isStatic) ? fn : staticIn(fn.parent, { root } as Path);
}

/** Elements of one array count as one, and as the array: which index is meant is not known. */
function sameElement(a: Path, b: Path): boolean {
  const anyIndex = (path: Path): Path => ({ ...path, steps: path.steps.filter((step) => !step.startsWith('[')) });
  return samePath(anyIndex(a), anyIndex(b));
}

function isAround(outer: FunctionFacts, inner: FunctionFacts): boolean {
  return inner.parent === outer || inner.parent?.parent === outer;
}
