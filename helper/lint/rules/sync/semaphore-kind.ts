/**
 * # sync/semaphore-kind
 *
 * ## What it does
 * Reports a semaphore that CUDA imports as a timeline although it was created as a binary one, or the reverse, and a binary semaphore
 * that is used with timeline values.
 *
 * ## Why is this bad
 * A semaphore is binary unless `VkSemaphoreTypeCreateInfo` says otherwise. With the wrong handle type the import fails, or it succeeds
 * and the waits hang or pass at once, depending on the driver.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * void share(VkDevice device, VkSemaphore* semaphore, cudaExternalSemaphore_t* imported) {
 *     VkExportSemaphoreCreateInfo exported{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO};
 *     exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &exported};
 *     vkCreateSemaphore(device, &create, nullptr, semaphore);
 *     VkSemaphoreGetFdInfoKHR get{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, nullptr, *semaphore, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
 *     cudaExternalSemaphoreHandleDesc desc{};
 *     vkGetSemaphoreFdKHR(device, &get, &desc.handle.fd);
 *     desc.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
 *     cudaImportExternalSemaphore(imported, &desc);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * bool share(VkDevice device, VkSemaphore* semaphore, cudaExternalSemaphore_t* imported) {
 *     VkSemaphoreTypeCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE, 0};
 *     VkExportSemaphoreCreateInfo exported{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, &timeline};
 *     exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &exported};
 *     if (vkCreateSemaphore(device, &create, nullptr, semaphore) != VK_SUCCESS) return false;
 *     VkSemaphoreGetFdInfoKHR get{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, nullptr, *semaphore, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
 *     cudaExternalSemaphoreHandleDesc desc{};
 *     if (vkGetSemaphoreFdKHR(device, &get, &desc.handle.fd) != VK_SUCCESS) return false;
 *     desc.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
 *     if (cudaImportExternalSemaphore(imported, &desc) == cudaSuccess) return true;
 *     close(desc.handle.fd);
 *     return false;
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion: the import gets the type of the kind that is created. When the semaphore should be of the other kind, its creation has to
 * change instead; a semaphore that is used with values although binary has no fix.
 *
 * ## What it cannot see
 * Which semaphore an fd belongs to when both kinds are created for export in one file: then it is silent. Semaphores created or imported elsewhere,
 * and chains of create infos that lead out of the function.
 */
import { eventId } from '../../analyses/cuda-events';
import { type Creation, constantOf, creationsIn, creationsOf, importsOf, signalsIn, waitsIn } from '../../analyses/semaphores';
import type { Call, Event, Expr, FileFacts, Path } from '../../facts/index';
import { pathOf, pathText, stripCasts } from '../../facts/paths';
import { callsTo } from '../../flow/calls';
import { fieldAt, soleField, valueAt } from '../../flow/definitions';
import { resolveCallee } from '../../flow/program';
import { fromFunctions, holdsForAny } from '../../memo/table';
import { replace } from '../edits';
import { cFamily, defineRule } from '../rule';

type Data =
  | { readonly kind: 'import'; readonly created: 'timeline' | 'binary'; readonly symbol: string; readonly written: Event | Expr }
  | { readonly kind: 'values'; readonly semaphore: string; readonly user: string };

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/semaphore-kind',
    summary: 'A timeline semaphore is imported or used as a binary one, or the reverse.',
    severity: 'error',
    tier: 'C',
    precision: 'likely',
    fix: 'suggestion',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message(data) {
    if (data.kind === 'values')
      return `\`${data.semaphore}\` is created without VkSemaphoreTypeCreateInfo and therefore binary, but ${data.user} uses it with a value. Chain a VkSemaphoreTypeCreateInfo with VK_SEMAPHORE_TYPE_TIMELINE.`;
    const wanted = data.created === 'timeline' ? 'the TimelineSemaphore type' : 'the opaque type';
    return `\`${data.symbol}\` does not fit: the semaphore is created as a ${data.created} one. Import it with ${wanted}, or create it as the other kind.`;
  },

  detect(file, report) {
    for (const { call, kind, symbol, at } of file.subjects.flatMap((fn) => importsOf(file, fn))) {
      const own = exportedIn(file, call);
      const [first] = own;
      if (first?.kind && own.every((each) => each.kind === first.kind) && first.kind !== kind)
        report({
          at,
          data: { kind: 'import', created: first.kind, symbol, written: at.kind === 'assign' && at.value ? at.value : at },
          related: [{ at: first.call, message: `created here as a ${first.kind} semaphore` }],
        });
    }
    for (const creation of file.subjects.flatMap((fn) => creationsOf(file, fn))) {
      const isAlwaysBinary = creationsIn(file).every((each) => each.id !== creation.id || each.kind === 'binary');
      const use = isAlwaysBinary && creation.id ? valueUse(file, creation.id) : undefined;
      if (use)
        report({
          at: creation.call,
          data: { kind: 'values', semaphore: pathText(creation.path!), user: use.name },
          related: [{ at: use, message: 'used with a value here' }],
        });
    }
  },

  fix({ data }, file) {
    const other = data.kind === 'import' && file.source(data.written.span) === data.symbol ? otherKind(data.symbol) : undefined;
    return other === undefined || data.kind !== 'import' ? undefined : { title: `Import as ${other}`, edits: [replace(data.written, other)] };
  },
});

