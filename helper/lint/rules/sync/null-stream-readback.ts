/**
 * # sync/null-stream-readback
 *
 * ## What it does
 * Reports data that is read on the host before the copy or kernel that produces it is known to be done: Warp's `.numpy()` behind work on
 * a stream of its own, a non-blocking copy to the host that is looked at at once, and `Texture2D.copy_to` under another stream than the
 * one that waited for the output.
 *
 * ## Why is this bad
 * Warp's `.numpy()` reads on the device's null stream, which does not wait for streams that are created as non-blocking. A copy with `non_blocking=True` to pinned
 * memory returns before the bytes are there. `copy_to` uses the stream that is current, so a wait on another one guards nothing.
 *
 * ## Example
 * ```python
 * import warp as wp
 * def read(kernel, a, out, stream):
 *     wp.launch(kernel, dim=8, inputs=[a], outputs=[out], stream=stream)
 *     return out.numpy()
 * ```
 *
 * ## Use instead
 * ```python
 * import warp as wp
 * def read(kernel, a, out, stream):
 *     wp.launch(kernel, dim=8, inputs=[a], outputs=[out], stream=stream)
 *     wp.synchronize_stream(stream)
 *     return out.numpy()
 * ```
 *
 * ## Fix safety
 * A suggestion: the host waits for the stream before it reads, or the copy becomes a waiting one. Both cost time; an event may be better.
 *
 * ## What it cannot see
 * Streams that `wp.Stream(device)` makes here wait for the null stream by themselves and are left alone; others may come from Torch or
 * another library. Streams that are the null stream under another name, and synchronisation in functions that nobody sees, which silences it.
 */
import { type StreamScope, scopeAt, streamScopes } from '../../analyses/python-streams';
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { isWithin, pathKey, pathOf, pathText, walk } from '../../facts/paths';
import { assignmentsTo } from '../../flow/calls';
import { valueAt } from '../../flow/definitions';
import { reachesWithout } from '../../flow/order';
import { callsMeaning } from '../../flow/program';
import { insertBeforeStatement, removeArgument } from '../edits';
import { meansTheSame } from '../names';
import { defineRule, type Problem } from '../rule';

interface Data {
  readonly kind: 'null stream' | 'non blocking' | 'other stream';
  readonly data: string;
  /** What the fix needs: the work or copy, and the reader. */
  readonly work?: Call;
  readonly stream?: Expr | undefined;
  readonly read?: Call;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/null-stream-readback',
    summary: 'Data is read on the null stream or by the host before the work of another stream is done.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'suggestion',
    languages: ['python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ kind, data }) {
    if (kind === 'null stream')
      return `\`${data}\` is read on the null stream, which does not wait for the stream that writes it if that is a non-blocking one. Synchronise that stream, or an event recorded on it, first.`;
    if (kind === 'non blocking')
      return `\`${data}\` is copied with non_blocking=True and read before anything waits for the copy. Synchronise the stream or an event first, or copy without non_blocking.`;
    return `\`${data}\` is copied on the stream that is current here, not on the one that waited for the output. Use one stream for wait_on, copy_to and the event.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      const scopes = streamScopes(fn);
      const side = (call: Call) => sideStream(file, scopes, call);
      for (const call of fn.calls) {
        checkNumpy(fn, scopes, call, side, report);
        checkNonBlocking(file, fn, call, report);
        checkTexture(fn, scopes, call, report);
      }
    }
  },

  fix({ data: { kind, work, stream, read } }, file) {
    if (kind === 'non blocking' && work)
      return { title: 'Copy without non_blocking', edits: [removeArgument(file, work, work.keywords.get('non_blocking')!)] };
    const warp = work && /^(\w+)\.\w+\(/.exec(file.source(work))?.[1];
    if (kind !== 'null stream' || !warp || !read || !stream || !pathOf(stream) || !meansTheSame(file, stream, work, read)) return undefined;
    const edit = insertBeforeStatement(file, read, `${warp}.synchronize_stream(${file.source(stream)})`);
    return edit && work.span.end <= edit.span.start ? { title: `Wait for \`${file.source(stream)}\` first`, edits: [edit] } : undefined;
  },
});

