/**
 * # sync/read-before-wait
 *
 * ## What it does
 * Reports a Vulkan submit that waits for nothing right behind asynchronous CUDA work, CUDA work on shared memory right behind a Vulkan
 * submit that signals nothing, a submit behind CUDA work that waits for other semaphores while nobody uses the one that is shared with CUDA, CUDA work that stands before the wait for its semaphore, and the use of a mapped ovrtx output before its
 * wait event.
 *
 * ## Why is this bad
 * CUDA streams and Vulkan queues know nothing of each other. Without a semaphore, an event or a host wait between them the reader may
 * run first and shows the frame before, half a frame, or garbage. On an idle machine it looks right.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * void show(cudaArray_t shared, const void* pixels, size_t pitch, size_t rows, cudaStream_t stream, VkQueue queue, VkCommandBuffer draw) {
 *     cudaMemcpy2DToArrayAsync(shared, 0, 0, pixels, pitch, pitch, rows, cudaMemcpyDeviceToDevice, stream);
 *     VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
 *     submit.commandBufferCount = 1;
 *     submit.pCommandBuffers = &draw;
 *     vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * void show(cudaArray_t shared, const void* pixels, size_t pitch, size_t rows, cudaStream_t stream, VkQueue queue, VkCommandBuffer draw,
 *           cudaExternalSemaphore_t written, VkSemaphore written_vk) {
 *     cudaMemcpy2DToArrayAsync(shared, 0, 0, pixels, pitch, pitch, rows, cudaMemcpyDeviceToDevice, stream);
 *     cudaExternalSemaphoreSignalParams signal{};
 *     cudaSignalExternalSemaphoresAsync(&written, &signal, 1, stream);
 *     const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
 *     VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
 *     submit.waitSemaphoreCount = 1;
 *     submit.pWaitSemaphores = &written_vk;
 *     submit.pWaitDstStageMask = &stage;
 *     submit.commandBufferCount = 1;
 *     submit.pCommandBuffers = &draw;
 *     vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion, for mapped outputs in Python: the stream of the reader waits, or the host where the reader names no stream of Warp. Between
 * CUDA and Vulkan a semaphore has to be shared first.
 *
 * ## What it cannot see
 * Work and reader in different functions (a helper that only submits aside), submits whose info comes from elsewhere, and whether the command buffer really reads what
 * CUDA wrote: it is assumed where both stand in one function without anything between them that might wait. Work of which nothing shows
 * that it touches shared memory is reported with the preview rules only.
 */
