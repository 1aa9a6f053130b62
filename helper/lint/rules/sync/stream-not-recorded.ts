/**
 * # sync/stream-not-recorded
 *
 * ## What it does
 * Reports a temporary of Torch or CuPy that was made on the current stream, is used on a side stream, and is given up when the function
 * returns, with no `record_stream` and nothing that waits for the side stream behind the use.
 *
 * ## Why is this bad
 * The caching allocator gives the memory back to the stream that it was made on, at once. The next allocation there gets the same block and
 * writes to it while the side stream still reads: the consumer sees pieces of another tensor.
 *
 * ## Example
 * ```python
 * import torch
 * def push(frame, view, side):
 *     packed = (frame.clamp(0, 1) * 255).to(torch.uint8)
 *     side.wait_stream(torch.cuda.current_stream())
 *     with torch.cuda.stream(side):
 *         view.copy_(packed, non_blocking=True)
 * ```
 *
 * ## Use instead
 * ```python
 * import torch
 * def push(frame, view, side):
 *     packed = (frame.clamp(0, 1) * 255).to(torch.uint8)
 *     side.wait_stream(torch.cuda.current_stream())
 *     with torch.cuda.stream(side):
 *         view.copy_(packed, non_blocking=True)
 *     packed.record_stream(side)
 * ```
 *
 * ## What it cannot see
 * Tensors that functions of other files make, callers that wait in time, and allocators that are told not to reuse. CuPy has no
 * `record_stream`: there the current stream has to wait for the side stream, or the array has to be kept.
 */
import { unrecordedStreams } from '../../analyses/unrecorded-streams';
import { defineRule } from '../rule';

export const rule = defineRule<{ name: string; side: string }>({
  meta: {
    id: 'sync/stream-not-recorded',
    summary: 'A temporary is freed while a side stream still uses it.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ name, side }) {
    return `\`${name}\` belongs to the stream it was made on and is given up when this function returns, while \`${side}\` may still use it: its block goes to the next allocation of that stream. Call \`${name}.record_stream(${side})\`, let the current stream wait for \`${side}\`, or keep \`${name}\`.`;
  },

  detect(file, report) {
    for (const fn of file.subjects)
      for (const { use, made, name, scope } of unrecordedStreams(file, fn))
        report({ at: use, data: { name, side: file.source(scope.stream) }, related: [{ at: made, message: 'made on the current stream' }] });
  },
});
