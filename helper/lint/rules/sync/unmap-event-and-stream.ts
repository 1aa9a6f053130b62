/**
 * # sync/unmap-event-and-stream
 *
 * ## What it does
 * Reports `unmap(event=..., stream=...)` of a mapped render output with both arguments.
 *
 * ## Why is this bad
 * The two are alternatives: with `event` the renderer waits for that event before it writes the output again, with `stream` it records one
 * on that stream itself. Given both, the call is refused, or one of them is silently ignored, and the renderer may overwrite pixels that are
 * still being read.
 *
 * ## Example
 * ```python
 * def finish(mapping, event, work_stream):
 *     done = work_stream.record_event()
 *     mapping.unmap(event=done.cuda_event, stream=work_stream.cuda_stream)
 * ```
 *
 * ## Use instead
 * ```python
 * def finish(mapping, work_stream):
 *     mapping.unmap(stream=work_stream.cuda_stream)
 * ```
 *
 * ## Fix safety
 * A suggestion: drop `event` when the event was recorded on that very stream; otherwise drop `stream`.
 *
 * ## What it cannot see
 * Wrappers that hand both of their own parameters on, since one of them is mostly None; argument dictionaries (`**options`).
 */
import type { Call, Expr } from '../../facts/index';
import { valueAt } from '../../flow/definitions';
import { defineRule } from '../rule';

export const rule = defineRule<{ readonly object: string }>({
  meta: {
    id: 'sync/unmap-event-and-stream',
    summary: 'A mapped output is unmapped with both an event and a stream, which exclude each other.',
    severity: 'error',
    tier: 'A',
    precision: 'certain',
    fix: 'suggestion',
    languages: ['python'],
    group: 'stable',
    since: '0.1.0',
  },

  message({ object }) {
    return `\`${object}.unmap\` gets both \`event\` and \`stream\`, which exclude each other: the event says when the work is done, the stream asks the renderer to record that itself. Pass \`stream\` when all work on the mapping went to that stream, else only \`event\`.`;
  },

  detect(file, report) {
    for (const call of file.functions.flatMap((fn) => fn.calls)) {
      if (call.name !== 'unmap' || !call.receiver) continue;
      const event = call.keywords.get('event');
      const stream = call.keywords.get('stream');
      if (event && stream && isGiven(call, event) && isGiven(call, stream)) report({ at: call, data: { object: file.source(call.receiver) } });
    }
  },
});

/** Certainly not None: not a parameter handed on, not a choice, not a variable that may still hold None. */
function isGiven(call: Call, written: Expr): boolean {
  const value = valueAt(call, written);
  if (value === undefined || value === 'zero') return false;
  if (value.kind === 'path') return value.path.steps.length > 0 && value.path.kind !== 'this';
  return value.kind === 'call' || value.kind === 'member' || value.kind === 'number' || value.kind === 'other';
}