import { lateWaits } from '../../analyses/late-waits';
import { cudaMappings, isPythonWork, type Mapping, readsToHost, usesView } from '../../analyses/python-mappings';
import { type Submit, submitsIn, waitsForQueue } from '../../analyses/queue-submits';
import { touchesShared } from '../../analyses/shared-memory';
import { copiesToHost, mayWait, unorderedBetween, type Work, waitsForStream, worksIn } from '../../analyses/stream-order';
import { unawaitedSubmits } from '../../analyses/unawaited-submits';
import { submitsPastTwins } from '../../analyses/unused-twins';
import type { Call, Event, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { isWithin, lastName, pathOf, samePath, walk } from '../../facts/paths';
import { fieldAt, valueAt } from '../../flow/definitions';
import { reachesWithout } from '../../flow/order';
import { resolveCallee } from '../../flow/program';
import { insertBeforeStatement } from '../edits';
import { keepsMeaning } from '../names';
import { defineRule, type Problem } from '../rule';

interface Data {
  readonly reader: string;
  readonly writer: string;
  readonly kind: 'vulkan reads' | 'vulkan unaware' | 'cuda reads' | 'cuda unaware' | 'cuda late' | 'mapped output';
  /** The semaphore that both sides share and nobody uses. */
  readonly semaphore?: string;
  /** What the fix needs, for mappings in Python. */
  readonly mapped?: { readonly path: Path; readonly map: Call; readonly read: Call };
}

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/read-before-wait',
    summary: 'What one API writes asynchronously is read by the other with no semaphore, event or synchronise between.',
    severity: 'error',
    tier: 'B',
    precision: 'likely',
    fix: 'suggestion',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ reader, writer, kind, semaphore }) {
    if (kind === 'vulkan unaware')
      return `\`${reader}\` does not wait for the work that \`${writer}\` queued: \`${semaphore}\` is shared with CUDA for that, and nothing here hands it to a queue. Signal its twin behind the work, and let the submit wait for it.`;
    if (kind === 'mapped output')
      return `\`${reader}\` uses the output mapped by \`${writer}\`, which may still be rendering: no wait on its event lies between. Let the reading stream wait first (wait_on(stream), cuStreamWaitEvent), or map with sync_stream.`;
    if (kind === 'cuda unaware')
      return `\`${reader}\` does not wait for the semaphore that \`${writer}\` signals: streams and queues are not ordered with each other. Let the stream wait for its imported twin with cudaWaitExternalSemaphoresAsync.`;
    if (kind === 'cuda late')
      return `\`${reader}\` is queued before \`${writer}\` on the same stream, so it does not wait for the semaphore, and no work is left behind the wait to do so. Wait first.`;
    const missing =
      kind === 'vulkan reads'
        ? 'Signal an imported semaphore behind the CUDA work and let the submit wait for it.'
        : 'Let the submit signal a semaphore and the stream wait for it with cudaWaitExternalSemaphoresAsync.';
    return `\`${reader}\` does not wait for the work that \`${writer}\` queued: streams and queues are not ordered with each other. ${missing}`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      if (file.language === 'python') for (const mapping of cudaMappings(fn)) checkMapping(file, mapping, report);
      else {
        checkSubmits(file, fn, report);
        for (const { submit, work } of unawaitedSubmits(file, fn)) add(report, work.call, submit, 'cuda unaware', undefined, true);
        for (const { wait, work } of lateWaits(file, fn)) add(report, work.call, wait, 'cuda late', undefined, true);
        for (const { submit, work, semaphore } of submitsPastTwins(file, fn))
          report({
            at: submit,
            data: { reader: submit.name, writer: work.name, kind: 'vulkan unaware', semaphore },
            related: [{ at: work, message: 'queued here' }],
            isPreview: true,
          });
        checkOvrtx(file, fn, report);
      }
    }
  },

  fix({ data: { mapped } }, file) {
    if (!mapped || mapped.path.steps.length > 0) return undefined;
    const { path, map, read } = mapped;
    if (!keepsMeaning(file, path, map, read)) return undefined;
    const stream = read.callee.startsWith('warp.') ? pathOf(read.keywords.get('stream')) : undefined;
    const wait = stream?.steps.length === 0 ? `wait_on(${stream.root}.cuda_stream)` : 'wait()';
    const edit = insertBeforeStatement(file, read, `${path.root}.${wait}`);
    return edit && { title: `\`${path.root}.${wait}\` first`, edits: [edit] };
  },
});

type Report = (problem: Problem<Data>) => void;

function checkSubmits(file: FileFacts, fn: FunctionFacts, report: Report): void {
  const submits = submitsIn(fn.calls);
  if (submits.length === 0) return;
  const works = worksIn(file, fn).filter((work) => !copiesToHost(work.call));
  for (const submit of submits) {
    const writer = submit.waits === 'none' ? works.findLast((work) => isUnordered(file, work, submit.call)) : undefined;
    if (writer) add(report, submit.call, writer.call, 'vulkan reads', undefined, !touchesShared(file, writer.call));
    const isSilent = submit.waits === 'none' && submit.signals === 'none' && submit.fence === 'none';
    const reader = isSilent && works.find((work) => touchesShared(file, work.call) && unorderedBetween(file, submit.call, work.call, ordersQueue));
    if (reader) add(report, reader.call, submit.call, 'cuda reads');
  }
}

function add(report: Report, reader: Call, writer: Call, kind: Data['kind'], mapping?: Path, isPreview = false): void {
  const message = kind === 'mapped output' ? 'mapped here' : kind === 'cuda late' ? 'waits only here' : 'queued here';
  report({
    at: reader,
    data: { reader: reader.name, writer: writer.name, kind, ...(mapping && { mapped: { path: mapping, map: writer, read: reader } }) },
    related: [{ at: writer, message }],
    isPreview,
  });
}

