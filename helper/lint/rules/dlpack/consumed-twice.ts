/**
 * # dlpack/consumed-twice
 *
 * ## What it does
 * Reports one DLPack capsule that is given to two consumers.
 *
 * ## Why is this bad
 * A capsule is good for one consumer: the first renames it to `used_dltensor` and owns the tensor from then on. The second one raises, or,
 * where it does not look at the name, makes a second owner of the same memory, and the deleter runs twice.
 *
 * ## Example
 * ```python
 * import cupy
 * import torch
 * from torch.utils import dlpack
 * def views(frame):
 *     capsule = dlpack.to_dlpack(frame)
 *     return cupy.from_dlpack(capsule), torch.from_dlpack(capsule)
 * ```
 *
 * ## Use instead
 * ```python
 * import cupy
 * import torch
 * def views(frame):
 *     return cupy.from_dlpack(frame), torch.from_dlpack(frame)
 * ```
 *
 * ## What it cannot see
 * Capsules in fields, containers or the hands of unknown functions. A loop that consumes a capsule made before it counts as two consumers.
 */
import type { Call, Event, FunctionFacts, Path } from '../../facts/index';
import { pathOf, pathText, samePath } from '../../facts/paths';
import { eventsAfter } from '../../flow/order';
import { defineRule } from '../rule';

export const rule = defineRule<{ readonly capsule: string; readonly first: string }>({
  meta: {
    id: 'dlpack/consumed-twice',
    summary: 'One DLPack capsule is given to two consumers.',
    severity: 'error',
    tier: 'B',
    precision: 'certain',
    fix: 'none',
    languages: ['python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ capsule, first }) {
    return `\`${capsule}\` has already been consumed by \`${first}\`: a capsule is good for one consumer, and the second one raises or frees the memory twice. Export once for each consumer, or hand over the tensor instead of the capsule.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      for (const { made, path } of capsulesIn(fn)) {
        const twice = secondConsumer(made, path);
        if (!twice) continue;
        const { first, second } = twice;
        const related = [
          { at: made, message: 'the capsule is made here' },
          { at: first, message: 'consumed here' },
        ];
        report({ at: second, data: { capsule: pathText(path), first: first.callee }, related });
      }
    }
  },
});

const exporters = /^(to_dlpack|toDlpack|__dlpack__|to_dlpack_for_write|to_dlpack_for_read)$/;
const consumers = /^(from_dlpack|fromDlpack|_?from_dlpack_capsule|from_capsule)$/;

/** Plain names that hold a new capsule. */
function capsulesIn(fn: FunctionFacts): { made: Event; path: Path }[] {
  return fn.events.flatMap((event) => {
    if (event.kind !== 'assign' || event.op !== '=' || event.value?.kind !== 'call' || !exporters.test(event.value.name)) return [];
    const path = pathOf(event.target);
    return path?.kind === 'local' && path.steps.length === 0 ? [{ made: event, path }] : [];
  });
}

/** Two consumers on one way, with no new capsule between them. */
function secondConsumer(made: Event, path: Path): { first: Call; second: Call } | undefined {
  const isConsumer = (event: Event): event is Call =>
    event.kind === 'call' && consumers.test(event.name) && samePath(pathOf(event.args[0] ?? [...event.keywords.values()][0]), path);
  const renews = (event: Event) => event.kind === 'assign' && samePath(pathOf(event.target), path);
  const behind = (from: Event) => [...eventsAfter(from, { blocked: renews })];
  for (const first of behind(made).filter(isConsumer)) {
    const second = behind(first).find(isConsumer);
    if (second) return { first, second };
  }
  return undefined;
}
