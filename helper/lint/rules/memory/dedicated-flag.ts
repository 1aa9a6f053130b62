/**
 * # memory/dedicated-flag
 *
 * ## What it does
 * Reports a CUDA import without the dedicated flag of memory that the same file allocates with `VkMemoryDedicatedAllocateInfo`.
 *
 * ## Why is this bad
 * CUDA has to be told that a resource is dedicated to one image or buffer. Without the flag the mapping can fail with an invalid
 * value, or the pixels arrive in an order that nobody expects.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * cudaError_t share(VkDevice device, VkImage image, VkDeviceSize size, VkDeviceMemory* memory, cudaExternalMemory_t* imported) {
 *     VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr, image};
 *     VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, &dedicated};
 *     exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported, size};
 *     vkAllocateMemory(device, &info, nullptr, memory);
 *     cudaExternalMemoryHandleDesc desc{};
 *     desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
 *     desc.handle.fd = export_fd(device, *memory);
 *     desc.size = size;
 *     return cudaImportExternalMemory(imported, &desc);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * cudaError_t share(VkDevice device, VkImage image, VkDeviceSize size, VkDeviceMemory* memory, cudaExternalMemory_t* imported) {
 *     VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr, image};
 *     VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, &dedicated};
 *     exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported, size};
 *     vkAllocateMemory(device, &info, nullptr, memory);
 *     cudaExternalMemoryHandleDesc desc{};
 *     desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
 *     desc.handle.fd = export_fd(device, *memory);
 *     desc.size = size;
 *     desc.flags = cudaExternalMemoryDedicated;
 *     return cudaImportExternalMemory(imported, &desc);
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion: the flag goes in behind the last other field of the descriptor. It is right when this import means that allocation.
 *
 * ## What it cannot see
 * Imports in other files than the allocation, and files that allocate in several ways: nobody knows which memory an import means, so only
 * an allocation in the same function counts there. dma-bufs take no flags.
 */
import { createdBy, creations } from '../../analyses/vk-chains';
import type { Assign, Call, FileFacts } from '../../facts/index';
import { isWithin, pathOf, stripCasts } from '../../facts/paths';
import { fieldAt } from '../../flow/definitions';
import { dominates } from '../../flow/order';
import { handleType } from '../../knowledge/index';
import { appendStatement, replace } from '../edits';
import { cFamily, defineRule, type Fix } from '../rule';

export const rule = defineRule<{ importer: string; call: Call }>({
  meta: {
    id: 'memory/dedicated-flag',
    summary: 'Memory that is allocated as dedicated is imported into CUDA without the dedicated flag.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'suggestion',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ importer }) {
    return `${importer} does not say that the memory is dedicated, but it is allocated so: CUDA then maps it wrongly or not at all. Set flags to ${flagOf(importer)}.`;
  },

  detect(file, report) {
    for (const call of file.subjects.flatMap((fn) => fn.calls)) {
      if (!/^(cu|cuda)ImportExternalMemory$/.test(call.api?.name ?? '') || !lacksFlag(call)) continue;
      const allocation = dedicatedFor(file, call);
      if (allocation)
        report({ at: call, data: { importer: call.api!.name, call }, related: [{ at: allocation, message: 'allocated as dedicated here' }] });
    }
  },

  fix({ data: { importer, call } }, file) {
    const desc = pathOf(call.api!.arg('desc'));
    if (!desc) return undefined;
    const fills = call.fn.events.filter(
      (event): event is Assign => event.kind === 'assign' && dominates(event, call) && isWithin(pathOf(event.target) ?? call.result ?? desc, desc),
    );
    const flags = fills.findLast((event) => pathOf(event.target)?.steps.at(-1) === '.flags');
    const title = `Set flags to ${flagOf(importer)}`;
    if (flags?.value) return { title, edits: [replace(flags.value, flagOf(importer))] };
    return added(file, fills, desc.steps.length, title, flagOf(importer));
  },
});

function flagOf(importer: string): string {
  return importer.includes('cuda') ? 'cudaExternalMemoryDedicated' : 'CUDA_EXTERNAL_MEMORY_DEDICATED';
}

/** Behind the last field that is set, in the same words: `desc.`, `desc->`; else behind the declaration. */
function added(file: FileFacts, fills: readonly Assign[], depth: number, title: string, flag: string): Fix | undefined {
  const last = fills.at(-1);
  const field = fills.findLast((event) => pathOf(event.target)?.steps.length === depth + 1);
  const name = field && pathOf(field.target)!.steps.at(-1)!.slice(1);
  const base = field ? file.source(field.target).slice(0, -name!.length) : last?.declares && `${last.declares.name}.`;
  const edit = last && base && appendStatement(file, last, `${base}flags = ${flag};`);
  return edit ? { title, edits: [edit] } : undefined;
}

function lacksFlag(call: Call): boolean {
  const desc = call.api!.arg('desc');
  const flags = fieldAt(call, desc, 'flags');
  const types = fieldAt(call, desc, 'type').values;
  const isZero = flags.values.every(({ value }) => value === 'zero' || (value.kind === 'number' && value.value === 0));
  return !flags.unknown && flags.values.length > 0 && isZero && types.length > 0 && types.every(({ value }) => value !== 'zero' && isOpaque(value));
}

function isOpaque(value: Parameters<typeof stripCasts>[0]): boolean {
  const bare = stripCasts(value);
  return bare.kind === 'path' && /^(fd|nt|kmt)$/.test(handleType(bare.path.root + bare.path.steps.join(''))?.form ?? '');
}

/** The dedicated allocation of this function, or the only exportable one of the file. */
function dedicatedFor(file: FileFacts, call: Call): Call | undefined {
  const exportable = createdBy(file, 'vkAllocateMemory', 'memory').filter((each) => each.has(/^VkExportMemory/));
  const here = exportable.filter((each) => each.call.fn === call.fn);
  const isOnly = creations(file, 'vkAllocateMemory').length === 1;
  const candidates = here.length > 0 ? here : isOnly ? exportable : [];
  return candidates.length > 0 && candidates.every((each) => each.has(/^VkMemoryDedicatedAllocateInfo/)) ? candidates[0]!.call : undefined;
}
