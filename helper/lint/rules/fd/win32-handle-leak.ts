/**
 * # fd/win32-handle-leak
 *
 * ## What it does
 * Reports a Win32 NT handle that is imported and that nobody closes afterwards.
 *
 * ## Why is this bad
 * NT handles work the opposite way of file descriptors: neither CUDA nor Vulkan nor OpenGL adopts them. The import makes a reference of
 * its own, and the handle stays open until `CloseHandle`; it also keeps the exported memory alive. Code that was ported from Linux
 * loses one handle for each resize or frame.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * cudaError_t share(VkDevice device, const VkMemoryGetWin32HandleInfoKHR& info, cudaExternalMemory_t* memory, size_t bytes) {
 *     HANDLE handle = nullptr;
 *     vkGetMemoryWin32HandleKHR(device, &info, &handle);
 *     cudaExternalMemoryHandleDesc desc{};
 *     desc.type = cudaExternalMemoryHandleTypeOpaqueWin32;
 *     desc.handle.win32.handle = handle;
 *     desc.size = bytes;
 *     return cudaImportExternalMemory(memory, &desc);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * cudaError_t share(VkDevice device, const VkMemoryGetWin32HandleInfoKHR& info, cudaExternalMemory_t* memory, size_t bytes) {
 *     HANDLE handle = nullptr;
 *     vkGetMemoryWin32HandleKHR(device, &info, &handle);
 *     cudaExternalMemoryHandleDesc desc{};
 *     desc.type = cudaExternalMemoryHandleTypeOpaqueWin32;
 *     desc.handle.win32.handle = handle;
 *     desc.size = bytes;
 *     const cudaError_t result = cudaImportExternalMemory(memory, &desc);
 *     CloseHandle(handle);  // the import has a reference of its own
 *     return result;
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion, where the import is a statement of its own: CloseHandle goes in behind it, whatever its outcome.
 *
 * ## What it cannot see
 * Handles that unknown functions, RAII types or other files close. A handle that is passed in is reported, as information, only when a
 * class keeps the import and its file closes no handle at all: the caller may do it. That all callers in the file export the handle and
 * leave it open shows with the preview rules only. KMT handles need no close.
 */
import { ntLeaks } from '../../analyses/nt-handles';
import type { Call } from '../../facts/index';
import { pathText } from '../../facts/paths';
import { appendStatement } from '../edits';
import { keepsMeaning } from '../names';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly importer: string;
  readonly origin: string | undefined;
  /** What the fix needs. */
  readonly imported: Call;
  readonly exported: Call | undefined;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'fd/win32-handle-leak',
    summary: 'A Win32 NT handle is imported and never closed, although no import adopts it.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'suggestion',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ importer, origin }) {
    const from = origin ? `the NT handle from ${origin}` : 'the NT handle that was passed in';
    const who = origin ? 'nobody closes it' : 'nothing in this file closes it';
    return `${importer} does not adopt ${from}, unlike a file descriptor, and ${who}: it stays open and keeps the memory alive. Call CloseHandle after the import, whether it succeeded or not.`;
  },

  detect(file, report) {
    for (const { imported, exported, isGuess = false } of ntLeaks(file)) {
      const related = exported ? [{ at: exported, message: `${exported.name} makes the handle here` }] : [];
      report({
        at: imported,
        data: { importer: imported.name, origin: exported?.name, imported, exported },
        related,
        isPreview: isGuess,
        ...(exported ? {} : { severity: 'info' as const }),
      });
    }
  },

  fix({ data: { imported, exported } }, file) {
    const handle = exported?.api?.path('handle');
    const isStatement = imported.use === 'ignored' || (imported.use === 'assigned' && imported.result?.kind === 'local');
    if (!handle || exported?.fn !== imported.fn || !isStatement || imported.check) return undefined;
    if (handle.kind !== 'local' || !handle.steps.every((step) => step.startsWith('.'))) return undefined;
    if (!keepsMeaning(file, handle, exported, imported)) return undefined;
    const edit = appendStatement(file, imported, `CloseHandle(${pathText(handle)});`);
    return edit && { title: `Close \`${pathText(handle)}\` behind the import`, edits: [edit] };
  },
});
