/**
 * # memory/array-as-pointer
 *
 * ## What it does
 * Reports a CUDA array (a mapped image) that is used like linear memory: copied by `cudaMemcpy`, cast to a pointer, or wrapped by
 * `from_dlpack`, `.numpy()` and the like.
 *
 * ## Why is this bad
 * A CUDA array is an opaque handle. Its pixels are tiled, and the handle is no device address: the copy reads foreign memory or fails
 * with an illegal access far away.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * cudaError_t read_back(void* pixels, cudaArray_t image, size_t bytes) {
 *     return cudaMemcpy(pixels, image, bytes, cudaMemcpyDeviceToHost);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * cudaError_t read_back(void* pixels, size_t pitch, cudaArray_t image, size_t row, size_t height) {
 *     return cudaMemcpy2DFromArray(pixels, pitch, image, 0, 0, row, height, cudaMemcpyDeviceToHost);
 * }
 * ```
 *
 * ## Fix safety
 * Told, never applied: a copy from an array needs the pitch and height of the target.
 *
 * ## What it cannot see
 * Handles that travel as `void*`, integers or parameters without a type, and mappings whose device is a variable.
 */
import { arrayMisuses } from '../../analyses/cuda-arrays';
import { defineRule } from '../rule';

export const rule = defineRule<{ array: string; how: string }>({
  meta: {
    id: 'memory/array-as-pointer',
    summary: 'A CUDA array, an opaque image handle, is used like linear memory.',
    severity: 'error',
    tier: 'B',
    precision: 'certain',
    fix: 'display-only',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ array, how }) {
    return `\`${array}\` is a CUDA array, an opaque image handle, but ${how}: that reads at an address which is none. Copy it by a 2D copy from the array (cudaMemcpy2DFromArray, cuMemcpy2D), or read it as texture or surface.`;
  },

  detect(file, report) {
    for (const { at, array, how, from } of arrayMisuses(file)) {
      const related = from ? [{ at: from, message: 'mapped as a CUDA array here' }] : [];
      report({ at, data: { array: file.source(array), how }, related });
    }
  },

  fix() {
    return { title: 'Copy from the array in two dimensions', edits: [] };
  },
});