function streamOf(scopes: readonly StreamScope[], work: Call): Expr | undefined {
  return work.keywords.get('stream') ?? scopeAt(scopes, work)?.stream;
}

type Report = (problem: Problem<Data>) => void;

/** `.numpy()` of something that Warp writes on an explicit stream. */
function checkNumpy(fn: FunctionFacts, scopes: readonly StreamScope[], read: Call, side: (call: Call) => boolean, report: Report): void {
  const data = read.name === 'numpy' && read.args.length === 0 ? pathOf(read.receiver) : undefined;
  if (!data) return;
  const work = fn.calls.findLast(
    (call) => call.id < read.id && /^warp\.(launch|launch_tiled|copy)$/.test(call.callee) && writes(call, data) && side(call),
  );
  if (work && isUnordered(fn, work, read))
    report({
      at: read,
      data: { kind: 'null stream', data: pathText(data), work, read, stream: streamOf(scopes, work) },
      related: [{ at: work, message: 'written here on another stream' }],
    });
}

function writes(call: Call, data: Path): boolean {
  const target =
    call.name === 'copy'
      ? [call.args[0] ?? call.keywords.get('dest')]
      : [call.keywords.get('outputs'), call.args[3], call.keywords.get('inputs'), call.args[2]];
  return target.some((expr) => expr !== undefined && [...walk(expr)].some((part) => part.kind === 'path' && isWithin(data, part.path)));
}

/** The stream of the work is named and is not just the current one. */
function sideStream(file: FileFacts, scopes: readonly StreamScope[], call: Call): boolean {
  const stream = call.keywords.get('stream') ?? scopeAt(scopes, call)?.stream;
  if (!stream || isMadeByWarp(file, call, stream)) return false;
  const value = valueAt(call, stream);
  const isCurrent = value !== undefined && value !== 'zero' && value.kind === 'call' && /get_stream$|current_stream$/.test(value.callee);
  return pathOf(stream) !== undefined && !isCurrent;
}

/** Every value that the stream gets in this function, or the field or global in this file, is a stream of Warp's own, which blocks. */
function isMadeByWarp(file: FileFacts, call: Call, stream: Expr): boolean {
  const path = pathOf(stream);
  if (!path) return false;
  const values = assignmentsTo(file, pathKey(path))
    .filter(({ fn }) => path.kind !== 'local' || fn === call.fn)
    .map(({ value }) => value);
  return values.length > 0 && values.every((value) => value.kind === 'call' && value.callee === 'warp.Stream' && !value.keywords.has('cuda_stream'));
}

function isUnordered(fn: FunctionFacts, from: Event, to: Event): boolean {
  const between = fn.events.filter((event) => event.id > from.id && event.id < to.id);
  return !between.some((event) => event.kind === 'call' && /sync|wait|join|flush|finish/i.test(event.name)) && reachesWithout(from, to, () => false);
}

/** `x.to("cpu", non_blocking=True)` and `host.copy_(x, non_blocking=True)`, looked at before any wait. */
function checkNonBlocking(file: FileFacts, fn: FunctionFacts, copy: Call, report: Report): void {
  const isAsync = copy.keywords.get('non_blocking');
  if (isAsync?.kind !== 'bool' || !isAsync.value) return;
  const host =
    copy.name === 'to' && isCpu(copy.args[0] ?? copy.keywords.get('device'))
      ? targetOf(fn, copy)
      : copy.name === 'copy_'
        ? pinned(fn, copy)
        : undefined;
  if (!host) return;
  const read = fn.calls.find((call) => call.id > copy.id && /^(numpy|tolist|item)$/.test(call.name) && call.receiver && within(call.receiver, host));
  const isReplaced =
    read &&
    fn.events.some(
      (event) =>
        event.id > copy.id + 1 &&
        event.id < read.id &&
        event.kind === 'assign' &&
        event.value !== copy &&
        pathOf(event.target) &&
        isWithin(host, pathOf(event.target)!),
    );
  if (read && !isReplaced && isUnordered(fn, copy, read) && !isAwaitedByCallers(file, fn, read))
    report({ at: read, data: { kind: 'non blocking', data: pathText(host), work: copy }, related: [{ at: copy, message: 'copied here' }] });
}

