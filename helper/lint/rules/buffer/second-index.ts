/**
 * # buffer/second-index
 *
 * ## What it does
 * Reports a class that shares a ring of GPU buffers between a producer and a reader and counts the slots twice: one index moves in the
 * producer's method, a second one in the reader's.
 *
 * ## Why is this bad
 * The two agree only as long as every produced frame is read exactly once. The first frame that is skipped or read twice leaves the reader
 * on the slot that is being written.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * class Frames {
 *  public:
 *     void produce(const void* pixels, size_t bytes, cudaStream_t stream) {
 *         cudaMemcpyAsync(slots_[write_], pixels, bytes, cudaMemcpyDeviceToDevice, stream);
 *         write_ = (write_ + 1) % 2;
 *     }
 *     void* consume() {
 *         read_ = (read_ + 1) % 2;
 *         return slots_[read_];
 *     }
 *  private:
 *     void* slots_[2];
 *     int write_ = 0;
 *     int read_ = 1;
 * };
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * class Frames {
 *  public:
 *     void produce(const void* pixels, size_t bytes, cudaStream_t stream) {
 *         cudaMemcpyAsync(slots_[write_], pixels, bytes, cudaMemcpyDeviceToDevice, stream);
 *         write_ = 1 - write_;
 *     }
 *     void* consume() const { return slots_[1 - write_]; }  // derived from the producer's index
 *  private:
 *     void* slots_[2];
 *     int write_ = 0;
 * };
 * ```
 *
 * ## What it cannot see
 * Indices in different classes. A queue that compares both indices or counts its entries is left alone, and so are indices that one
 * method moves together.
 */
import { type Advance, advancesIn, arraysIndexedBy } from '../../analyses/slot-indices';
import type { ClassFacts, FileFacts } from '../../facts/index';
import { expressionsOf, walk } from '../../facts/paths';
import { defineRule } from '../rule';

export const rule = defineRule<{ reader: string; writer: string; array: string }>({
  meta: {
    id: 'buffer/second-index',
    summary: "A reader counts the slots itself instead of deriving its slot from the producer's index.",
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: ['cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ reader, writer, array }) {
    return `\`${reader}\` counts the slots of \`${array}\` beside \`${writer}\`: the first skipped or repeated frame puts the reader on the slot that is being written. Keep one index, moved by the producer, and derive the reader's slot from it.`;
  },

  detect(file, report) {
    for (const each of file.subjectClasses) {
      if (!usesGpu(file, each) || hasQueueChecks(file, each)) continue;
      const advances = advancesIn(file, each.name);
      const pair = findPair(file, each, advances);
      if (pair)
        report({
          at: pair.reader.at,
          data: { reader: pair.reader.field, writer: pair.writer.field, array: pair.array },
          related: [{ at: pair.writer.at, message: 'the producer counts here' }],
        });
    }
  },
});

function findPair(file: FileFacts, each: ClassFacts, advances: readonly Advance[]): { reader: Advance; writer: Advance; array: string } | undefined {
  for (const reader of advances.filter((advance) => isReader(advance))) {
    for (const writer of advances.filter((advance) => advance.field !== reader.field && !isReader(advance))) {
      const together = advances.some((advance) => advance.field === writer.field && advance.fn === reader.fn) || moves(reader, writer.field);
      const arrays = arraysIndexedBy(file, each.name, reader.field);
      const array = [...arraysIndexedBy(file, each.name, writer.field)].find((name) => arrays.has(name));
      if (!together && array) return { reader, writer, array };
    }
  }
  return undefined;
}

/** Told by the name of the index or of the method that moves it. */
function isReader({ field, fn }: Advance): boolean {
  if (/read|consum|display|present|front|show|reader|tail|out/i.test(field)) return true;
  return !/writ|produc|back|head|fill|render|in_|next/i.test(field) && /read|consum|display|present|show|acquire|latest|get/i.test(fn.name);
}

/** The reader's method also sets the other index. */
function moves({ fn }: Advance, field: string): boolean {
  return fn.events.some(
    (event) =>
      event.kind === 'assign' && event.target.kind === 'path' && event.target.path.kind === 'this' && event.target.path.steps[0] === `.${field}`,
  );
}

/** A queue that knows how full it is: comparisons of indices, counters, locks. */
function hasQueueChecks(file: FileFacts, each: ClassFacts): boolean {
  if (
    each.fields.some(
      (field) =>
        /condition_variable|semaphore\b|counting_semaphore|Condition/.test(field.type) ||
        /^(count|size|available|pending|full|empty|num_|fill)/i.test(field.name),
    )
  )
    return true;
  const methods = file.functionsOfClass(each.name);
  return methods.some((fn) =>
    fn.events.some((event) =>
      expressionsOf(event).some((expr) =>
        [...walk(expr)].some(
          (part) =>
            part.kind === 'binary' &&
            /^(==|!=|<|>|<=|>=)$/.test(part.op) &&
            [part.left, part.right].every((side) => [...walk(side)].some((inner) => inner.kind === 'path' && inner.path.kind === 'this')),
        ),
      ),
    ),
  );
}

/** The class holds or hands over GPU objects. */
function usesGpu(file: FileFacts, each: ClassFacts): boolean {
  if (each.fields.some((field) => /cuda|^CU|^Vk|vk::|^GLuint|CUdeviceptr|DeviceBuffer/.test(field.type))) return true;
  const methods = file.functionsOfClass(each.name);
  return methods.some((fn) =>
    fn.calls.some(
      (call) =>
        call.launch || /^(cuda|vulkan|torch|cupy|warp|ovrtx|hip|gl)/.test(call.api?.api.family ?? '') || /^(torch|cupy|warp)\./.test(call.callee),
    ),
  );
}
