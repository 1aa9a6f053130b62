/**
 * # sync/unmap-before-done
 *
 * ## What it does
 * Reports an unmap, unregister or release of shared memory behind asynchronous work that it does not wait for: it takes no stream or is
 * given neither event nor stream, or another stream than the work was queued on. With the preview rules also an input of NVENC that is
 * unmapped before the bitstream is locked.
 *
 * ## Why is this bad
 * The call returns the memory to its owner while a kernel may still be running on it. The next frame is decoded or rendered into it,
 * and pixels of two frames mix, rarely and only under load.
 *
 * ## Example
 * ```cpp
 * #include <cuda.h>
 * #include <nvcuvid.h>
 * void show(CUvideodecoder decoder, int index, CUVIDPROCPARAMS* params, CUdeviceptr target, size_t bytes, CUstream stream) {
 *     CUdeviceptr surface = 0;
 *     unsigned pitch = 0;
 *     cuvidMapVideoFrame(decoder, index, &surface, &pitch, params);
 *     cuMemcpyDtoDAsync(target, surface, bytes, stream);
 *     cuvidUnmapVideoFrame(decoder, surface);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda.h>
 * #include <nvcuvid.h>
 * void show(CUvideodecoder decoder, int index, CUVIDPROCPARAMS* params, CUdeviceptr target, size_t bytes, CUstream stream) {
 *     CUdeviceptr surface = 0;
 *     unsigned pitch = 0;
 *     cuvidMapVideoFrame(decoder, index, &surface, &pitch, params);
 *     cuMemcpyDtoDAsync(target, surface, bytes, stream);
 *     cuStreamSynchronize(stream);  // the decoder reuses the surface after the unmap
 *     cuvidUnmapVideoFrame(decoder, surface);
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion: the unmap gets the stream of the work, or the host waits for that stream where the unmap takes none. The latter costs time.
 *
 * ## What it cannot see
 * Work that functions of other files queue, and waits in functions that nobody sees: between work and unmap any call that might wait ends
 * the search. Work that a function of the file queues shows with the preview rules only, where it is given what is unmapped. Streams of which only the names differ, and such beside the default stream, show with the preview rules only.
 */

import { earlyUnmaps } from '../../analyses/encoder-inputs';
import { isUnmap, worksOfHelpers } from '../../analyses/helper-works';
import { unmappedFrames } from '../../analyses/mapped-frames';
import { cudaMappings, isPythonWork, type Mapping, mayWaitInPython, usesView } from '../../analyses/python-mappings';
import { areCertainlyTwo, streamOf } from '../../analyses/stream-identity';
import { createdBlocking, defaultStream, streamKey, unorderedBetween, type Work, waitsForStream, worksIn } from '../../analyses/stream-order';
import type { Call, Expr, FileFacts, FunctionFacts } from '../../facts/index';
import { pathKey, pathOf, samePath } from '../../facts/paths';
import { fieldAt, valueAt } from '../../flow/definitions';
import { reachesWithout } from '../../flow/order';
import { insertBeforeStatement, replace } from '../edits';
import { meansTheSame } from '../names';
import { defineRule, type Fix, type Problem } from '../rule';

interface Data {
  readonly unmap: string;
  readonly why: 'encoder' | 'no stream' | 'nothing given' | 'other stream' | 'end of with';
  /** What the fix needs: the unmap, the stream of the work, and the work or the call that queues it. */
  readonly call?: Call;
  readonly stream?: Expr | undefined;
  readonly work?: Call;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/unmap-before-done',
    summary: 'Shared memory is unmapped behind asynchronous work that the unmap does not wait for.',
    severity: 'error',
    tier: 'B',
    precision: 'likely',
    fix: 'suggestion',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ unmap, why }) {
    const cause = {
      encoder: `\`${unmap}\` gives the input back while the encoder may still be reading it: the encode call only queues. Unmap behind nvEncLockBitstream, which waits for the picture.`,
      'no stream': `\`${unmap}\` takes no stream, so it does not wait for the work queued before it. Synchronise the stream first.`,
      'nothing given': `\`${unmap}\` gets neither event nor stream, so the owner may reuse the memory under the work queued before it. Pass the stream of the work, or an event recorded behind it.`,
      'other stream': `\`${unmap}\` is ordered by another stream than the work queued before it and does not wait for that. Pass the stream of the work, or synchronise it first.`,
      'end of with':
        'Leaving this `with` unmaps without event or stream while work on the mapped memory is still queued. Call unmap(stream=...) behind the work.',
    };
    return cause[why];
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      if (file.language === 'python') for (const mapping of cudaMappings(fn)) checkMapping(file, mapping, report);
      else checkFunction(file, fn, report);
      for (const { unmap, encode } of earlyUnmaps(file, fn))
        report({
          at: unmap,
          data: { unmap: unmap.name, why: 'encoder' },
          related: [{ at: encode, message: 'the encode is queued here' }],
          isPreview: true,
        });
    }
  },

  fix({ data: { why, call, stream, work } }, file) {
    if (!call || !work || !stream || !pathOf(stream) || !meansTheSame(file, stream, work, call)) return undefined;
    if (file.language === 'python') return pythonFix(file, call, stream);
    const written = file.source(stream);
    if (written === '') return undefined;
    const argument = call.api!.arg('stream');
    if (why === 'other stream' && argument) return { title: `Unmap on \`${written}\``, edits: [replace(argument, written)] };
    if (why !== 'no stream') return undefined;
    const wait = call.api!.api.family === 'cuda-runtime' ? 'cudaStreamSynchronize' : 'cuStreamSynchronize';
    const edit = insertBeforeStatement(file, call, `${wait}(${written});`);
    // In one statement with the work there is no place between.
    return edit && work.span.end <= edit.span.start ? { title: `Wait for \`${written}\` first`, edits: [edit] } : undefined;
  },
});