function isUnordered(file: FileFacts, work: Work, submit: Submit['call']): boolean {
  return unorderedBetween(file, work.call, submit, (call) => waitsForStream(file, call, work.key) || (call.api?.does('signal') ?? false));
}

function ordersQueue(call: Call): boolean {
  return waitsForQueue(call) || /Submit/.test(call.api?.name ?? '');
}

/** The C API of ovrtx: work on a mapped output with no wait for its event. */
function checkOvrtx(file: FileFacts, fn: FunctionFacts, report: Report): void {
  for (const call of fn.calls) {
    if (call.api?.name !== 'ovrtx_map_render_var_output') continue;
    const output = call.api.path('mapped');
    const { values, unknown } = fieldAt(call, call.api.arg('desc'), 'sync_stream');
    const isAuto = unknown || values.some(({ value }) => value !== 'zero' && !(value.kind === 'number' && value.value === 0));
    if (!output || isAuto) continue;
    const names = derived(fn, output, call);
    const reader = worksIn(file, fn).find((work) => work.call.id > call.id && mentionsAny(work.call, names));
    if (reader && !between(call, reader.call).some((event) => waitsForOutput(file, event, output))) add(report, reader.call, call, 'mapped output');
  }
}

function derived(fn: FunctionFacts, output: Path, from: Event): Path[] {
  const names = [output];
  for (const event of fn.events) {
    const target = event.kind === 'assign' && event.id > from.id && event.value ? pathOf(event.target) : undefined;
    if (
      target &&
      event.kind === 'assign' &&
      [...walk(event.value!)].some((part) => part.kind === 'path' && names.some((name) => isWithin(part.path, name)))
    )
      names.push(target);
  }
  return names;
}

function mentionsAny(call: Call, names: readonly Path[]): boolean {
  return call.args.some((arg) => [...walk(arg)].some((part) => part.kind === 'path' && names.some((name) => isWithin(part.path, name))));
}

function waitsForOutput(file: FileFacts, event: Event, output: Path): boolean {
  if (mayWait(file, event, (call) => (call.api?.does('wait') || call.api?.does('sync')) ?? false)) return true;
  return (
    event.kind === 'call' && !event.api && [...event.args, ...(event.receiver ? [event.receiver] : [])].some((arg) => samePath(pathOf(arg), output))
  );
}

function between(from: Event, to: Event): Event[] {
  return from.fn.events.filter((event) => event.id > from.id && event.id < to.id);
}

function checkMapping(file: FileFacts, mapping: Mapping, report: Report): void {
  const { fn, call, names, path } = mapping;
  const auto = call.keywords.get('sync_stream');
  if (isAttribute(call) || (auto && auto.kind !== 'null')) return;
  const reader = fn.calls.find((each) => each.id > call.id && (isPythonWork(each) || readsToHost(each)) && usesView(each, names));
  if (!reader || !reachesWithout(call, reader, () => false)) return;
  if (!between(call, reader).some((event) => mayOrder(file, event, path))) add(report, reader, call, 'mapped output', path);
}

/** Attributes are mapped to be written: `map_attribute(...)`, `binding.map(...)`. No renderer is at work in them. */
function isAttribute(call: Call): boolean {
  const owner = call.receiver;
  const made = owner && valueAt(call, owner);
  const bound = made && made !== 'zero' && made.kind === 'call' ? made.name : '';
  const path = pathOf(owner);
  return /attr/i.test(call.name) || /bind|attr/i.test(bound) || (path !== undefined && /bind|attr/i.test(lastName(path)));
}

/** A wait, or the mapping itself in the hands of somebody who may wait. */
function mayOrder(file: FileFacts, event: Event, mapping: Path): boolean {
  if (event.kind !== 'call') return false;
  if (/wait|sync/i.test(event.name) || resolveCallee(file, event)?.calls.some(({ name }) => /wait|sync/i.test(name))) return true;
  const isKnown = event.api !== undefined || /dlpack|as_|asarray|Texture2D|len|print|isinstance|int|str|format/.test(event.name);
  return !isKnown && event.args.some((arg) => samePath(pathOf(arg), mapping));
}
