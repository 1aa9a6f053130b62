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
 * A suggestion: `event` goes when it was recorded on that very stream, `stream` goes when the event was recorded on another one. Where
 * the file does not show the recording, there is no fix.
 *
 * ## What it cannot see
 * Wrappers that hand both of their own parameters on, since one of them is mostly None; argument dictionaries (`**options`).
 */
import type { Call, Expr } from '../../facts/index';
import { pathKey, pathOf, samePath } from '../../facts/paths';
import { valueAt } from '../../flow/definitions';
import { removeArgument } from '../edits';
import { defineRule } from '../rule';

interface Data {
  readonly object: string;
  readonly call: Call;
}

export const rule = defineRule<Data>({
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
    evidence: 'twins',
  },

  message({ object }) {
    return `\`${object}.unmap\` gets both \`event\` and \`stream\`, which exclude each other: the event says when the work is done, the stream asks the renderer to record that itself. Pass \`stream\` when all work on the mapping went to that stream, else only \`event\`.`;
  },

  detect(file, report) {
    for (const call of file.subjects.flatMap((fn) => fn.calls)) {
      if (call.name !== 'unmap' || !call.receiver) continue;
      const event = call.keywords.get('event');
      const stream = call.keywords.get('stream');
      if (event && stream && isGiven(call, event) && isGiven(call, stream)) report({ at: call, data: { object: file.source(call.receiver), call } });
    }
  },

  fix({ data: { call } }, file) {
    const recorder = recorderOf(call, call.keywords.get('event')!);
    if (recorder === undefined) return undefined;
    const superfluous = recorder === rootOf(call.keywords.get('stream')!) ? 'event' : 'stream';
    return { title: `Remove \`${superfluous}\``, edits: [removeArgument(file, call, call.keywords.get(superfluous)!)] };
  },
});

/** The object on which `event` was recorded last: of `s.record_event()`, `s.record_event(event)` or `event.record(s)`. */
function recorderOf(call: Call, event: Expr): string | undefined {
  const before = call.fn.calls.filter((each) => each.id < call.id && each.receiver && /^record(_event)?$/.test(each.name));
  const made = [rootPath(event)].flatMap((path) =>
    path ? before.filter((each) => samePath(each.result, path) || samePath(pathOf(each.args[0]), path)) : [],
  );
  const own = before.filter((each) => each.name === 'record' && samePath(pathOf(each.receiver), rootPath(event)));
  const last = [...made, ...own].sort((a, b) => a.id - b.id).at(-1);
  return last && rootOf(last.name === 'record' ? last.args[0] : last.receiver);
}

/** `s` of `s`, `s.cuda_stream` and `int(s.cuda_stream)`. */
function rootPath(expr: Expr | undefined) {
  const inner = expr?.kind === 'call' && expr.args.length === 1 && !expr.receiver ? expr.args[0] : expr;
  const path = pathOf(inner);
  return path && /^\.(cuda_stream|cuda_event|ptr|handle)$/.test(path.steps.at(-1) ?? '') ? { ...path, steps: path.steps.slice(0, -1) } : path;
}

function rootOf(expr: Expr | undefined): string | undefined {
  const path = rootPath(expr);
  return path && pathKey(path);
}

/** Certainly not None: not a parameter handed on, not a choice, not a variable that may still hold None. */
function isGiven(call: Call, written: Expr): boolean {
  const value = valueAt(call, written);
  if (value === undefined || value === 'zero') return false;
  if (value.kind === 'path') return value.path.steps.length > 0 && value.path.kind !== 'this';
  return value.kind === 'call' || value.kind === 'member' || value.kind === 'number' || value.kind === 'other';
}
