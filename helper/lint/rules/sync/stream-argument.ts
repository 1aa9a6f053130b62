/**
 * # sync/stream-argument
 *
 * ## What it does
 * Reports a stream that is handed over in the terms of another protocol, a `__dlpack__` that ignores the consumer's stream although
 * its class has work pending on one of its own, and a `sync_stream` that is the current device's although the output may be on another.
 *
 * ## Why is this bad
 * The numbers mean different things: for ovrtx 0 is no stream at all and 1 the default stream; DLPack on CUDA and
 * `__cuda_array_interface__` forbid 0 and call the default stream 1; for Torch and CuPy the default stream's handle is 0. A handle
 * passed on as it is turns "wait on the default stream" into "do not wait".
 *
 * ## Example
 * ```python
 * import torch
 * def copy_frame(mapping, target):
 *     stream = torch.cuda.current_stream()
 *     mapping.wait_on(stream.cuda_stream)
 *     target.copy_(torch.from_dlpack(mapping))
 *     stream.synchronize()
 * ```
 *
 * ## Use instead
 * ```python
 * import torch
 * def copy_frame(mapping, target):
 *     stream = torch.cuda.current_stream()
 *     mapping.wait_on(stream.cuda_stream or 1)  # Torch's default stream is 0, for ovrtx it is 1
 *     target.copy_(torch.from_dlpack(mapping))
 *     stream.synchronize()
 * ```
 *
 * ## What it cannot see
 * Handles that come from elsewhere, ROCm's numbering (0 is allowed there), and producers whose data is certainly at rest: a class
 * without any stream or event of its own is left alone, and so is one that synchronises the host.
 */
import { ignoredStreams } from '../../analyses/dlpack-producers';
import { hiddenStreams } from '../../analyses/hidden-streams';
import type { Call, Event, Expr, FileFacts } from '../../facts/index';
import { declarationOf, expressionsOf, pathOf, stripCasts, symbolOf, walk } from '../../facts/paths';
import { valueAt } from '../../flow/definitions';
import { fileQuery } from '../../memo/query';
import { defineRule, type Problem } from '../rule';

type Data =
  | { readonly kind: 'ignored'; readonly producer: string }
  | { readonly kind: 'hidden'; readonly stream: string; readonly data: string }
  | { readonly kind: 'early'; readonly written: string }
  | { readonly kind: 'rocm'; readonly written: string }
  | { readonly kind: 'zero' | 'maybe zero'; readonly written: string; readonly receiver: string; readonly protocol: Protocol }
  | { readonly kind: 'object'; readonly written: string; readonly receiver: string; readonly convert: string };

type Protocol = 'ovrtx' | 'DLPack' | '__cuda_array_interface__';

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/stream-argument',
    summary: 'A stream is handed over in the terms of another protocol, or ignored by a DLPack producer.',
    severity: 'error',
    tier: 'A',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message(data) {
    if (data.kind === 'ignored')
      return `\`${data.producer}\` ignores the consumer's stream although work on this object may be pending: the consumer reads before it is done. Let that stream wait for the producer's (None and 1 are the default stream, -1 asks for no wait), or synchronise the host.`;
    if (data.kind === 'hidden')
      return `A stream of None tells the consumer that nothing is pending, but \`${data.data}\` is written on \`${data.stream}\` and nothing waits for that: the consumer reads before it is done. Give the handle of \`${data.stream}\`, or synchronise it first.`;
    if (data.kind === 'object')
      return `\`${data.receiver}\` is given \`${data.written}\`, a stream of another library. Convert it with ${data.convert}.`;
    if (data.kind === 'early')
      return `\`${data.written}\` belongs to the device that is current, but the code looks at the output's \`device_id\` only behind the mapping: on a machine with several GPUs the output may be on another one. Map without sync_stream and call wait_on with a stream of the output's device.`;
    if (data.kind === 'rocm')
      return `\`${data.written}\` means nothing to DLPack on ROCm, where 0 is the default stream, larger than 2 a handle and -1 asks for no wait. Pass 0 or a handle.`;
    const meaning = data.protocol === 'ovrtx' ? 'for ovrtx 0 means no stream, so nothing waits' : `${data.protocol} does not allow 0 on CUDA`;
    const cause = data.kind === 'zero' ? `\`${data.written}\` is 0` : `\`${data.written}\` is 0 when the default stream is current`;
    return `${cause}, and ${meaning}. Pass 1 for the default stream, for example with \`or 1\`.`;
  },

  detect(file, report) {
    for (const { at, producer } of ignoredStreams(file)) report({ at, data: { kind: 'ignored', producer } });
    if (file.language !== 'python') {
      for (const found of nullStreams(file)) report(found);
      return;
    }
    const isRocm = [...file.imports.values()].some((origin) => /\b(hip|rocm)/i.test(origin));
    for (const fn of file.subjects) {
      for (const { at, work, stream, data } of hiddenStreams(file, fn))
        report({ at, data: { kind: 'hidden', stream, data }, related: [{ at: work, message: 'queued here' }], isPreview: true });
      for (const call of fn.calls) for (const found of wrongIn(file, call, isRocm)) report(found);
      for (const event of fn.events)
        for (const value of interfaceStreams(file, event))
          check(event, value, (kind) =>
            report({ at: value, data: { kind, written: file.source(value), receiver: '', protocol: '__cuda_array_interface__' } }),
          );
    }
  },
});

