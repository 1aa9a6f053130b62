/**
 * # memory/init-failure-lost
 *
 * ## What it does
 * Reports a failed import that jumps to the clean-up label while the variable that is returned there still means success.
 *
 * ## Why is this bad
 * The clean-up runs and the caller is told that everything worked. It then uses memory or semaphores that were never imported, or were
 * released on the way out.
 *
 * ## Example
 * ```c
 * #include <cuda.h>
 * int import_frame(CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc, CUcontext context)
 * {
 *     CUcontext old;
 *     int ret = cuCtxPushCurrent(context) == CUDA_SUCCESS ? 0 : -1;
 *     if (ret < 0)
 *         return ret;
 *     if (cuImportExternalMemory(memory, desc) != CUDA_SUCCESS)
 *         goto out;
 *     cuCtxSynchronize();
 * out:
 *     cuCtxPopCurrent(&old);
 *     return ret;
 * }
 * ```
 *
 * ## Use instead
 * ```c
 * #include <cuda.h>
 * int import_frame(CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc, CUcontext context)
 * {
 *     CUcontext old;
 *     int ret = cuCtxPushCurrent(context) == CUDA_SUCCESS ? 0 : -1;
 *     if (ret < 0)
 *         return ret;
 *     if (cuImportExternalMemory(memory, desc) != CUDA_SUCCESS) {
 *         ret = -1;
 *         goto out;
 *     }
 *     cuCtxSynchronize();
 * out:
 *     cuCtxPopCurrent(&old);
 *     return ret;
 * }
 * ```
 *
 * ## What it cannot see
 * Results that are kept in structs or globals, functions where nothing tells whether 0 means success, and failures that leave by `break`
 * or `return`: there success may be meant.
 */
import { failedSide, jumpOf, testedCall } from '../../analyses/failure-sides';
import { lostResult } from '../../analyses/lost-results';
import type { Call, FileFacts, Test } from '../../facts/index';
import { pathText } from '../../facts/paths';
import { resolveCallee } from '../../flow/program';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly importer: string;
  readonly result: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'memory/init-failure-lost',
    summary: 'A failed import jumps to the clean-up while the returned variable still means success.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ importer, result }) {
    return `When ${importer} fails, control jumps away while \`${result}\` still means success: the caller goes on with an import that does not exist. Set \`${result}\` to an error before the jump.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      for (const test of fn.events) {
        const call = test.kind === 'test' ? testedCall(test) : undefined;
        if (test.kind !== 'test' || !call || !isImport(file, call)) continue;
        const jump = jumpOf(file, test);
        if (!jump || failedSide(file, test) !== jump.side) continue;
        const lost = lostResult(file, test as Test, jump.side);
        if (!lost) continue;
        const related = [
          { at: call, message: `${call.name} can fail here` },
          { at: lost.returned, message: `\`${pathText(lost.path)}\` is returned here` },
        ];
        report({ at: jump.at, data: { importer: call.name, result: pathText(lost.path) }, related });
      }
    }
  },
});

/** An import or mapping of the tables, a function of the file that makes one, or one that is called so. */
function isImport(file: FileFacts, call: Call): boolean {
  if (call.api) return isImportApi(call);
  const callee = resolveCallee(file, call);
  if (callee) return callee.calls.some(isImportApi);
  return /(^|_)(import|map)(_|[A-Z]|$)|Import|[a-z]Map[A-Z]/.test(call.name);
}

function isImportApi({ api }: Call): boolean {
  return api !== undefined && (api.does('import') || api.does('register') || /GetMapped(Buffer|MipmappedArray)$/.test(api.name));
}
