/**
 * # memory/left-mapped
 *
 * ## What it does
 * Reports a way out of a function on which a graphics resource, a decoded frame or a render output stays mapped, although the function
 * unmaps it on its other ways.
 *
 * ## Why is this bad
 * While a resource is mapped, the graphics API must not touch it, and the next attempt to map it fails. A decoder has only so many frames
 * to map, and a renderer waits for its output. The failure shows up a frame later and far from the early return.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <cuda_gl_interop.h>
 * bool upload(cudaGraphicsResource_t resource, const void* pixels, size_t pitch, size_t rows, cudaStream_t stream) {
 *     if (cudaGraphicsMapResources(1, &resource, stream) != cudaSuccess) return false;
 *     cudaArray_t array = nullptr;
 *     if (cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0) != cudaSuccess) return false;
 *     cudaMemcpy2DToArrayAsync(array, 0, 0, pixels, pitch, pitch, rows, cudaMemcpyDeviceToDevice, stream);
 *     return cudaGraphicsUnmapResources(1, &resource, stream) == cudaSuccess;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <cuda_gl_interop.h>
 * bool upload(cudaGraphicsResource_t resource, const void* pixels, size_t pitch, size_t rows, cudaStream_t stream) {
 *     if (cudaGraphicsMapResources(1, &resource, stream) != cudaSuccess) return false;
 *     cudaArray_t array = nullptr;
 *     const bool mapped = cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0) == cudaSuccess;
 *     if (mapped) cudaMemcpy2DToArrayAsync(array, 0, 0, pixels, pitch, pitch, rows, cudaMemcpyDeviceToDevice, stream);
 *     return cudaGraphicsUnmapResources(1, &resource, stream) == cudaSuccess && mapped;
 * }
 * ```
 *
 * ## What it cannot see
 * Ways out by exception, and functions that map for a partner that unmaps: only a function that does both is judged. A resource in an
 * array, or in the hands of unknown functions or of a guard object, is out of sight.
 */
import { leftMapped } from '../../analyses/left-mapped';
import { defineRule } from '../rule';

export const rule = defineRule<{ readonly mapper: string }>({
  meta: {
    id: 'memory/left-mapped',
    summary: 'An early way out leaves a graphics resource, frame or render output mapped.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ mapper }) {
    return `This way out leaves what \`${mapper}\` mapped as it is, while the other ways unmap it: the graphics side must not use it, and mapping it again fails. Unmap it here too.`;
  },

  detect(file, report) {
    for (const { at, mapped } of leftMapped(file)) report({ at, data: { mapper: mapped.name }, related: [{ at: mapped, message: 'mapped here' }] });
  },
});
