/**
 * # dlpack/byte-offset
 *
 * ## What it does
 * Reports a consumer of a DLPack tensor that uses `data` as the address of the first element and never looks at `byte_offset`, or that gives
 * `data` to another tensor and writes an offset of 0 beside it.
 *
 * ## Why is this bad
 * The first element lies at `data + byte_offset`. Most producers leave the offset 0, so the code passes every test; the first tensor that
 * is a slice of a pool or of a larger buffer is then read from its beginning: the wrong pixels, without any error.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <dlpack/dlpack.h>
 * void download(const DLTensor& tensor, float* host, size_t bytes, cudaStream_t stream) {
 *     cudaMemcpyAsync(host, tensor.data, bytes, cudaMemcpyDeviceToHost, stream);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <dlpack/dlpack.h>
 * void download(const DLTensor& tensor, float* host, size_t bytes, cudaStream_t stream) {
 *     const char* first = static_cast<const char*>(tensor.data) + tensor.byte_offset;
 *     cudaMemcpyAsync(host, first, bytes, cudaMemcpyDeviceToHost, stream);
 * }
 * ```
 *
 * ## What it cannot see
 * Files of runtimes whose own tensor is a `DLTensor` (TVM, DGL) are left alone. Offsets that are handled in another file. A function that fills the tensor in itself is a producer and no subject of this rule; neither
 * are handles of CUDA arrays, which are no addresses.
 */
import { type FieldUse, isGiven, isOfTensorRuntime, namesField, neighbourhood, onlyReports, produces, readsOfField } from '../../analyses/dlpack';
import { droppedOffsets, startsAnew } from '../../analyses/dropped-offsets';
import { addressReads } from '../../analyses/python-tensors';
import type { Call, Expr, FileFacts, FunctionFacts } from '../../facts/index';
import { pathKey, pathText, samePath, walk } from '../../facts/paths';
import { resolveCallee } from '../../flow/program';
import { defineRule } from '../rule';

export const rule = defineRule<{ readonly tensor: string }>({
  meta: {
    id: 'dlpack/byte-offset',
    summary: 'A consumer of a DLPack tensor uses `data` without adding `byte_offset`.',
    severity: 'warning',
    tier: 'A',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ tensor }) {
    return `\`${tensor}.data\` is used as the address of the first element, but \`byte_offset\` is never looked at: a tensor that is a slice of a larger buffer is read from the wrong place. Add \`byte_offset\` bytes to it, or refuse tensors whose offset is not 0.`;
  },

  detect(file, report) {
    if (file.language === 'python') {
      for (const { fn, expr, tensor } of inPython(file)) if (!isHandled(file, fn)) report({ at: expr, data: { tensor: pathText(tensor) } });
      return;
    }
    if (isOfTensorRuntime(file)) return;
    for (const { at, tensor } of file.subjects.flatMap((fn) => droppedOffsets(file, fn))) report({ at, data: { tensor: pathText(tensor) } });
    for (const fn of file.subjects) {
      const seen = new Set<string>();
      for (const use of readsOfField(file, fn, 'data')) {
        const key = pathKey(use.tensor);
        if (seen.has(key) || !takesAddress(file, fn, use) || produces(file, fn, use.tensor)) continue;
        if (isHandled(file, fn) && !startsAnew(file, use)) continue;
        seen.add(key);
        report({ at: use.expr, data: { tensor: pathText(use.tensor) } });
      }
    }
  },
});

/** The first read of each tensor in each function. */
function inPython(file: FileFacts) {
  return file.subjects.flatMap((fn) => {
    const reads = addressReads(file, fn);
    return reads.filter((read, i) => reads.findIndex(({ tensor }) => samePath(tensor, read.tensor)) === i).map((read) => ({ ...read, fn }));
  });
}

function isHandled(file: FileFacts, fn: FunctionFacts): boolean {
  return [...neighbourhood(file, fn)].some((each) => namesField(each, 'byte_offset'));
}

/** The value of `data` goes on as an address: assigned, returned, handed to a copy, a launch or a constructor. */
function takesAddress(file: FileFacts, fn: FunctionFacts, { event, expr, tensor }: FieldUse): boolean {
  if (fn.calls.some((call) => (call.form === 'delete' || releasesIt(call)) && call.args.some((arg) => walk(arg).includes(expr)))) return false;
  switch (event.kind) {
    case 'assign':
      return event.value !== undefined && isAddress(event.value, expr);
    case 'return':
      return event.value !== undefined && isAddress(event.value, expr);
    case 'call':
      return isHandedOn(file, event, expr) && !isGiven(event, tensor);
    default:
      return false;
  }
}

const releases = /^(free|delete|PyMem_Free|aligned_free|hipFree)$|^(free|release|dispose|drop|destroy)_?([A-Z]|[a-z]|$)/;

function releasesIt({ api, name }: Call): boolean {
  return api?.does('free') === true || releases.test(name);
}

function isHandedOn(file: FileFacts, call: Call, expr: Expr): boolean {
  if (releasesIt(call) || resolveCallee(file, call)?.calls.some(releasesIt) || onlyReports(call)) return false;
  const given = [...call.args, ...(call.launch ?? [])];
  return given.some((arg) => arg.kind !== 'call' && isAddress(arg, expr));
}

const arrays = /(CUarray|cudaArray_t|cudaArray\b|CUmipmappedArray|cudaMipmappedArray_t|hipArray|bool)/;

/** `expr` itself, cast, moved by something or chosen; not compared, tested, or taken for a handle. */
function isAddress(value: Expr, expr: Expr): boolean {
  switch (value.kind) {
    case 'path':
      return value === expr;
    case 'cast':
      return !arrays.test(value.type) && isAddress(value.operand, expr);
    case 'binary':
      return /^[+-]$/.test(value.op) && (isAddress(value.left, expr) || isAddress(value.right, expr));
    case 'conditional':
      return isAddress(value.yes, expr) || isAddress(value.no, expr);
    case 'init':
    case 'other':
      return [...walk(value)].includes(expr);
    case 'unary':
      return value.op === '*' && isAddress(value.operand, expr);
    default:
      return false;
  }
}
