/**
 * # sync/connections-too-late
 *
 * ## What it does
 * Reports `CUDA_DEVICE_MAX_CONNECTIONS` that is set after CUDA or a renderer has started on the same path. As information: a value from
 * outside that is overwritten, and a setting on Windows.
 *
 * ## Why is this bad
 * CUDA reads the variable once, when it starts. Set later it changes nothing, and the stalls it was meant to avoid stay. Windows does
 * not have them, there the setting only costs concurrency.
 *
 * ## Example
 * ```python
 * import os
 * import torch
 * def start():
 *     torch.cuda.set_device(0)
 *     os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "1")
 * ```
 *
 * ## Use instead
 * ```python
 * import os
 * import torch
 * def start():
 *     os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "1")
 *     torch.cuda.set_device(0)
 * ```
 *
 * ## Fix safety
 * A suggestion: the setting moves before the call that starts CUDA, when both are in one block, or leaves what the user has set.
 *
 * ## What it cannot see
 * A start of CUDA in other files, by an import, or in the caller.
 */
import type { Call, Event, Expr, FileFacts } from '../../facts/index';
import { pathOf } from '../../facts/paths';
import { reachesWithout } from '../../flow/order';
import { happensIn } from '../../flow/visible';
import { replace } from '../edits';
import { moveBefore } from '../moves';
import { defineRule, type Fix } from '../rule';

interface Data {
  readonly what: 'late' | 'overwrites' | 'windows';
  readonly starter: string;
  /** What the fix needs. */
  readonly event: Event;
  readonly start?: Call;
}

const variable = 'CUDA_DEVICE_MAX_CONNECTIONS';

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/connections-too-late',
    summary: 'CUDA_DEVICE_MAX_CONNECTIONS is set after CUDA or a renderer has started.',
    severity: 'warning',
    tier: 'B',
    precision: 'certain',
    fix: 'suggestion',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ what, starter }) {
    if (what === 'overwrites')
      return `This overwrites a ${variable} that the user may have set. Keep it: setdefault in Python, setenv with overwrite 0 in C.`;
    if (what === 'windows')
      return `${variable} is for Linux: on Windows there is no stall to avoid, and one connection only costs concurrency. Set it on Linux only.`;
    return `${variable} is read when CUDA starts, and \`${starter}\` has started it before this line: the setting has no effect. Set it first thing in the program.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      for (const event of fn.events) {
        const setting = settingOf(event);
        if (!setting) continue;
        const starter = fn.calls.find(
          (call) => call.id < event.id && happensIn(file, call, startsCuda) === 'yes' && reachesWithout(call, event, () => false),
        );
        if (starter)
          report({
            at: event,
            data: { what: 'late', starter: starter.name, event, start: starter },
            related: [{ at: starter, message: 'CUDA starts here' }],
          });
        else if (setting === 'windows') report({ at: event, data: { what: 'windows', starter: '', event }, severity: 'info' });
        else if (setting === 'overwrites' && !asksBefore(file, event))
          report({ at: event, data: { what: 'overwrites', starter: '', event }, severity: 'info' });
      }
    }
  },

  fix({ data: { what, event, start } }, file) {
    if (what === 'overwrites') return keep(file, event);
    const edits = start && start.block === event.block ? moveBefore(file, start, [event]) : undefined;
    return edits && { title: `Set it before \`${start!.name}\``, edits };
  },
});

/** `os.environ.setdefault(name, value)`, `setenv(name, value, 0)`. */
function keep(file: FileFacts, event: Event): Fix | undefined {
  const title = 'Keep what the user has set';
  if (event.kind === 'call' && event.name === 'setenv' && event.args[2]) return { title, edits: [replace(event.args[2], '0')] };
  if (event.kind !== 'assign' || !event.value) return undefined;
  const [, object, key] = /^(.*)\[(["'].*["'])\]$/.exec(file.source(event.target)) ?? [];
  if (!object || !key) return undefined;
  const span = { start: event.target.span.start, end: event.value.span.end };
  return { title, edits: [replace(span, `${object}.setdefault(${key}, ${file.source(event.value)})`)] };
}

function settingOf(event: Event): 'overwrites' | 'keeps' | 'windows' | undefined {
  if (event.kind === 'assign') {
    const step = pathOf(event.target)?.steps.at(-1) ?? '';
    return event.op === '=' && new RegExp(`^\\[["']${variable}["']\\]$`).test(step) ? 'overwrites' : undefined;
  }
  if (event.kind !== 'call') return undefined;
  const [first, , third] = event.args;
  if (!names(first)) return undefined;
  if (/^(_putenv_s|SetEnvironmentVariable[AW]?)$/.test(event.name)) return 'windows';
  if (event.name === 'setdefault') return 'keeps';
  if (event.name === 'setenv') return third?.kind === 'number' && third.value !== 0 ? 'overwrites' : 'keeps';
  return /^(putenv|os\.putenv)$/.test(event.callee) ? 'overwrites' : undefined;
}

function names(expr: Expr | undefined): boolean {
  return expr?.kind === 'string' && expr.value.split('=')[0] === variable;
}

const starters =
  /^(torch\.cuda\.(set_device|current_stream|current_device|synchronize|init|Stream|Event|empty_cache|get_device_properties|mem_get_info)|warp\.(init|get_device|synchronize|Stream|launch|zeros|array)|cupy\.(zeros|empty|array|asarray|ones|cuda\.(Stream|Device))|ovrtx\.Renderer|(pycuda\.driver|cuda)\.init|numba\.cuda\.(select_device|current_context|to_device|stream))$/;

/** A first use of CUDA, or a renderer that uses it. */
function startsCuda(event: Event): boolean {
  if (event.kind !== 'call') return false;
  if (starters.test(event.callee) || /^ovrtx_create_renderer$/.test(event.name)) return true;
  if (event.name === 'cuda' && event.receiver && event.args.length === 0) return true;
  const { api } = event;
  return (
    api !== undefined &&
    /^(cuda-driver|cuda-runtime)$/.test(api.api.family) &&
    !/^(cuGetErrorString|cudaGetErrorString|cudaGetErrorName)$/.test(api.name)
  );
}

/** The function looks at the variable first. */
function asksBefore(file: FileFacts, event: Event): boolean {
  return event.fn.events.some((each) => each.id < event.id && (isQuestion(file, each) || (each.kind === 'call' && isRead(each))));
}

function isQuestion(file: FileFacts, event: Event): boolean {
  return event.kind === 'test' && file.source(event.span).includes(variable);
}

function isRead(call: Call): boolean {
  return /^(getenv|get|secure_getenv|GetEnvironmentVariable[AW]?)$/.test(call.name) && names(call.args[0]);
}
