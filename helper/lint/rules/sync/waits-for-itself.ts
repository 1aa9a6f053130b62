/**
 * # sync/waits-for-itself
 *
 * ## What it does
 * Reports a stream that waits for a value of a timeline semaphore which the same stream has signalled itself, a round ago: the wait names
 * the value of its own side where it means that of the other.
 *
 * ## Why is this bad
 * What is queued on one stream runs in order, so the value has been reached before the wait comes up. The wait returns at once and orders
 * nothing: the stream reads an image while the other API still draws into it.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * // Vulkan signals 2n + 1, CUDA 2n + 2.
 * void encode(cudaExternalSemaphore_t timeline, unsigned long long n, cudaStream_t stream) {
 *     cudaExternalSemaphoreWaitParams drawn{};
 *     drawn.params.fence.value = 2 * n;
 *     cudaWaitExternalSemaphoresAsync(&timeline, &drawn, 1, stream);
 *     launch_encoder(stream);
 *     cudaExternalSemaphoreSignalParams done{};
 *     done.params.fence.value = 2 * n + 2;
 *     cudaSignalExternalSemaphoresAsync(&timeline, &done, 1, stream);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * // Vulkan signals 2n + 1, CUDA 2n + 2.
 * void encode(cudaExternalSemaphore_t timeline, unsigned long long n, cudaStream_t stream) {
 *     cudaExternalSemaphoreWaitParams drawn{};
 *     drawn.params.fence.value = 2 * n + 1;
 *     cudaWaitExternalSemaphoresAsync(&timeline, &drawn, 1, stream);
 *     launch_encoder(stream);
 *     cudaExternalSemaphoreSignalParams done{};
 *     done.params.fence.value = 2 * n + 2;
 *     cudaSignalExternalSemaphoresAsync(&timeline, &done, 1, stream);
 * }
 * ```
 *
 * ## What it cannot see
 * Waits and signals in different functions, counters of other files, and values that are not a counter with factor and offset. It takes it
 * that the counter goes up by one a round.
 */
import { waitsForOwnSignals } from '../../analyses/own-signals';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ waited: string; signalled: string }>({
  meta: {
    id: 'sync/waits-for-itself',
    summary: 'A stream waits for a timeline value that it has signalled itself.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ waited, signalled }) {
    return `The wait for \`${waited}\` orders nothing: this stream signals \`${signalled}\` itself, a round ago that was the value it waits for here. Wait for the value that the other side signals when its work is done.`;
  },

  detect(file, report) {
    for (const fn of file.subjects)
      for (const { wait, signal } of waitsForOwnSignals(file, fn)) {
        const data = { waited: file.source(wait.value), signalled: file.source(signal.value) };
        report({ at: wait.at, data, related: [{ at: signal.at, message: 'signalled by this stream' }] });
      }
  },
});
