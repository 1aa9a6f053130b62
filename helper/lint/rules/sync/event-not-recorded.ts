/**
 * # sync/event-not-recorded
 *
 * ## What it does
 * Reports a wait for a CUDA event that this file creates but never records, or records only behind the wait; also for an event in an object
 * of a class that this file shows.
 *
 * ## Why is this bad
 * An event that has not been recorded counts as complete: the wait returns at once and orders nothing. The reader runs before the
 * writer whenever the machine is busy enough.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * void copy_then_use(float* target, const float* source, size_t bytes, cudaStream_t writer, cudaStream_t reader) {
 *     cudaEvent_t done;
 *     cudaEventCreate(&done);
 *     cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, writer);
 *     cudaStreamWaitEvent(reader, done, 0);
 *     cudaEventDestroy(done);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * void copy_then_use(float* target, const float* source, size_t bytes, cudaStream_t writer, cudaStream_t reader) {
 *     cudaEvent_t done;
 *     cudaEventCreate(&done);
 *     cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, writer);
 *     cudaEventRecord(done, writer);
 *     cudaStreamWaitEvent(reader, done, 0);
 *     cudaEventDestroy(done);
 * }
 * ```
 *
 * ## What it cannot see
 * Records in other files: an event that is handed to an unknown function, copied or returned is left alone, and so are fields declared
 * in headers. A record on one path counts for all.
 */
import { type EventObject, eventObjects } from '../../analyses/cuda-events';
import { wrappedEvents } from '../../analyses/wrapped-events';
import type { FileFacts } from '../../facts/index';
import { pathText } from '../../facts/paths';
import { reachesWithout } from '../../flow/order';
import { defineRule } from '../rule';

export const rule = defineRule<{ event: string; late: boolean }>({
  meta: {
    id: 'sync/event-not-recorded',
    summary: 'A stream or the host waits for an event that has not been recorded.',
    severity: 'error',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ event, late }) {
    const when = late ? 'is recorded only behind this wait' : 'is never recorded';
    return `\`${event}\` ${when}, and an event without a record counts as complete: this wait orders nothing. Record it on the stream of the work, behind the work and before the wait.`;
  },

  detect(file, report) {
    for (const event of [...eventObjects(file), ...wrappedEvents(file)]) {
      const created = event.uses.find((use) => use.action === 'create');
      if (!created || event.escapes || !isAllHere(file, event)) continue;
      const records = event.uses.filter((use) => use.action === 'record');
      for (const wait of event.uses.filter((use) => use.action === 'wait' || use.action === 'host wait')) {
        const isLocal = /^\d/.test(event.id);
        const late = isLocal && records.length > 0 && !records.some((record) => reachesWithout(record.call, wait.call, () => false));
        if (records.length === 0 || late)
          report({ at: wait.call, data: { event: pathText(wait.path), late }, related: [{ at: created.call, message: 'created here' }] });
      }
    }
  },
});

/** No other file can record it: a local, or a field of a class that this source file declares. */
function isAllHere(file: FileFacts, event: EventObject): boolean {
  if (/^\d/.test(event.id)) return true;
  if (event.id.startsWith('::')) return file.globals.some((each) => `::${each.name}` === event.id && each.isStatic);
  return !/\.(h|hpp|hh|hxx|cuh|inl|ipp)$/.test(file.path);
}
