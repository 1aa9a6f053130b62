/**
 * # dlpack/shape-written
 *
 * ## What it does
 * Reports a consumer that changes the `shape` or `strides` of a tensor it was given: `tensor->strides[i] *= item`.
 *
 * ## Why is this bad
 * Both arrays belong to the producer. It may use them for its own tensor, keep them in a constant, or hand the same struct to a further
 * consumer, who then sees another layout.
 *
 * ## Example
 * ```cpp
 * #include <dlpack/dlpack.h>
 * int64_t row_bytes(const DLTensor& tensor) {
 *     tensor.strides[0] *= tensor.dtype.bits / 8;
 *     return tensor.strides[0];
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <dlpack/dlpack.h>
 * int64_t row_bytes(const DLTensor& tensor, int64_t row) {
 *     const int64_t elements = tensor.strides ? tensor.strides[0] : row;
 *     return elements * tensor.dtype.bits / 8;
 * }
 * ```
 *
 * ## What it cannot see
 * Arrays that are copied to a pointer first, and plain assignments, with which a producer fills its own tensor.
 */
import { isOfTensorRuntime, isTensor } from '../../analyses/dlpack';
import type { Assign, Event, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { pathOf, pathText, samePath, walk } from '../../facts/paths';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ field: string }>({
  meta: {
    id: 'dlpack/shape-written',
    summary: 'A consumer changes the shape or strides that belong to the producer.',
    severity: 'error',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ field }) {
    return `\`${field}\` belongs to the producer, who may use it for its own tensor or hand it to somebody else: they see another layout from here on. Copy the array and change the copy.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      for (const event of fn.events) {
        const field = event.kind === 'assign' ? changedField(event) : undefined;
        if (field && isGiven(file, fn, field)) report({ at: event, data: { field: pathText(field) } });
      }
    }
  },
});

/** `t.strides` of `t.strides[i] *= n` and of `t.strides[i] = t.strides[i] * n`. */
function changedField(event: Assign): Path | undefined {
  const path = pathOf(event.target);
  const last = path?.steps.at(-1);
  if (!path || !last?.startsWith('[') || !/^\.(shape|strides)$/.test(path.steps.at(-2) ?? '')) return undefined;
  const isChange = event.op !== '=' || (event.value?.kind === 'binary' && [...walk(event.value)].some((part) => samePath(pathOf(part), path)));
  return isChange ? { ...path, steps: path.steps.slice(0, -1) } : undefined;
}

/** A tensor that came from outside, and that this function does not fill itself. */
function isGiven(file: FileFacts, fn: FunctionFacts, field: Path): boolean {
  const owner: Path = { ...field, steps: field.steps.slice(0, -1) };
  if (!isTensor(file, fn, owner) || isOfTensorRuntime(file)) return false;
  if (field.kind === 'local' && !fn.events.some((event) => isTaken(event, owner))) return false;
  return !fn.events.some((event) => fills(event, field));
}

/** `auto* managed = static_cast<DLManagedTensor*>(capsule.get_pointer())`, `const DLTensor& t = managed->dl_tensor`. */
function isTaken(event: Event, owner: Path): boolean {
  if (event.kind !== 'assign' || event.declares?.name !== owner.root || !event.value) return false;
  const parts = [...walk(event.value)];
  return !parts.some((part) => part.kind === 'call' && (part.form === 'new' || /alloc|create|make|clone|copy/i.test(part.name)));
}

/** The array is set, or its elements are given values that have nothing to do with what was there. */
function fills(event: Event, field: Path): boolean {
  if (event.kind !== 'assign' || event.op !== '=') return false;
  const target = pathOf(event.target);
  if (samePath(target, field)) return true;
  const array = target?.steps.at(-1)?.startsWith('[') ? { ...target, steps: target.steps.slice(0, -1) } : undefined;
  return samePath(array, field) && changedField(event) === undefined;
}
