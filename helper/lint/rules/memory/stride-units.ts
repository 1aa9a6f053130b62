/**
 * # memory/stride-units
 *
 * ## What it does
 * Reports a distance between rows in the wrong unit: a pitch in bytes as a stride of DLPack, as `bufferRowLength` or as GL's row length, all of
 * which count elements; strides of DLPack as the pitch of a copy, and `tensor.stride()` as the strides of a `__cuda_array_interface__`, which
 * count bytes.
 *
 * ## Why is this bad
 * Both are plain numbers, and nothing checks them. Every row begins at the wrong place: the consumer sees every fourth row or a sheared image,
 * and then runs past the end of the allocation.
 *
 * ## Example
 * ```cpp
 * #include <dlpack/dlpack.h>
 * void describe(DLTensor& tensor, int64_t* strides, size_t pitch) {
 *     tensor.dtype = DLDataType{kDLFloat, 32, 1};
 *     tensor.strides = strides;
 *     tensor.strides[0] = static_cast<int64_t>(pitch);
 *     tensor.strides[1] = 1;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <dlpack/dlpack.h>
 * void describe(DLTensor& tensor, int64_t* strides, size_t pitch) {
 *     tensor.dtype = DLDataType{kDLFloat, 32, 1};
 *     tensor.strides = strides;
 *     tensor.strides[0] = static_cast<int64_t>(pitch / sizeof(float));
 *     tensor.strides[1] = 1;
 * }
 * ```
 *
 * ## What it cannot see
 * What a name means: it takes it that a pitch counts bytes, as every allocator says it, unless the file divides it. Elements of one byte are
 * left alone, there both units are the same.
 */
import { type WrongUnit, wrongUnits } from '../../analyses/stride-units';
import { defineRule } from '../rule';

export const rule = defineRule<Pick<WrongUnit, 'written' | 'sink' | 'wanted'>>({
  meta: {
    id: 'memory/stride-units',
    summary: 'A distance between rows is given in bytes where elements are counted, or the reverse.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ written, sink, wanted }) {
    const change =
      wanted === 'bytes' ? 'Multiply it by the size of an element' : `Divide it by the size of ${wanted === 'texels' ? 'a texel' : 'an element'}`;
    return `\`${written}\` counts ${wanted === 'bytes' ? 'elements' : 'bytes'}, but ${sink} ${/strides/.test(sink) ? 'count' : 'counts'} ${wanted}: every row begins at the wrong place. ${change}.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) for (const { at, ...data } of wrongUnits(file, fn)) report({ at, data });
  },
});
