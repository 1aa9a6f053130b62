/**
 * # dlpack/leak-on-throw
 *
 * ## What it does
 * Reports a way out of a function, by exception or by an early return, on which a `DLManagedTensor` is lost: allocated here and not yet
 * handed over, or taken out of its capsule and not yet ended by its deleter.
 *
 * ## Why is this bad
 * Between the allocation and the hand-over nobody else knows the struct; between the renaming of the capsule and the deleter nobody else
 * ends the tensor. What is lost there keeps the producer's memory, mostly that of a whole frame, until the process ends.
 *
 * ## Example
 * ```cpp
 * #include <dlpack/dlpack.h>
 * #include <stdexcept>
 * DLManagedTensor* describe(void* pixels, int64_t* shape, int channels, void (*deleter)(DLManagedTensor*)) {
 *     auto* managed = new DLManagedTensor{};
 *     managed->dl_tensor.data = pixels;
 *     managed->dl_tensor.shape = shape;
 *     managed->deleter = deleter;
 *     if (channels != 4) throw std::invalid_argument("four channels are needed");
 *     return managed;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <dlpack/dlpack.h>
 * #include <stdexcept>
 * DLManagedTensor* describe(void* pixels, int64_t* shape, int channels, void (*deleter)(DLManagedTensor*)) {
 *     if (channels != 4) throw std::invalid_argument("four channels are needed");
 *     auto* managed = new DLManagedTensor{};
 *     managed->dl_tensor.data = pixels;
 *     managed->dl_tensor.shape = shape;
 *     managed->deleter = deleter;
 *     return managed;
 * }
 * ```
 *
 * ## What it cannot see
 * Exceptions that a called function throws, `std::bad_alloc` included, and the parts that hang on the struct (shape, strides, context).
 */
import { managedTensor } from '../../analyses/managed-tensor';
import { violationsOf } from '../../flow/program';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly how: 'throw' | 'return';
  readonly taken: boolean;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'dlpack/leak-on-throw',
    summary: 'A DLPack tensor is lost when the function is left before its hand-over.',
    severity: 'warning',
    tier: 'B',
    precision: 'certain',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ how, taken }) {
    const way = how === 'throw' ? 'This exception' : 'This return';
    return taken
      ? `${way} loses the tensor that was taken out of its capsule: nobody calls its deleter, so the producer's memory is never given back. Call the deleter on this way out, or check before the capsule is renamed.`
      : `${way} loses the \`DLManagedTensor\` that was allocated before and not handed over yet. Check first and allocate afterwards, or hold it in a std::unique_ptr until the hand-over.`;
  },

  detect(file, report) {
    for (const found of violationsOf(file, managedTensor)) {
      if (found.kind !== 'lost-on-throw' && found.kind !== 'lost-on-return') continue;
      const first = found.trace.find((step) => step.state === 'taken' || step.state === 'made');
      if (!first || first.at === found.at) continue;
      const taken = first.state === 'taken';
      report({
        at: found.at,
        data: { how: found.kind === 'lost-on-throw' ? 'throw' : 'return', taken },
        related: [{ at: first.at, message: taken ? 'taken out of its capsule here' : 'allocated here' }],
      });
    }
  },
});
