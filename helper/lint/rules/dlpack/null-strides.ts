/**
 * # dlpack/null-strides
 *
 * ## What it does
 * Reports a consumer of a DLPack tensor that reads `strides[i]` and never asks whether `strides` is null.
 *
 * ## Why is this bad
 * Before DLPack 1.2 a compact row-major tensor may leave `strides` null, and producers of that time are still around. The first of them
 * crashes the consumer, which works with every other one.
 *
 * ## Example
 * ```cpp
 * #include <dlpack/dlpack.h>
 * int64_t row_pitch(const DLTensor* tensor) {
 *     return tensor->strides[0] * tensor->dtype.bits / 8;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <dlpack/dlpack.h>
 * int64_t row_pitch(const DLTensor* tensor) {
 *     const int64_t elements = tensor->strides ? tensor->strides[0] : tensor->shape[1];
 *     return elements * tensor->dtype.bits / 8;
 * }
 * ```
 *
 * ## What it cannot see
 * Files of runtimes whose own tensor is a `DLTensor` (TVM, DGL) are left alone. Checks that are made in another file. A function that fills the tensor in itself is a producer and no subject of this rule.
 */
import { type FieldUse, isGiven, isOfTensorRuntime, neighbourhood, produces, readsOfField } from '../../analyses/dlpack';
import type { FileFacts, FunctionFacts } from '../../facts/index';
import { pathKey, pathText } from '../../facts/paths';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ readonly tensor: string }>({
  meta: {
    id: 'dlpack/null-strides',
    summary: 'A consumer of a DLPack tensor dereferences `strides`, which may be null.',
    severity: 'warning',
    tier: 'A',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ tensor }) {
    return `\`${tensor}.strides\` is dereferenced without a check: producers before DLPack 1.2 leave it null for compact row-major tensors, so this crashes on them. Derive the strides from \`shape\` when it is null.`;
  },

  detect(file, report) {
    if (isOfTensorRuntime(file)) return;
    for (const fn of file.subjects) {
      const seen = new Set<string>();
      for (const use of readsOfField(file, fn, 'strides')) {
        const key = pathKey(use.tensor);
        if (seen.has(key) || !isDereferenced(use) || produces(file, fn, use.tensor) || mayBeChecked(file, fn, use)) continue;
        seen.add(key);
        report({ at: use.expr, data: { tensor: pathText(use.tensor) } });
      }
    }
  },
});

const copies = /^(copy|copy_n|memcpy|memmove|accumulate|equal)$/;

function isDereferenced({ path, event, expr }: FieldUse): boolean {
  if (/^(\[|\*)/.test(path.steps.at(-1) ?? '')) return true;
  if (event.kind !== 'call' || path.steps.at(-1) !== '.strides') return false;
  return copies.test(event.name)
    ? event.args.slice(0, 2).includes(expr)
    : event.form === 'construct' && event.args[0] === expr && event.args.length === 2;
}

/** `strides` as a whole is tested, copied or handed on somewhere near, or somebody unknown looked at the tensor before. */
function mayBeChecked(file: FileFacts, fn: FunctionFacts, use: FieldUse): boolean {
  for (const each of neighbourhood(file, fn)) {
    const reads = readsOfField(file, each, 'strides').filter((other) => other.path.steps.at(-1) === '.strides');
    const copied = new Set(reads.filter(isDereferenced).map((other) => other.event));
    if (reads.some((other) => !copied.has(other.event))) return true;
  }
  return fn.calls.some((call) => call.id < use.event.id && isGiven(call, use.tensor));
}
