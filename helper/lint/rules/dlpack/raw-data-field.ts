/**
 * # dlpack/raw-data-field
 *
 * ## What it does
 * Reports the raw `data` field of a tensor that was mapped as a CUDA array, where `cuda_array` is meant, and a mapping of such tensors
 * that is indexed by a number instead of the tensor's name.
 *
 * ## Why is this bad
 * The field holds an opaque image handle, not an address: whoever takes it for a pointer reads somewhere. `cuda_array` raises when the
 * tensor is linear memory, which the raw field does not. A render variable may carry several tensors, whose order is nobody's promise.
 *
 * ## Example
 * ```python
 * import warp as wp
 * from ovrtx import Device
 * def texture_of(render_var):
 *     mapping = render_var.map(device=Device.CUDA_ARRAY)
 *     tensor = mapping["color"]
 *     return mapping, wp.Texture2D(cuda_array=tensor.dl.data)
 * ```
 *
 * ## Use instead
 * ```python
 * import warp as wp
 * from ovrtx import Device
 * def texture_of(render_var):
 *     mapping = render_var.map(device=Device.CUDA_ARRAY)
 *     tensor = mapping["color"]
 *     return mapping, wp.Texture2D(cuda_array=tensor.cuda_array)
 * ```
 *
 * ## What it cannot see
 * Mappings whose device is a variable, and tensors that come in through a parameter.
 */
import { mappingsIn } from '../../analyses/dlpack-mappings';
import type { Call, Expr, FunctionFacts } from '../../facts/index';
import { expressionsOf, pathOf, pathText, symbolOf, walk } from '../../facts/paths';
import { valueAt } from '../../flow/definitions';
import { defineRule } from '../rule';

export const rule = defineRule<{ readonly kind: 'data' | 'index'; readonly text: string }>({
  meta: {
    id: 'dlpack/raw-data-field',
    summary: 'The raw data field of a CUDA array mapping is read instead of `cuda_array`.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ kind, text }) {
    return kind === 'data'
      ? `\`${text}\` of a CUDA array mapping is an opaque image handle, not an address. Read \`cuda_array\`, which raises when the tensor is linear memory instead.`
      : `\`${text}\` picks a tensor of the mapping by number, but a render variable may carry several in any order. Use the tensor's name.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      for (const mapping of mappingsIn(file, fn)) {
        if (!isArrayMapping(mapping.call)) continue;
        const seen = new Set<number>();
        for (const { expr, kind } of rawReads(
          fn,
          mapping.views.map((view) => view.root),
        )) {
          if (seen.has(expr.span.start)) continue;
          seen.add(expr.span.start);
          report({
            at: expr,
            data: { kind, text: expr.kind === 'path' ? pathText(expr.path) : file.source(expr) },
            related: [{ at: mapping.call, message: 'mapped as a CUDA array here' }],
          });
        }
      }
    }
  },
});

function isArrayMapping(call: Call): boolean {
  const device = call.keywords.get('device') ?? call.args[0];
  const value = device && valueAt(call, device);
  return (
    value !== undefined && value !== 'zero' && (symbolOf(value) === 'CUDA_ARRAY' || (value.kind === 'string' && /^cuda_array$/i.test(value.value)))
  );
}

interface Read {
  readonly expr: Expr;
  readonly kind: 'data' | 'index';
}

function rawReads(fn: FunctionFacts, names: readonly string[]): Read[] {
  const parts = fn.events.flatMap((event) => expressionsOf(event).flatMap((root) => [...walk(root)]));
  return parts.flatMap((expr): Read[] => {
    if (readsData(expr, names)) return [{ expr, kind: 'data' }];
    return picksByNumber(expr, names[0]) ? [{ expr, kind: 'index' }] : [];
  });
}

/** `tensor.data`, `tensor.dl.data`, `tensor.data_ptr()`. */
function readsData(expr: Expr, names: readonly string[]): boolean {
  if (expr.kind === 'call') return expr.name === 'data_ptr' && names.includes(pathOf(expr.receiver)?.root ?? '');
  if (expr.kind !== 'path' || !names.includes(expr.path.root)) return false;
  return /\.data(\.ptr)?$/.test(expr.path.steps.join(''));
}

function picksByNumber(expr: Expr, mapping: string | undefined): boolean {
  if (expr.kind !== 'path' || expr.path.root !== mapping) return false;
  const { steps } = expr.path;
  return /^\[\d+\]$/.test(steps[0] ?? '') && steps.includes('.cuda_array');
}
