/**
 * # dlpack/retained-view
 *
 * ## What it does
 * Reports a view of a mapping that is kept across frames: put into a container or stored in an attribute, without a copy.
 *
 * ## Why is this bad
 * A view pins the render resource as long as anybody holds it: the renderer cannot reuse it, allocates another one for every frame, and the
 * kept views may show later frames. A copy costs one transfer and frees the resource.
 *
 * ## Example
 * ```python
 * import torch
 * from ovrtx import Device
 * def collect(render_var, frames):
 *     with render_var.map(device=Device.CUDA) as mapping:
 *         mapping.wait()
 *         frames.append(torch.from_dlpack(mapping))
 * ```
 *
 * ## Use instead
 * ```python
 * import torch
 * from ovrtx import Device
 * def collect(render_var, frames):
 *     with render_var.map(device=Device.CUDA) as mapping:
 *         mapping.wait()
 *         frames.append(torch.from_dlpack(mapping).clone())
 *         torch.cuda.current_stream().synchronize()
 * ```
 *
 * ## What it cannot see
 * Whether the container is emptied before the next frame; views that an unknown call keeps.
 */
import { isViewOf, type MappingScope, mappingsIn } from '../../analyses/dlpack-mappings';
import type { Event, FunctionFacts } from '../../facts/index';
import { pathOf, pathText, samePath } from '../../facts/paths';
import { defineRule } from '../rule';

export const rule = defineRule<{ readonly keeper: string }>({
  meta: {
    id: 'dlpack/retained-view',
    summary: 'A view of a mapping is kept in a container or attribute and pins the render resource.',
    severity: 'info',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ keeper }) {
    return `\`${keeper}\` keeps a view of the mapping beyond this frame: the view pins the render resource, so the renderer allocates another one for each frame. Keep a copy, or drop the view before the next frame.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      for (const mapping of mappingsIn(file, fn)) {
        if (mapping.path.kind === 'this') continue;
        for (const event of fn.events) {
          const keeper = keptBy(fn, mapping, event);
          if (keeper) report({ at: event, data: { keeper }, related: [{ at: mapping.call, message: 'mapped here' }] });
        }
      }
    }
  },
});

const adders = /^(append|appendleft|add|insert|put|put_nowait|setdefault|extend)$/;

function keptBy(fn: FunctionFacts, mapping: MappingScope, event: Event): string | undefined {
  if (event.id < mapping.call.id) return undefined;
  const isView = (value: Parameters<typeof isViewOf>[0]) => isViewOf(value, mapping.views) && !samePath(pathOf(value), mapping.path);
  if (event.kind === 'call' && adders.test(event.name) && event.receiver && event.args.some(isView)) {
    const path = pathOf(event.receiver);
    return path && outlives(fn, path.kind, path.root) ? pathText(path) : undefined;
  }
  if (event.kind !== 'assign' || !event.value || event.op !== '=' || !isView(event.value)) return undefined;
  const target = pathOf(event.target);
  // `pixels[...] = view` and `pixels[2:] = view` copy.
  if (target?.steps.some((step) => /^\[.*(\.\.\.|:).*\]$/.test(step) && !/["']/.test(step))) return undefined;
  if (!target || target.steps.length === 0 || (target.kind !== 'this' && !outlives(fn, target.kind, target.root))) return undefined;
  const isDropped = fn.events.some(
    (each) =>
      each.id > event.id &&
      ((each.kind === 'assign' && samePath(pathOf(each.target), target)) ||
        (each.kind === 'call' && each.form === 'delete' && each.args.some((arg) => samePath(pathOf(arg), target)))),
  );
  return isDropped ? undefined : pathText(target);
}

/** The container is the caller's or the object's, or a local that is filled in a loop of frames. */
function outlives(fn: FunctionFacts, kind: string, root: string): boolean {
  if (kind !== 'local') return true;
  return fn.events.some((event) => event.kind === 'return' && pathOf(event.value)?.root === root);
}