/** The type of the same platform for the other kind of semaphore. */
function otherKind(symbol: string): string | undefined {
  const runtime = /^(.*HandleType)(Opaque|TimelineSemaphore)(Fd|Win32)$/.exec(symbol);
  if (runtime) return `${runtime[1]}${runtime[2] === 'Opaque' ? 'TimelineSemaphore' : 'Opaque'}${runtime[3]}`;
  const driver = /^(.*HANDLE_TYPE_)(OPAQUE|TIMELINE_SEMAPHORE)(_FD|_WIN32)$/.exec(symbol);
  return driver ? `${driver[1]}${driver[2] === 'OPAQUE' ? 'TIMELINE_SEMAPHORE' : 'OPAQUE'}${driver[3]}` : undefined;
}

const exportCalls = callsTo(/^vkGetSemaphore(Fd|Win32Handle)$/);

/** The semaphores that an import can mean: those of its function if it creates any, else all that the file creates, if it exports some. */
function exportedIn(file: FileFacts, at: Call): readonly Creation[] {
  const here = creationsOf(file, at.fn);
  const exporter = exporterOf(at);
  if (exporter && !resolveCallee(file, exporter)) return here.filter((each) => isHandedTo(file, exporter, each));
  const all = here.length > 0 ? here : creationsIn(file);
  if (all.some((each) => each.kind === undefined)) return [];
  // Only what is made for it can be exported; the others are none of the import's.
  const candidates = all.filter((each) => each.isShared);
  const isExported = exportCalls(file).length > 0 || (candidates.every((each) => each.kind === 'timeline') && countingFunctions(file));
  return isExported ? candidates : [];
}

/** CUDA signals or waits for values that are computed. Without an export in the file they tell that the import is meant to be the timeline. */
const countingFunctions = holdsForAny((_, fn) =>
  [...signalsIn(fn), ...waitsIn(fn)].some((each) => isOfCuda(each.call) && constantOf(each.at, each.value) === undefined),
);

function isOfCuda({ api }: Call): boolean {
  return /ExternalSemaphoresAsync$/.test(api?.name ?? '');
}

/** `fd = exportFd(device, semaphore)` with a function of another file, by its name and by what it is given. */
function isHandedTo(file: FileFacts, exporter: Call, { id }: Creation): boolean {
  if (!/export|share|get\w*(fd|handle)/i.test(exporter.name)) return false;
  const given = [...exporter.args, ...(exporter.receiver ? [exporter.receiver] : [])];
  return given.some((arg) => {
    const path = pathOf(arg);
    return path !== undefined && id !== undefined && eventId(file, exporter.fn, path) === id;
  });
}

/** The call of a function that nobody sees whose result is imported. */
function exporterOf(at: Call): Call | undefined {
  const written = soleField(at, at.api!.arg('desc'), 'handle.fd');
  const value = written && written.value !== 'zero' ? valueAt(written.at, written.value) : undefined;
  const bare = value && value !== 'zero' ? stripCasts(value) : undefined;
  return bare?.kind === 'call' && !bare.api ? bare : undefined;
}

/** A call that works on timeline semaphores only. */
function valueUse(file: FileFacts, id: string): Call | undefined {
  const isIt = (call: Call, path: Path | undefined) => path !== undefined && eventId(file, call.fn, path) === id;
  const inField = (call: Call, field: string) =>
    fieldAt(call, call.api!.arg('info'), field).values.some(({ value }) => value !== 'zero' && isIt(call, pathOf(value)));
  return valueCalls(file).find((call) => {
    const name = call.api?.name;
    if (name === 'vkWaitSemaphores') return inField(call, 'pSemaphores');
    if (name === 'vkSignalSemaphore') return inField(call, 'semaphore');
    return isIt(call, call.api!.path('semaphore'));
  });
}

const valueCalls = fromFunctions((_, fn) =>
  fn.calls.filter(({ api }) => /^vk(WaitSemaphores|SignalSemaphore|GetSemaphoreCounterValue)$/.test(api?.name ?? '')),
);
