/**
 * # sync/write-without-stream
 *
 * ## What it does
 * Reports an attribute write of ovrtx or ovstage (`write_attribute`, `write_array_attribute`, `binding.write`) whose CUDA tensor has work
 * pending in this function, with neither `cuda_stream` nor `cuda_event`. As information: a full synchronise right before a write that
 * passes the stream anyway.
 *
 * ## Why is this bad
 * Without stream or event the renderer reads the tensor at once, while the kernel that fills it may still run: transforms of two frames
 * mix. With the stream the producer's DLPack export orders both, and the host need not wait.
 *
 * ## Example
 * ```python
 * import warp as wp
 * def write(renderer, paths, kernel, transforms):
 *     wp.launch(kernel, dim=len(transforms), inputs=[transforms])
 *     renderer.write_attribute(paths, "omni:xform", transforms)
 * ```
 *
 * ## Use instead
 * ```python
 * import warp as wp
 * def write(renderer, paths, kernel, transforms):
 *     stream = wp.get_stream()
 *     wp.launch(kernel, dim=len(transforms), inputs=[transforms], stream=stream)
 *     renderer.write_attribute(paths, "omni:xform", transforms, cuda_stream=stream.cuda_stream)
 * ```
 *
 * ## What it cannot see
 * Work that other functions queued, and arrays that lie in host memory: what a kernel writes is believed to be on the GPU unless the
 * function says `device="cpu"`.
 */
import { isTensorCall } from '../../analyses/python-streams';
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { isWithin, pathOf, pathText, walk } from '../../facts/paths';
import { valueAt } from '../../flow/definitions';
import { reachesWithout } from '../../flow/order';
import { defineRule, type Problem } from '../rule';

type Data =
  | { readonly kind: 'unordered'; readonly data: string; readonly write: string }
  | { readonly kind: 'redundant'; readonly sync: string; readonly write: string };

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/write-without-stream',
    summary: 'An attribute write gets a CUDA tensor with pending work and neither stream nor event.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['python'],
    group: 'preview',
    since: '0.1.0',
  },

  message(data) {
    if (data.kind === 'redundant')
      return `\`${data.sync}\` makes the host wait although \`${data.write}\` passes the stream, which orders the write already. Leave it out.`;
    return `\`${data.data}\` may still be written by a kernel when \`${data.write}\` reads it: neither cuda_stream nor cuda_event is given. Pass the stream of that work as cuda_stream.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded || saysCpu(file, fn)) continue;
      for (const write of fn.calls) if (isWrite(write)) checkWrite(fn, write, report);
    }
  },
});

function isWrite(call: Call): boolean {
  if (/^write(_array)?_attribute$/.test(call.name)) return call.receiver !== undefined;
  const receiver = pathOf(call.receiver);
  return call.name === 'write' && receiver !== undefined && /binding/i.test(pathText(receiver));
}

function saysCpu(file: FileFacts, fn: FunctionFacts): boolean {
  return /device\s*=\s*["']cpu["']|Device\.CPU|ScopedDevice\(["']cpu["']\)/.test(file.source(fn.span));
}

function checkWrite(fn: FunctionFacts, write: Call, report: (problem: Problem<Data>) => void): void {
  const given = ['cuda_stream', 'cuda_event'].some((name) => write.keywords.has(name) && write.keywords.get(name)!.kind !== 'null');
  const work = fn.calls.findLast((call) => call.id < write.id && pendingFor(call, write));
  if (!work || !reachesWithout(work, write, () => false)) return;
  const between = fn.calls.filter((call) => call.id > work.id && call.id < write.id);
  const sync = between.findLast((call) => /sync|wait|numpy|cpu|item/i.test(call.name));
  if (!given && !sync && !hidesOptions(write)) {
    const data = argumentsOf(write).find((path) => uses(work, path)) ?? pathOf(work.receiver);
    if (data)
      report({
        at: write,
        data: { kind: 'unordered', data: pathText(data), write: write.name },
        related: [{ at: work, message: 'work queued here' }],
      });
  }
  if (given && sync && isFullSync(sync) && !between.some((call) => call.id > sync.id && !/^(get_stream|current_stream|int)$/.test(call.name)))
    report({
      at: sync,
      data: { kind: 'redundant', sync: sync.callee, write: write.name },
      related: [{ at: write, message: 'ordered by its stream' }],
      severity: 'info',
    });
}

/** `**kwargs` may hold the stream. */
function hidesOptions(write: Call): boolean {
  return write.args.some((arg) => arg.kind === 'other');
}

function isFullSync(call: Call): boolean {
  return /^(warp\.synchronize(_device|_stream)?|torch\.cuda\.synchronize|cupy\.cuda\.runtime\.deviceSynchronize)$/.test(call.callee);
}

/** Tensors that the write is given. */
function argumentsOf(write: Call): Path[] {
  const given = [...write.args, ...write.keywords.values()].flatMap((arg) => (arg.kind === 'init' ? arg.entries.map((entry) => entry.value) : [arg]));
  return given.flatMap((arg) => pathOf(unwrapped(write, arg)) ?? pathOf(arg) ?? []);
}

/** `wp.to_torch(x)`, `x.contiguous()` and names for them mean `x`. */
function unwrapped(at: Call, arg: Expr): Expr {
  const value = valueAt(at, arg);
  if (value === undefined || value === 'zero' || value.kind !== 'call') return arg;
  return /^(to_torch|from_torch|contiguous|from_dlpack|view|reshape|array)$/.test(value.name) ? (value.args[0] ?? value.receiver ?? arg) : arg;
}

/** A Warp launch or copy, or an operation of Torch in place, that writes one of the tensors; or the computation that made it. */
function pendingFor(call: Call, write: Call): boolean {
  const tensors = argumentsOf(write);
  if (/^warp\.(launch|launch_tiled|copy)$/.test(call.callee)) return tensors.some((path) => uses(call, path));
  if (call.callee.endsWith(']')) return tensors.some((path) => uses(call, path));
  if (/^(copy_|add_|mul_|fill_|zero_)$/.test(call.name))
    return tensors.some((path) => pathOf(call.receiver) !== undefined && isWithin(pathOf(call.receiver)!, path));
  if (!isTensorCall(call) || !/^torch\./.test(call.callee)) return false;
  const assigned = call.fn.events.find((event) => event.kind === 'assign' && event.value === call);
  const target = assigned?.kind === 'assign' ? pathOf(assigned.target) : undefined;
  return target !== undefined && onCuda(call) && tensors.some((path) => isWithin(path, target));
}

/** A computation of Torch whose text says that it runs on the GPU. */
function onCuda(call: Call): boolean {
  return [...call.args, ...call.keywords.values()].some((arg) => [...walk(arg)].some((part) => part.kind === 'string' && /^cuda/.test(part.value)));
}

function uses(call: Call, path: Path): boolean {
  return [...call.args, ...call.keywords.values()].some((arg) => [...walk(arg)].some((part) => part.kind === 'path' && isWithin(part.path, path)));
}