/** `unmap(stream=s.cuda_stream)` with the stream of the work; its number is called differently in CuPy. */
function pythonFix(file: FileFacts, unmap: Call, stream: Expr): Fix | undefined {
  const value = valueAt(unmap, stream);
  const made = value !== undefined && value !== 'zero' && value.kind === 'call' ? value.callee : '';
  const isNumber = /\.(cuda_stream|ptr|handle)$/.test(file.source(stream));
  const number = isNumber ? '' : /^cupy\./.test(made) ? '.ptr' : /^(warp|torch)\./.test(made) ? '.cuda_stream' : undefined;
  if (number === undefined) return undefined;
  const written = `${file.source(stream)}${number}`;
  const title = `Unmap with stream=${written}`;
  const given = unmap.keywords.get('stream');
  if (given) return { title, edits: [replace(given, written)] };
  const { end } = unmap.span;
  return unmap.args.length + unmap.keywords.size === 0
    ? { title, edits: [replace({ start: end - 1, end: end - 1 }, `stream=${written}`)] }
    : undefined;
}

type Report = (problem: Problem<Data>) => void;

function checkFunction(file: FileFacts, fn: FunctionFacts, report: Report): void {
  const works = worksIn(file, fn);
  for (const { unmap, work } of unmappedFrames(file, fn, works))
    report({
      at: unmap,
      data: { unmap: unmap.name, why: 'no stream' },
      related: [{ at: work.call, message: 'work queued here may still be running' }],
      isPreview: true,
    });
  for (const call of fn.calls) {
    const kind = unmapKind(file, call);
    if (!kind) continue;
    const isOpen = (work: Work) => isPending(file, work, call, kind);
    const own = works.findLast(isOpen);
    const found = own ?? behindHelpers(file, call).findLast(isOpen);
    if (found)
      report({
        at: call,
        data: { unmap: call.name, why: kind.why, call, stream: found.written, work: found.call },
        related: [{ at: found.call, message: 'work queued here may still be running' }],
        isPreview: !own || (kind.key !== undefined && !areCertainlyTwo(file, streamOf(found), { key: kind.key, written: kind.stream, fn })),
      });
  }
}

/** The work that helpers queue on what is unmapped. */
function behindHelpers(file: FileFacts, unmap: Call): Work[] {
  const used = unmap.api?.path('ptr') ?? unmap.api?.path('resource');
  const views = unmap.fn.calls.flatMap(({ api }) =>
    /GetMapped(Array|Pointer)$/.test(api?.name ?? '') ? (api!.path('array') ?? api!.path('ptr') ?? []) : [],
  );
  return used ? worksOfHelpers(file, unmap.fn, [used, ...views], unmap.api?.api.family !== 'cuvid') : [];
}

interface Unmap {
  readonly why: Data['why'];
  /** The stream that orders the unmap, if any. */
  readonly key: string | undefined;
  readonly stream?: Expr | undefined;
}

function unmapKind(file: FileFacts, call: Call): Unmap | undefined {
  const { api } = call;
  if (!api) return undefined;
  if (/^cuvidUnmapVideoFrame/.test(api.name)) return { why: 'no stream', key: outputStream(file, call) };
  if (/^(cuda|cu)GraphicsUnregisterResource$/.test(api.name)) return { why: 'no stream', key: undefined };
  if (/^(cuda|cu)GraphicsUnmapResources$/.test(api.name))
    return { why: 'other stream', key: streamKey(file, call, api.arg('stream')), stream: api.arg('stream') };
  if (api.name === 'ovrtx_unmap_render_var_output') return isEmptySync(call) ? { why: 'nothing given', key: undefined } : undefined;
  return undefined;
}

/** `params.output_stream = stream` of cuvidMapVideoFrame: what writes the surface next is queued there, behind the work. */
function outputStream(file: FileFacts, unmap: Call): string | undefined {
  const set = unmap.fn.events.findLast(
    (event) => event.kind === 'assign' && event.id < unmap.id && pathOf(event.target)?.steps.at(-1) === '.output_stream',
  );
  return set?.kind === 'assign' && set.value ? streamKey(file, unmap, set.value) : undefined;
}

