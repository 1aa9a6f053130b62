/**
 * # memory/init-failure-lost
 *
 * ## What it does
 * Reports a failed import or initialisation that gives up, mostly by a jump to the clean-up label or by leaving the loop over what is to be
 * imported, while the variable that is returned there still means success, or that has its error overwritten by the status of the clean-up. Also a body of `call_once` or a method whose
 * failures set a variable that others return, all but this one. Also an export whose descriptor is asked (`if (fd < 0)`) while nobody asks
 * its status.
 *
 * ## Why is this bad
 * The clean-up runs and the caller is told that everything worked. It then uses memory or semaphores that were never imported, or were
 * released on the way out. A failed export writes no descriptor: what is asked then is an old number, or an indeterminate one.
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
 * Results that are kept in structs or globals, functions where nothing tells whether 0 means success, and failures after which the function
 * goes on with something else or returns a constant: there success may be meant. Calls that no table knows count when the label that they
 * jump to says failure, allocators of a project only where the file shows them: such a one may end the process instead of returning null.
 */
import { askedOutputs } from '../../analyses/asked-outputs';
import { breakBehind, failedSide, jumpOf, testedCall } from '../../analyses/failure-sides';
import { givesUp, isBusy, type LostResult, lostResult, overwrittenResult, tellsByFlag } from '../../analyses/lost-results';
import { silentFailures } from '../../analyses/once-results';
import { makesGpuObject } from '../../analyses/releases';
import type { Call, FileFacts, Test } from '../../facts/index';
import { pathText } from '../../facts/paths';
import { resolveCallee } from '../../flow/program';
import { cFamily, defineRule, type Located } from '../rule';

interface Data {
  readonly importer: string;
  readonly result: string;
  readonly how: 'left' | 'overwritten' | 'output';
}

export const rule = defineRule<Data>({
  meta: {
    id: 'memory/init-failure-lost',
    summary: 'A failed import or initialisation gives up while the returned variable still means success.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ importer, result, how }) {
    if (how === 'output')
      return `\`${result}\` is asked whether ${importer} failed, but a failed call does not write it, and nobody asks the status: an old number goes on as a descriptor. Ask the status that ${importer} returns.`;
    if (how === 'overwritten')
      return `When ${importer} fails, the clean-up puts its own status into \`${result}\` and hides the error: the caller goes on with an object that does not exist. Keep the first error, and check the clean-up separately.`;
    return `When ${importer} fails, control leaves while \`${result}\` still means success: the caller goes on with an object that does not exist. Set \`${result}\` to an error first.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      for (const { at, call, path, told } of silentFailures(file, fn)) {
        const related = [
          { at: call, message: `${call.name} can fail here` },
          { at: told, message: `another failure sets \`${pathText(path)}\` here` },
        ];
        report({ at, data: { importer: call.name, result: pathText(path), how: 'left' }, related });
      }
      for (const test of fn.events) {
        const call = test.kind === 'test' ? testedCall(test) : undefined;
        if (test.kind !== 'test' || !call) continue;
        const found = lossAt(file, test, call);
        if (!found) continue;
        const { lost } = found;
        const related = [
          { at: call, message: `${call.name} can fail here` },
          { at: lost.returned, message: `\`${pathText(lost.path)}\` is returned here` },
        ];
        const data = { importer: call.name, result: pathText(lost.path), how: found.how };
        report({ at: found.at, data, related });
      }
      for (const { call, test, path } of askedOutputs(fn))
        report({
          at: test,
          data: { importer: call.name, result: pathText(path), how: 'output' },
          related: [{ at: call, message: `${call.name} can fail here` }],
          isPreview: true,
        });
    }
  },
});

interface Loss {
  readonly lost: LostResult;
  readonly at: Located;
  readonly how: 'left' | 'overwritten';
}

function lossAt(file: FileFacts, test: Test, call: Call): Loss | undefined {
  if (isBusy(file, test)) return undefined;
  const jump = jumpOf(file, test);
  const isFailing = jump !== undefined && /fail|err|bad|abort/i.test(file.source(jump.at));
  if (!(isFailing ? mayFail(file, call) : isImport(file, call) || isSetUp(file, call))) return undefined;
  const side = failedSide(file, test);
  if (side === undefined || (jump && jump.side !== side)) return undefined;
  if (!jump && !givesUp(file, test, side)) return undefined;
  if (tellsByFlag(test, side)) return undefined;
  const lost = lostResult(file, test, side);
  if (lost) return { lost, at: jump?.at ?? breakBehind(file, test) ?? lost.returned, how: 'left' };
  const overwritten = jump && overwrittenResult(test, side, call);
  return overwritten && { lost: overwritten.lost, at: overwritten.by, how: 'overwritten' };
}

/** Questions and comparisons do not fail, and an allocator of a project, which nobody has seen, may end the process rather than return null. */
function mayFail(file: FileFacts, call: Call): boolean {
  if (call.api) return call.api.api.result !== 'void';
  if (isOwnAllocator(call.name)) return resolveCallee(file, call) !== undefined;
  return !/^(is|has|can|str|mem)[A-Z_a-z]|cmp$|(^|_)IS_[A-Z]|_IS_?(VALID|OK)$|(^|_)(find|lookup|exists|contains|matches|needs|should)(_|$)/.test(
    call.name,
  );
}

function isOwnAllocator(name: string): boolean {
  return /[a-z\d]_?(m|c|re|z)?alloc$|_(strn?|mem)dup$/i.test(name) && !/^(m|c|re|reallocarray|aligned_)alloc$/.test(name);
}

/** An import or mapping of the tables, a function of the file that makes one, or one that is called so. */
function isImport(file: FileFacts, call: Call): boolean {
  if (call.api) return isImportApi(call);
  const callee = resolveCallee(file, call);
  // A function of the file that looks at the status: `if (!good(cudaImportExternalMemory(...)))`.
  if (callee) return callee.calls.some(isImportApi) || call.args.some((arg) => arg.kind === 'call' && isImportApi(arg));
  return /(^|_)(import|map)(_|[A-Z]|$)|Import|[a-z]Map[A-Z]/.test(call.name);
}

function isImportApi({ api }: Call): boolean {
  return api !== undefined && (api.does('import') || api.does('register') || /GetMapped(Buffer|MipmappedArray)$/.test(api.name));
}

/** Makes an object or memory of a GPU API, itself or in a function of the file. */
function isSetUp(file: FileFacts, call: Call): boolean {
  const isOne = (each: Call) => makesGpuObject(each) || /^(cu|hip|nvml|egl)Init(ialize)?$/.test(each.api?.name ?? '');
  return isOne(call) || (!call.api && (resolveCallee(file, call)?.calls.some(isOne) ?? false));
}