/** A file that calls HIP by its own functions runs where 0 is the default stream. */
const namesHip = fileQuery((file) => file.hasToken('word', /^_?hip([A-Z]\w*|_\w+)$/) || file.hasToken('string', /^["']libamdhip64/));

function wrongIn(file: FileFacts, call: Call, isRocm: boolean): Problem<Data>[] {
  const found: Problem<Data>[] = [];
  const given = streamGiven(call);
  const wrong = given && numberOf(call, given.value);
  if (given && wrong && !(given.protocol === 'DLPack' && (isRocm || isTriedOut(file, call))))
    found.push({ at: given.value, data: { kind: wrong, written: file.source(given.value), receiver: call.name, protocol: given.protocol } });
  if (given?.protocol === 'DLPack' && isRocm && given.value.kind === 'number' && /^[12]$/.test(String(given.value.value)))
    found.push({ at: given.value, data: { kind: 'rocm', written: file.source(given.value) } });
  const early = given && earlyStream(call, given.value);
  if (early)
    found.push({
      at: given.value,
      data: { kind: 'early', written: file.source(given.value) },
      related: [{ at: early, message: 'its device is looked at here' }],
      severity: 'info',
    });
  const foreign = foreignObject(call);
  if (foreign)
    found.push({ at: foreign.value, data: { kind: 'object', written: file.source(foreign.value), receiver: call.callee, convert: foreign.convert } });
  return found;
}

const ofCurrentDevice = /^(torch\.cuda\.(current_stream|default_stream)|cupy\.cuda\.get_current_stream|warp\.get_stream)$/;

/** `map(sync_stream=current_stream())`, and behind it the output's `device_id` decides which device is used. */
function earlyStream(call: Call, written: Expr): Event | undefined {
  if (!/^map(_\w+)?$/.test(call.name)) return undefined;
  const value = valueAt(call, stripInt(written));
  const bare = value && value !== 'zero' ? (handleOwner(stripInt(value)) ?? stripInt(value)) : undefined;
  const stream = bare && valueAt(call, bare);
  if (stream === undefined || stream === 'zero' || stream.kind !== 'call') return undefined;
  if (!ofCurrentDevice.test(stream.callee) || stream.args.length + stream.keywords.size > 0) return undefined;
  const isDevice = (part: Expr) => part.kind === 'path' && part.path.steps.at(-1) === '.device_id';
  const isSwitch = (each: Call) => /^(Device|device|set_device|ScopedDevice|use)$/.test(each.name);
  return call.fn.calls.find((each) => each.id > call.id && isSwitch(each) && each.args.some((arg) => [...walk(arg)].some(isDevice)));
}

/** C and C++: `desc.sync_stream = (uintptr_t)stream` of a stream variable that is null: the default stream for CUDA, none for ovrtx. */
function nullStreams(file: FileFacts): Problem<Data>[] {
  return file.subjects.flatMap((fn) =>
    fn.events.flatMap((event): Problem<Data>[] => {
      if (event.kind !== 'assign' || !event.value || pathOf(event.target)?.steps.at(-1) !== '.sync_stream') return [];
      const written = pathOf(event.value);
      const type = (written?.kind === 'local' && declarationOf(fn, written)?.type) || '';
      const value = written && valueAt(event, { kind: 'path', path: written, span: event.value.span });
      const bare = value && value !== 'zero' ? stripCasts(value) : undefined;
      const isNull = value === 'zero' || bare?.kind === 'null' || (bare?.kind === 'number' && bare.value === 0);
      if (!/^(const )?(cudaStream_t|CUstream)$/.test(type) || !isNull) return [];
      return [{ at: event.value, data: { kind: 'zero', written: file.source(event.value), receiver: 'sync_stream', protocol: 'ovrtx' } }];
    }),
  );
}

/** Tests ask producers for every number there is. */
function isTriedOut(file: FileFacts, call: Call): boolean {
  return /(^|\/)(tests?\/|test_|conftest)/.test(file.path) && /^test|check/.test(call.fn.name);
}

function check(at: Event, value: Expr, found: (kind: 'zero' | 'maybe zero') => void): void {
  const wrong = numberOf(at, value);
  if (wrong) found(wrong);
}

/** The number of a stream that a call takes, and whose numbering that is. */
function streamGiven(call: Call): { value: Expr; protocol: Protocol } | undefined {
  const keyword = (name: string) => call.keywords.get(name);
  const of = (value: Expr | undefined, protocol: Protocol) => value && { value, protocol };
  if (call.name === 'wait_on' && call.receiver) return of(call.args[0] ?? keyword('stream'), 'ovrtx');
  if (/^map(_\w+)?$/.test(call.name) && keyword('device')) return of(keyword('sync_stream'), 'ovrtx');
  if (call.name === 'unmap' && call.receiver) return of(keyword('stream'), 'ovrtx');
  if (/^(write_attribute|write_array_attribute|write)$/.test(call.name) && call.receiver) return of(keyword('cuda_stream'), 'ovrtx');
  if (call.name === '__dlpack__') return of(keyword('stream'), 'DLPack');
  return undefined;
}

/** `zero`: certainly 0. `maybe zero`: the handle of whatever stream is current. */
function numberOf(at: Event, written: Expr): 'zero' | 'maybe zero' | undefined {
  const value = valueAt(at, stripInt(written));
  if (value === undefined || value === 'zero') return undefined;
  const bare = stripInt(value);
  if (bare.kind === 'number') return bare.value === 0 ? 'zero' : undefined;
  const handle = handleOwner(bare);
  if (!handle) return undefined;
  const owner = valueAt(at, handle);
  return owner !== undefined && owner !== 'zero' && owner.kind === 'call' && defaults.test(owner.callee) ? 'maybe zero' : undefined;
}

const defaults = /^(torch\.cuda\.(current_stream|default_stream)|cupy\.cuda\.get_current_stream)$/;

function stripInt(expr: Expr): Expr {
  const bare = stripCasts(expr);
  return bare.kind === 'call' && bare.callee === 'int' && bare.args[0] ? bare.args[0] : bare;
}

/** `s` of `s.cuda_stream` and `s.ptr`. */
function handleOwner(expr: Expr): Expr | undefined {
  if (expr.kind === 'member' && /^(cuda_stream|ptr)$/.test(expr.name)) return expr.object;
  if (expr.kind !== 'path' || !/^\.(cuda_stream|ptr)$/.test(expr.path.steps.at(-1) ?? '')) return undefined;
  return { ...expr, path: { ...expr.path, steps: expr.path.steps.slice(0, -1) } };
}

/** A Torch stream where Warp wants its own, and the reverse. */
function foreignObject(call: Call): { value: Expr; convert: string } | undefined {
  const inWarp = /^warp\.(ScopedStream|set_stream|wait_stream)$/.test(call.callee)
    ? call.args[0]
    : /^warp\.(launch|copy|capture_begin)$/.test(call.callee)
      ? call.keywords.get('stream')
      : undefined;
  if (inWarp && madeBy(call, inWarp, /^torch\.cuda\.(Stream|current_stream|default_stream|ExternalStream)$/))
    return { value: inWarp, convert: 'wp.stream_from_torch' };
  const number = /^warp\.Stream$/.test(call.callee) ? call.keywords.get('cuda_stream') : undefined;
  if (number && madeBy(call, number, /^torch\.cuda\.(Stream|current_stream|default_stream)$/))
    return { value: number, convert: 'its .cuda_stream, or wp.stream_from_torch' };
  const inTorch = /^torch\.cuda\.(stream|set_stream|StreamContext)$/.test(call.callee) ? call.args[0] : undefined;
  if (inTorch && madeBy(call, inTorch, /^(warp\.(Stream|get_stream)|cupy\.cuda\.(Stream|get_current_stream))$/))
    return {
      value: inTorch,
      convert: symbolOf(inTorch) && madeBy(call, inTorch, /^cupy/) ? 'torch.cuda.ExternalStream(stream.ptr)' : 'wp.stream_to_torch',
    };
  return undefined;
}

function madeBy(at: Event, written: Expr, maker: RegExp): boolean {
  const value = valueAt(at, written);
  return value !== undefined && value !== 'zero' && value.kind === 'call' && maker.test(value.callee);
}

/** The `stream` entry of dictionaries that are a `__cuda_array_interface__`. */
function interfaceStreams(file: FileFacts, event: Event): Expr[] {
  if (event.kind === 'call' || namesHip(file)) return [];
  if (
    event.kind === 'assign' &&
    event.fn.name === '__cuda_array_interface__' &&
    /^\[["']stream["']\]$/.test(pathOf(event.target)?.steps.at(-1) ?? '')
  )
    return event.value ? [event.value] : [];
  return expressionsOf(event).flatMap((expr) =>
    [...walk(expr)].flatMap((part) => {
      if (part.kind !== 'init') return [];
      const names = part.entries.map((entry) => entry.field?.replace(/["']/g, ''));
      const at = names.indexOf('stream');
      return at >= 0 && names.includes('data') && (names.includes('typestr') || names.includes('version')) ? [part.entries[at]!.value] : [];
    }),
  );
}
