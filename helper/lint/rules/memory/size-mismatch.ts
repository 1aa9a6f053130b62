/**
 * # memory/size-mismatch
 *
 * ## What it does
 * Reports an import of external memory whose size is computed from width and height of a picture. With the preview rules also sizes of
 * parts: of one allocation in a pool (`VmaAllocationInfo::size`, or as many bytes as are mapped from an offset on), of the rows of an
 * image, of a picture of fixed size; and the same in Python.
 *
 * ## Why is this bad
 * The size of an import must be the size of the exporter's allocation: `VkMemoryRequirements::size`, or the block that a pool allocated.
 * Drivers pad rows, align tiles and round up to pages, so the product of the pixels is smaller. The import then fails, or it works for
 * one resolution and breaks for the next.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * cudaError_t import_frame(cudaExternalMemory_t* memory, int fd, unsigned width, unsigned height) {
 *     cudaExternalMemoryHandleDesc desc{};
 *     desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
 *     desc.handle.fd = fd;
 *     desc.size = width * height * 4ull;
 *     return cudaImportExternalMemory(memory, &desc);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * cudaError_t import_frame(cudaExternalMemory_t* memory, int fd, const VkMemoryRequirements& requirements) {
 *     cudaExternalMemoryHandleDesc desc{};
 *     desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
 *     desc.handle.fd = fd;
 *     desc.size = requirements.size;  // what was allocated
 *     return cudaImportExternalMemory(memory, &desc);
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion, where the function has exactly one VkMemoryRequirements in reach: its size is passed on. Factors with comments
 * between them are left to you.
 *
 * ## What it cannot see
 * Sizes that are parameters or come from other files, and handles of Direct3D 11, which tells no sizes. Memory that the same file allocates with the same size, and
 * buffers that it creates with that size, are taken for right.
 */
import { direct3dOf, importedSize, isSizeElsewhere, pixelProduct } from '../../analyses/import-sizes';
import { type PartSize, partSize } from '../../analyses/part-sizes';
import { pictureSizes } from '../../analyses/python-import-sizes';
import type { Call, Expr, FileFacts, FunctionFacts, Variable } from '../../facts/index';
import { expressionsOf, walk } from '../../facts/paths';
import { bareType } from '../../knowledge/index';
import { replace } from '../edits';
import { isInScope } from '../names';
import { cFamily, defineRule, type Problem } from '../rule';

interface Data {
  readonly why: 'pixels' | PartSize['kind'];
  readonly written: string;
  readonly importer: string;
  /** Where the size of the allocation is told. */
  readonly source: string;
  /** What the fix needs. */
  readonly size: Expr;
  readonly call: Call;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'memory/size-mismatch',
    summary: 'The size of an import is computed from the pixels instead of taken from the allocation.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'suggestion',
    languages: [...cFamily, 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ why, written, importer, source }) {
    if (why === 'pool')
      return `${importer} is told the size \`${written}\`, which is that of one part of a larger allocation: an import is told the size of the whole memory object, and its parts are mapped by offset. Pass on the block's size, or allocate dedicated memory.`;
    if (why === 'rows')
      return `${importer} is told the size \`${written}\`, which is that of the picture's rows: the allocation has a size of its own, since drivers align and round up, and the two must agree. Pass on ${source}.`;
    return `${importer} is told the size \`${written}\`, which counts pixels: the allocation has a size of its own, since drivers pad rows and round up, and the two must agree. Pass on ${source}.`;
  },

  detect(file, report) {
    if (file.language === 'python') {
      for (const { importer, size, counted, kind } of file.subjects.flatMap((fn) => pictureSizes(file, fn)))
        report({
          at: importer,
          data: { why: kind, written: file.source(counted), importer: importer.name, source: "the exporter's allocation size", size, call: importer },
          related: [{ at: counted, message: 'computed from the picture here' }],
          isPreview: true,
        });
      return;
    }
    for (const call of file.subjects.flatMap((fn) => fn.calls)) {
      const size = importedSize(file, call);
      const product = size && pixelProduct(file, call, size);
      if (size && !product) reportPart(file, call, size, report);
      if (!product) continue;
      const isElsewhere = product.span.end < call.span.start || product.span.start > call.span.end;
      const related = isElsewhere ? [{ at: product, message: 'computed from the picture here' }] : [];
      report({
        at: call,
        data: { why: 'pixels', written: file.source(product), importer: call.name, source: sourceOf(file, call), size, call },
        related,
      });
    }
  },

  fix({ data: { why, size, call } }, file) {
    if (why === 'pool' || file.language === 'python') return undefined;
    const requirements = requirementsIn(file, call, size);
    if (requirements === undefined) return undefined;
    // What comments between the factors tell would be lost.
    const edits = /\/[/*]/.test(file.source(size)) ? [] : [replace(size, requirements)];
    return { title: `Pass \`${requirements}\``, edits };
  },
});

function sourceOf(file: FileFacts, call: Call): string {
  return direct3dOf(file, call) === 12
    ? 'SizeInBytes of ID3D12Device::GetResourceAllocationInfo'
    : "the exporter's VkMemoryRequirements::size or block size";
}

function reportPart(file: FileFacts, call: Call, size: Expr, report: (problem: Problem<Data>) => void): void {
  const part = isSizeElsewhere(file, call, size) ? undefined : partSize(file, call, size);
  if (!part) return;
  const related = part.at ? [{ at: part.at, message: 'the part begins behind the beginning of the memory' }] : [];
  report({
    at: call,
    data: { why: part.kind, written: file.source(size), importer: call.name, source: sourceOf(file, call), size, call },
    related,
    isPreview: true,
  });
}

/** `requirements.size` of the only one that the function, or its class, has. */
function requirementsIn(file: FileFacts, { fn }: Call, size: Expr): string | undefined {
  const fields = fn.className ? (file.classNamed(fn.className)?.fields ?? []) : [];
  const found = [...fn.locals, ...fn.params, ...fields].filter((each) => /^(VkMemoryRequirements|vk::MemoryRequirements)$/.test(bareType(each.type)));
  const [only] = found;
  if (only?.kind === 'local' && !isFilledBefore(file, fn, only, size)) return undefined;
  return found.length === 1 ? `${found[0]!.name}${/\*$/.test(found[0]!.type) ? '->' : '.'}size` : undefined;
}

/** The local is in scope there, and the driver has been asked before. */
function isFilledBefore(file: FileFacts, fn: FunctionFacts, local: Variable, { span }: Expr): boolean {
  const isFilled = fn.calls.some((call) => call.span.start > local.span.start && call.span.end < span.start && names(call, local));
  return isFilled && isInScope(file, local.span, span);
}

function names(call: Call, { name }: Variable): boolean {
  return expressionsOf(call).some((expr) => [...walk(expr)].some((part) => part.kind === 'path' && part.path.root === name));
}
