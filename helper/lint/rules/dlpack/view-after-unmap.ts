/**
 * # dlpack/view-after-unmap
 *
 * ## What it does
 * Reports the use of mapped memory after its mapping ended. Python: a view made with `from_dlpack` and the like after `unmap()` or outside
 * the `with`, also when it is returned out of it. C and C++: the pointer or array after `cudaGraphicsUnmapResources`, `vkUnmapMemory` or
 * `cuvidUnmapVideoFrame`; also where a function gets it into a field, a global or a variable of its caller and unmaps without having used it.
 *
 * ## Why is this bad
 * With the end of the mapping the memory is the producer's again: it holds the next frame, half of it, or nothing at all.
 *
 * ## Example
 * ```python
 * import numpy as np
 * from ovrtx import Device
 * def mean(render_var):
 *     with render_var.map(device=Device.CPU) as mapping:
 *         pixels = np.from_dlpack(mapping)
 *     return pixels.mean()
 * ```
 *
 * ## Use instead
 * ```python
 * import numpy as np
 * from ovrtx import Device
 * def mean(render_var):
 *     with render_var.map(device=Device.CPU) as mapping:
 *         pixels = np.from_dlpack(mapping)
 *         return pixels.mean()
 * ```
 *
 * ## Fix safety
 * A suggestion, in Python with NumPy and PyTorch on the host: the view becomes a copy. It costs memory and time; using it inside the mapping is
 * free. A copy on the GPU is only queued and would run behind the end of the mapping: it has no fix.
 *
 * ## What it cannot see
 * Views that went into containers, attributes or unknown calls before.
 */
import { isDescription, isViewOf, type MappingScope, mappingsIn } from '../../analyses/dlpack-mappings';
import { keptMappings } from '../../analyses/kept-mappings';
import { cudaMappings, usesView } from '../../analyses/python-mappings';
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { expressionsOf, pathOf, pathText, samePath, walk } from '../../facts/paths';
import { definitionsAt } from '../../flow/definitions';
import { dominates, eventsAfter } from '../../flow/order';
import { insertAfter } from '../edits';
import { defineRule } from '../rule';

interface Data {
  readonly name: string;
  readonly how: 'used' | 'returned' | 'kept';
  readonly event: Event;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'dlpack/view-after-unmap',
    summary: 'A view of mapped memory is used after the mapping ended.',
    severity: 'error',
    tier: 'B',
    precision: 'likely',
    fix: 'suggestion',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ name, how }) {
    if (how === 'kept')
      return `\`${name}\` is kept for later, but the mapping that it points into ends in this function: the memory is the graphics API's again, and the next mapping may give another address. Map, get the pointer and unmap around each use.`;
    const what =
      how === 'used' ? `\`${name}\` is used after the mapping that it points into ended` : `\`${name}\` leaves the mapping that it points into`;
    return `${what}: the memory is the producer's again, and its next frame overwrites it. Copy the data before the mapping ends, or end it later.`;
  },

  detect(file, report) {
    const seen = new Set<string>();
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      const found = file.language === 'python' ? inPython(file, fn) : inC(fn);
      for (const { at, end, name, how } of found) {
        const key = `${at.id} ${name}`;
        if (seen.has(key)) continue;
        seen.add(key);
        report({
          at: how === 'used' ? placeOf(at, name) : at,
          data: { name, how, event: at },
          related: [{ at: end, message: 'the mapping ends here' }],
        });
      }
    }
  },

  fix({ data: { name, event } }, file) {
    const made = file.language === 'python' ? madeBy(event, name) : undefined;
    const copy = made?.callee.startsWith('numpy.') ? '.copy()' : made?.callee.startsWith('torch.') ? '.clone()' : undefined;
    const isQueued = made && cudaMappings(made.fn).some(({ names }) => usesView(made, names));
    return made && copy && !isQueued ? { title: 'Copy the data', edits: [insertAfter(made, copy)] } : undefined;
  },
});

/** The only call that makes the view. */
function madeBy(event: Event, name: string): Call | undefined {
  if (event.kind === 'return' && event.value?.kind === 'call') return event.value;
  const made = event.fn.events.flatMap((each) =>
    each.kind === 'assign' && each.value && pathText(pathOf(each.target) ?? { root: '', kind: 'local', steps: [] }) === name ? [each.value] : [],
  );
  return made.length === 1 && made[0]!.kind === 'call' && /^(from_dlpack|asarray|as_tensor)$/.test(made[0]!.name) ? made[0] : undefined;
}

interface Found {
  readonly at: Event;
  readonly end: Event;
  readonly name: string;
  readonly how: Data['how'];
}

function placeOf(event: Event, name: string): Event | Expr {
  for (const root of expressionsOf(event))
    for (const part of walk(root)) if (part.kind === 'path' && pathText(part.path).startsWith(name)) return part;
  return event;
}

function inPython(file: FileFacts, fn: FunctionFacts): Found[] {
  return mappingsIn(file, fn).flatMap((mapping) => [
    ...mapping.views.slice(1).flatMap((view) => firstUse(fn, mapping, view) ?? []),
    ...returned(fn, mapping),
  ]);
}