function isEmptySync(call: Call): boolean {
  return ['stream', 'wait_event'].every((field) => {
    const { values, unknown } = fieldAt(call, call.api!.arg('sync'), field);
    return !unknown && values.length === 1 && isZero(values[0]!.value);
  });
}

function isZero(value: Expr | 'zero'): boolean {
  return value === 'zero' || value.kind === 'null' || (value.kind === 'number' && value.value === 0);
}

function isPending(file: FileFacts, work: Work, unmap: Call, kind: Unmap): boolean {
  if (kind.key === work.key) return false;
  if (
    kind.key !== undefined &&
    (kind.key === defaultStream || work.key === defaultStream) &&
    createdBlocking(file, [work.written, unmap.api?.arg('stream')])
  )
    return false;
  const map = mapBefore(unmap);
  if (map && work.call.id < map.id) return false;
  const isWait = (call: Call) => waitsForStream(file, call, work.key) || ends(call, unmap) || (call.api?.does('wait') ?? false);
  return unorderedBetween(file, work.call, unmap, isWait);
}

/** The call that mapped what is unmapped here, so that only later work counts. */
function mapBefore(unmap: Call): Call | undefined {
  return unmap.fn.calls.findLast((call) => call.id < unmap.id && (call.api?.does('map') ?? false) && call.api?.api.family === unmap.api!.api.family);
}

/** Another unmap is judged for itself and orders what comes behind it on its stream; a decoder has no part in that. */
function ends(call: Call, unmap: Call): boolean {
  return unmap.api?.api.family !== 'cuvid' && isUnmap(call);
}

function checkMapping(file: FileFacts, mapping: Mapping, report: Report): void {
  const { fn, call, path, names, scopeEnd } = mapping;
  const unmaps = fn.calls.filter((each) => each.name === 'unmap' && samePath(pathOf(each.receiver), path) && each.id > call.id);
  const works = fn.calls.filter((each) => each.id > call.id && isPythonWork(each) && usesView(each, names));
  const limit = scopeEnd?.id ?? Number.POSITIVE_INFINITY;
  for (const unmap of unmaps) {
    const work = works.findLast((each) => each.id < unmap.id && isOpen(each, unmap));
    const why = work && unordered(unmap, work);
    if (work && why)
      report({
        at: unmap,
        data: { unmap: `${file.source(unmap.receiver!)}.unmap`, why, call: unmap, stream: work.keywords.get('stream'), work },
        related: [{ at: work, message: 'work queued here' }],
      });
  }
  const last = works.findLast((each) => each.id < limit);
  if (unmaps.length === 0 && scopeEnd && last && isOpen(last, scopeEnd) && !leaksOut(mapping))
    report({ at: call, data: { unmap: 'with', why: 'end of with' }, related: [{ at: last, message: 'work queued here' }] });
}

function isOpen(work: Call, end: { id: number } & Call['fn']['events'][number]): boolean {
  const between = work.fn.events.filter((event) => event.id > work.id && event.id < end.id);
  return !between.some(mayWaitInPython) && reachesWithout(work, end, () => false);
}

/** Somebody else got the mapping and may unmap it. */
function leaksOut({ fn, call, path, scopeEnd }: Mapping): boolean {
  return fn.calls.some(
    (each) =>
      each.id > call.id &&
      each.id < scopeEnd!.id &&
      !/dlpack|as_|asarray|len|print|isinstance/.test(each.name) &&
      each.args.some((arg) => samePath(pathOf(arg), path)),
  );
}

/** What is wrong with the arguments of a Python unmap, if anything. */
function unordered(unmap: Call, work: Call): Data['why'] | undefined {
  const given = [...unmap.keywords.values(), ...unmap.args];
  if (given.every((value) => value.kind === 'null')) return 'nothing given';
  const stream = streamRoot(unmap, unmap.keywords.get('stream'));
  const used = streamRoot(work, work.keywords.get('stream'));
  return stream && used && stream !== used ? 'other stream' : undefined;
}

/** `s` for `s`, `s.cuda_stream`, `s.ptr`, when it is a name that holds one known thing. */
function streamRoot(at: Call, written: Expr | undefined): string | undefined {
  const path = pathOf(written);
  if (!path) return undefined;
  const steps = path.steps.filter((step) => !/^\.(cuda_stream|ptr|handle)$/.test(step));
  const base = { ...path, steps };
  const value = valueAt(at, { kind: 'path', path: base, span: at.span });
  if (value === undefined || value === 'zero') return undefined;
  if (value.kind === 'call') return /^(warp\.Stream|torch\.cuda\.Stream|cupy\.cuda\.Stream)$/.test(value.callee) ? pathKey(base) : undefined;
  return pathOf(value) ? pathKey(pathOf(value)!) : undefined;
}
