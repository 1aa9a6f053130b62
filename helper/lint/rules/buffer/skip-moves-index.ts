/**
 * # buffer/skip-moves-index
 *
 * ## What it does
 * Reports a path on which a frame is skipped although the write index has been moved, or is moved just there.
 *
 * ## Why is this bad
 * Readers derive their slot from the write index. A skipped frame must leave the index as it is, so that they see the last good frame
 * again; moved, it sends them to a slot that holds an old frame or nothing at all.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * class Producer {
 *  public:
 *     void frame(bool skip, const void* pixels, size_t bytes, cudaStream_t stream) {
 *         write_ = 1 - write_;
 *         if (skip) return;
 *         cudaMemcpyAsync(slots_[write_], pixels, bytes, cudaMemcpyDeviceToDevice, stream);
 *     }
 *  private:
 *     void* slots_[2];
 *     int write_ = 0;
 * };
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * class Producer {
 *  public:
 *     void frame(bool skip, const void* pixels, size_t bytes, cudaStream_t stream) {
 *         if (skip) return;  // index and readers stay where they are
 *         write_ = 1 - write_;
 *         cudaMemcpyAsync(slots_[write_], pixels, bytes, cudaMemcpyDeviceToDevice, stream);
 *     }
 *  private:
 *     void* slots_[2];
 *     int write_ = 0;
 * };
 * ```
 *
 * ## What it cannot see
 * Skips under other names than skip, drop, paused, stale, unchanged, minimised, and indices that are no field of the class.
 */
import { advanceOf, arraysIndexedBy } from '../../analyses/slot-indices';
import type { Event, FunctionFacts, Path } from '../../facts/index';
import { isWithin, pathOf, pathText, walk } from '../../facts/paths';
import { eventsAfter, postDominates } from '../../flow/order';
import { defineRule } from '../rule';

export const rule = defineRule<{ index: string; condition: string }>({
  meta: {
    id: 'buffer/skip-moves-index',
    summary: 'A path that skips the frame moves the write index.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ index, condition }) {
    return `\`${index}\` moves although the frame is skipped (\`${condition}\`): readers that derive their slot from it look at a slot that was not written. Move it only behind the work of a frame.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded || fn.kind !== 'method' || !fn.className) continue;
      for (const event of fn.events) {
        const advance = advanceOf(fn, event);
        if (!advance || !/writ|back|slot|buffer|produc|index|idx|cur|next|frame/i.test(advance.field)) continue;
        if (arraysIndexedBy(file, fn.className, advance.field).size === 0 || /count|total|number/i.test(advance.field)) continue;
        const skip = fn.events.find((each) => each.kind === 'test' && isSkipped(fn, each, event, advance.path));
        if (skip?.kind === 'test')
          report({
            at: event,
            data: { index: pathText(advance.path), condition: file.source(skip.expr) },
            related: [{ at: skip, message: 'the frame is skipped here' }],
          });
      }
    }
  },
});

/** The advance lies on the skipping side, or before a skip that leaves without setting the index back. */
function isSkipped(fn: FunctionFacts, test: Event, advance: Event, index: Path): boolean {
  const side = test.kind === 'test' ? skipSide(test) : undefined;
  if (side === undefined) return false;
  const skipping = eventsOfSide(fn, test, side);
  const going = eventsOfSide(fn, test, !side);
  const own = skipping.filter((event) => !going.includes(event));
  const isBack = fn.events.some((event) => event.id < test.id && writes(event, index));
  if (own.includes(advance)) return !isBack && !own.some((event) => event !== advance && isWork(event));
  const leaves = own.some((event) => event.kind === 'return') || (own.length === 0 && going.some(isWork));
  const restored = skipping.some((event) => writes(event, index));
  return (
    advance.id < test.id &&
    postDominates(test, advance) &&
    leaves &&
    !restored &&
    !skipping.some(isWork) &&
    !fn.events.some((event) => event.id < test.id && isWork(event))
  );
}

const skipNames = /(^|_|\.|\b)(skip|drop|dropped|skipped|paused|stale|unchanged|minimi[sz]ed)|should_?skip|isPaused|isMinimized/i;

/** The outcome of a test that means "skip": `skip_`, `is_paused()`, `frame.unchanged`. */
function skipSide(test: Event & { kind: 'test' }): boolean | undefined {
  const { expr } = test;
  const names = [...walk(expr)].flatMap((part) => (part.kind === 'path' ? [pathText(part.path)] : part.kind === 'call' ? [part.name] : []));
  if (expr.kind !== 'path' && expr.kind !== 'call') return undefined;
  return names.some((name) => skipNames.test(name)) || undefined;
}

function eventsOfSide(fn: FunctionFacts, test: Event, side: boolean): Event[] {
  const edge = fn.blocks[test.block]!.edges.find((each) => each.when === side);
  return edge ? [...eventsAfter({ ...test, block: edge.to, index: -1 })] : [];
}

/** Work of a frame: launches, copies, submits, or a call that draws or renders. */
function isWork(event: Event): boolean {
  if (event.kind !== 'call') return false;
  return (
    event.launch !== undefined ||
    (event.api?.does('launch') ?? false) ||
    (event.api?.does('submit') ?? false) ||
    (event.api?.does('copy') ?? false) ||
    /render|draw|launch|submit|copy|encode|fill|upload|produce/i.test(event.name)
  );
}

function writes(event: Event, index: Path): boolean {
  const path = event.kind === 'assign' ? pathOf(event.target) : undefined;
  return path !== undefined && isWithin(path, index);
}