/** The first use of a view behind an end of the mapping, with nothing new under its name in between. */
function firstUse(fn: FunctionFacts, mapping: MappingScope, view: Path): Found | undefined {
  if (view.kind === 'this' || view.kind === 'global') return undefined;
  const isRenamed = (event: Event) => event.kind === 'assign' && samePath(pathOf(event.target), { ...view, steps: [] });
  for (const end of fn.events.filter(mapping.isEnd)) {
    for (const event of eventsAfter(end, { blocked: (each) => isRenamed(each) || each === mapping.call })) {
      if (event.kind === 'call' && event.form === 'delete') continue;
      if (uses(event, view, mapping) && isStillView(event, view, mapping)) return { at: event, end, name: pathText(view), how: 'used' };
    }
  }
  return undefined;
}

function uses(event: Event, view: Path, mapping: MappingScope): boolean {
  if (event.kind === 'scopeEnd' || event.kind === 'escape') return false;
  return expressionsOf(event).some((root) => {
    if (event.kind === 'assign' && root === event.target && samePath(pathOf(root), view)) return false;
    return [...walk(root)].some(
      (part) => part.kind === 'path' && part.path.root === view.root && !isDescription(part.path, mapping.views) && !isTestForNone(event),
    );
  });
}

/** Some definition that reaches the event is a view; the name may have been given a copy before. */
function isStillView(event: Event, { root, kind }: Path, mapping: MappingScope): boolean {
  if (kind !== 'local') return true;
  const { values } = definitionsAt(event, { root, kind, steps: [] });
  return values.some(({ value }) => value !== 'zero' && isViewOf(value, mapping.views));
}

function isTestForNone(event: Event): boolean {
  return event.kind === 'test' && (event.expr.kind === 'path' || (event.expr.kind === 'binary' && event.expr.right.kind === 'null'));
}

/** A view is returned, and on the way out the mapping ends. */
function returned(fn: FunctionFacts, mapping: MappingScope): Found[] {
  return fn.events.flatMap((event) => {
    if (
      event.kind !== 'return' ||
      !event.value ||
      event.id < mapping.call.id ||
      !isViewOf(event.value, mapping.views.slice(1).length > 0 ? mapping.views : [mapping.path])
    )
      return [];
    const path = pathOf(event.value);
    if (path && (samePath(path, mapping.path) || !isStillView(event, path, mapping))) return [];
    const end = [...eventsAfter(event)].find(mapping.isEnd);
    return end ? [{ at: event, end, name: path ? pathText(path) : 'The view', how: 'returned' as const }] : [];
  });
}

function kept(fn: FunctionFacts): Found[] {
  return keptMappings(fn).map(({ got, end, path }) => ({ at: got, end, name: pathText(path), how: 'kept' }));
}

const endings = /^(cudaGraphicsUnmapResources|cuGraphicsUnmapResources|vkUnmapMemory|vmaUnmapMemory|cuvidUnmapVideoFrame(64)?)$/;

function inC(fn: FunctionFacts): Found[] {
  const used = usedBehind(fn);
  return [...used, ...kept(fn).filter(({ name }) => !used.some((each) => each.name === name))];
}

function usedBehind(fn: FunctionFacts): Found[] {
  return fn.calls.flatMap((end) => {
    if (!end.api || !endings.test(end.api.name)) return [];
    return pointersEnded(fn, end).flatMap(({ path, by }) => {
      const isNew = (event: Event) =>
        (event.kind === 'call' && writesTo(event, path)) || (event.kind === 'assign' && samePath(pathOf(event.target), path)) || event === by;
      for (const event of eventsAfter(end, { blocked: isNew })) {
        if (
          event.kind === 'call' &&
          dominates(end, event) &&
          !isNew(event) &&
          !endings.test(event.api?.name ?? '') &&
          event !== end &&
          givesOn(event, path)
        )
          return [{ at: event, end, name: pathText(path), how: 'used' as const }];
      }
      return [];
    });
  });
}

/** What the calls before gave for the thing that ends here. */
function pointersEnded(fn: FunctionFacts, end: Call): { path: Path; by: Call }[] {
  const key = keyOf(end);
  if (!key) return [];
  return fn.calls.flatMap((by) => {
    if (by.id >= end.id || !by.api || endings.test(by.api.name)) return [];
    const isSame = end.api!.name.startsWith('cuvid') ? samePath(by.api.path('ptr'), key) : samePath(keyOf(by), key);
    if (!isSame || !/(GetMapped\w+|MapMemory|MapVideoFrame(64)?)$/.test(by.api.name)) return [];
    const path = by.api.path('ptr') ?? by.api.path('array') ?? by.api.path('chain');
    return path && /^(local|this|global)$/.test(path.kind) ? [{ path, by }] : [];
  });
}

function keyOf(call: Call): Path | undefined {
  const { api } = call;
  return api?.path('resource') ?? api?.path('memory') ?? api?.path('allocation') ?? api?.path('ptr');
}

function writesTo(call: Call, path: Path): boolean {
  if (call.api) return call.api.api.params.some((param) => param.out && samePath(call.api!.path(param.name), path));
  return call.args.some((arg) => arg.kind === 'unary' && arg.op === '&' && samePath(pathOf(arg.operand), path));
}

/** The pointer's value is an argument, of a launch too. */
function givesOn(call: Call, path: Path): boolean {
  const given = [...call.args, ...(call.launch ?? [])];
  return (
    !/print|log|assert|check/i.test(call.name) &&
    given.some((arg) => [...walk(arg)].some((part) => part.kind === 'path' && samePath(part.path, path)))
  );
}