/** The array, which is a view and reads nothing yet, is handed to a caller that marks the copy with an event or waits. */
function isAwaitedByCallers(file: FileFacts, fn: FunctionFacts, read: Call): boolean {
  const isHandedOut = read.name === 'numpy' && fn.events.some((event) => event.kind === 'return' && event.value === read);
  return isHandedOut && callsMeaning(file, fn).some(({ fn: caller, id }) => caller.calls.some((call) => call.id > id && isMark(call)));
}

const isMark = ({ name, args, receiver }: Call) => name === 'synchronize' || (name === 'record' && receiver !== undefined && args.length <= 1);

function within(expr: Expr, path: Path): boolean {
  const named = pathOf(expr);
  return named !== undefined && isWithin(named, path);
}

function isCpu(expr: Expr | undefined): boolean {
  if (expr?.kind === 'string') return expr.value === 'cpu';
  return expr?.kind === 'call' && expr.callee === 'torch.device' && expr.args[0]?.kind === 'string' && expr.args[0].value === 'cpu';
}

function targetOf(fn: FunctionFacts, copy: Call): Path | undefined {
  const assigned = fn.events.find((event) => event.kind === 'assign' && event.value === copy);
  return assigned?.kind === 'assign' ? pathOf(assigned.target) : undefined;
}

/** The receiver of `copy_`, if this function allocated it in pinned memory. */
function pinned(fn: FunctionFacts, copy: Call): Path | undefined {
  const path = pathOf(copy.receiver);
  const made =
    path &&
    fn.events.find(
      (event) =>
        event.kind === 'assign' &&
        event.id < copy.id &&
        event.value?.kind === 'call' &&
        pathOf(event.target) &&
        pathKey(pathOf(event.target)!) === pathKey(path),
    );
  const value = made?.kind === 'assign' && made.value?.kind === 'call' ? made.value : undefined;
  const flag = value?.keywords.get('pin_memory');
  return (flag?.kind === 'bool' && flag.value) || value?.name === 'pin_memory' ? path : undefined;
}

/** `texture.copy_to(target)` under a stream that is not the one of `wait_on`. */
function checkTexture(fn: FunctionFacts, scopes: readonly StreamScope[], copy: Call, report: Report): void {
  const scope = copy.name === 'copy_to' ? scopeAt(scopes, copy) : undefined;
  const wait = scope && fn.calls.findLast((call) => call.id < copy.id && call.name === 'wait_on');
  if (!scope || !wait || !isTexture(copy)) return;
  const waited = pathOf(wait.args[0]);
  const root = waited && { ...waited, steps: waited.steps.filter((step) => step !== '.cuda_stream') };
  const isSame = root === undefined || pathKey(root) === scope.key || scopeAt(scopes, wait) === scope || aliases(wait, root, scope);
  if (!isSame)
    report({
      at: copy,
      data: { kind: 'other stream', data: pathText(pathOf(copy.receiver)!) },
      related: [{ at: wait, message: 'this stream waited' }],
    });
}

function isTexture(copy: Call): boolean {
  const value = copy.receiver && valueAt(copy, copy.receiver);
  return value !== undefined && value !== 'zero' && value.kind === 'call' && value.name === 'Texture2D';
}

/** Both names may mean one stream. */
function aliases(wait: Call, root: Path, scope: StreamScope): boolean {
  const value = valueAt(wait, { kind: 'path', path: root, span: wait.span });
  const other = valueAt(scope.begin, scope.stream);
  const keyOf = (expr: Expr | 'zero' | undefined) => (expr && expr !== 'zero' && pathOf(expr) ? pathKey(pathOf(expr)!) : undefined);
  return keyOf(value) !== undefined && keyOf(value) === keyOf(other);
}
