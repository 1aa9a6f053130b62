/**
 * # memory/mapped-not-freed
 *
 * ## What it does
 * Reports a pointer or mipmapped array mapped from external memory that is not freed: its only name is lost, the import is destroyed
 * without it, or one of its levels is freed in its place. With the preview rules also an import or the registration of a graphics resource
 * whose only name dies with the function, or that a class ends nowhere although it ends
 * others like it, or unmaps or frees what was mapped of it.
 *
 * ## Why is this bad
 * `cuExternalMemoryGetMappedBuffer` and `cuExternalMemoryGetMappedMipmappedArray` make objects of their own. Destroying the import does
 * not free them: a mapped buffer needs `cuMemFree` (`cudaFree`), a mapped chain `cuMipmappedArrayDestroy` (`cudaFreeMipmappedArray`).
 * Until then the memory of the other API stays alive. A level belongs to its chain and must not be destroyed itself. A registration that
 * nobody can end keeps the GL object registered while GL deletes or resizes it.
 *
 * ## Example
 * ```cpp
 * #include <cuda.h>
 * CUresult first_level(CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC* desc, CUarray* level) {
 *     CUmipmappedArray chain;
 *     CUresult result = cuExternalMemoryGetMappedMipmappedArray(&chain, memory, desc);
 *     if (result != CUDA_SUCCESS) return result;
 *     return cuMipmappedArrayGetLevel(level, chain, 0);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda.h>
 * struct Mapped { CUmipmappedArray chain; CUarray level; };
 * CUresult first_level(CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC* desc, Mapped* mapped) {
 *     CUresult result = cuExternalMemoryGetMappedMipmappedArray(&mapped->chain, memory, desc);
 *     if (result != CUDA_SUCCESS) return result;
 *     return cuMipmappedArrayGetLevel(&mapped->level, mapped->chain, 0);
 * }
 * void release(Mapped* mapped) { cuMipmappedArrayDestroy(mapped->chain); }
 * ```
 *
 * ## What it cannot see
 * Pointers that are returned or handed to unknown functions, arrays of mappings, and imports that are destroyed in another file.
 */
import { type LostHandle, lostHandles } from '../../analyses/lost-handles';
import { mappedFaults } from '../../analyses/mapped-memory';
import { cFamily, defineRule } from '../rule';

type Data =
  | { readonly what: 'pointer' | 'chain'; readonly kind: 'lost' | 'not-freed' | 'level'; readonly mapper: string }
  | { readonly what: LostHandle['what']; readonly kind: LostHandle['kind']; readonly mapper: string };

export const rule = defineRule<Data>({
  meta: {
    id: 'memory/mapped-not-freed',
    summary: 'A pointer or mipmapped array mapped from external memory is never freed, or a level is freed in its place.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ what, kind, mapper }) {
    if (kind === 'left')
      return `The ${what} from ${mapper} has no name any more when the function leaves, so nobody can end it. Keep the handle, and ${endOf[what]} it when its memory is not needed any more.`;
    if (kind === 'half')
      return `The clean-up of this class does not end the ${what} from ${mapper}: what it does about it is not enough. Let it ${endOf[what]} it too.`;
    if (kind === 'field')
      return `Nothing in this file ends the ${what} from ${mapper}, while the class ends others like it. Let the same clean-up ${endOf[what]} this one.`;
    const isRuntime = !/^cuE/.test(mapper);
    const free = what === 'pointer' ? (isRuntime ? 'cudaFree' : 'cuMemFree') : isRuntime ? 'cudaFreeMipmappedArray' : 'cuMipmappedArrayDestroy';
    const thing = what === 'pointer' ? 'pointer' : 'mipmapped array';
    if (kind === 'level')
      return `This frees a level of the mipmapped array from ${mapper}, but a level belongs to its chain and must not be freed by itself. Leave it: ${free} of the chain frees the levels too.`;
    if (kind === 'lost')
      return `The ${thing} from ${mapper} has no name any more when the function leaves, so nobody can free it and the memory stays alive. Keep it and free it with ${free} before the import is destroyed.`;
    return `The import is destroyed, but the ${thing} that ${mapper} made of it is never freed: destroying the import does not free it. Call ${free} first.`;
  },

  detect(file, report) {
    for (const { at, mapped, what, kind } of mappedFaults(file)) {
      const related = at === mapped ? [] : [{ at: mapped, message: `${mapped.name} maps the memory here` }];
      report({ at, data: { what, kind, mapper: mapped.api!.name }, related });
    }
    for (const { made, what, kind, sibling } of lostHandles(file)) {
      const related = sibling
        ? [{ at: sibling, message: kind === 'half' ? 'the clean-up does no more than this' : 'another one is ended here' }]
        : [];
      report({ at: made, data: { what, kind, mapper: made.api!.name }, related, isPreview: true });
    }
  },
});

const endOf = { registration: 'unregister', import: 'destroy' };
