// Frames of media libraries that are mapped for CUDA and unmapped behind work that nobody waited for.
import type { Call, FileFacts, FunctionFacts } from '../facts/index';
import { pathKey, pathOf, samePath, symbolOf, walk } from '../facts/paths';
import { worksOfHelpers } from './helper-works';
import { unorderedBetween, type Work, waitsForStream } from './stream-order';

export interface UnmappedFrame {
  readonly unmap: Call;
  readonly work: Work;
}

const pairs: readonly (readonly [RegExp, RegExp])[] = [
  [/^gst_memory_map$/, /^gst_memory_unmap$/],
  [/^gst_buffer_map(_range)?$/, /^gst_buffer_unmap$/],
  [/^gst_video_frame_map(_id)?$/, /^gst_video_frame_unmap$/],
  [/^NvBufSurfaceMapEglImage$/, /^NvBufSurfaceUnMapEglImage$/],
];

export function unmappedFrames(file: FileFacts, fn: FunctionFacts, works: readonly Work[]): UnmappedFrame[] {
  return fn.calls.flatMap((unmap): UnmappedFrame[] => {
    const map = mapOf(unmap);
    const view = map && pathOf(map.args[1]);
    const all = map ? [...works, ...(view ? worksOfHelpers(file, fn, [view], false) : [])] : [];
    const work = map && all.findLast((each) => each.call.id > map.id && isPending(file, each, unmap));
    return work ? [{ unmap, work }] : [];
  });
}

/** The map call of the same frame, for CUDA. */
function mapOf(unmap: Call): Call | undefined {
  const mapping = pairs.find(([, end]) => end.test(unmap.name))?.[0];
  return mapping && unmap.fn.calls.findLast((call) => call.id < unmap.id && mapping.test(call.name) && isForCuda(call) && sharesFrame(call, unmap));
}

function isForCuda(map: Call): boolean {
  return /^NvBuf/.test(map.name) || map.args.some((arg) => [...walk(arg)].some((part) => symbolOf(part) === 'GST_MAP_CUDA'));
}

function sharesFrame(map: Call, unmap: Call): boolean {
  const [a, b] = [pathOf(map.args[0]), pathOf(unmap.args[0])];
  return samePath(a, b) && pathKey(a!) !== '';
}

function isPending(file: FileFacts, work: Work, unmap: Call): boolean {
  const isWait = (call: Call) => waitsForStream(file, call, work.key) || (call.api?.does('wait') ?? false);
  return unorderedBetween(file, work.call, unmap, isWait);
}
