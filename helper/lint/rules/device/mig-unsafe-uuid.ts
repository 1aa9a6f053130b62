/**
 * # device/mig-unsafe-uuid
 *
 * ## What it does
 * Reports a comparison of Vulkan's `deviceUUID` with a CUDA UUID that does not know MIG instances: `cudaDeviceProp::uuid`, or the legacy
 * `cuDeviceGetUuid`. With the preview rules also the legacy name in a table of names, or given to a helper that looks it up, and, as an
 * information, the plain call, which is the legacy entry point with headers before CUDA 13 only.
 *
 * ## Why is this bad
 * On a GPU that is split into MIG instances both give the UUID of the parent GPU, which all its instances share, while Vulkan gives that of
 * the instance: no device matches, or the wrong one does. From CUDA 13 on the header redirects `cuDeviceGetUuid` to the `_v2` entry
 * point; older headers, and everything that looks the symbol up by name, do not.
 *
 * ## Example
 * ```cpp
 * #include <cstring>
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * bool is_same(const VkPhysicalDeviceIDProperties& vulkan, int ordinal) {
 *     cudaDeviceProp properties{};
 *     if (cudaGetDeviceProperties(&properties, ordinal) != cudaSuccess) return false;
 *     return std::memcmp(properties.uuid.bytes, vulkan.deviceUUID, VK_UUID_SIZE) == 0;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cstring>
 * #include <cuda.h>
 * #include <vulkan/vulkan.h>
 * bool is_same(const VkPhysicalDeviceIDProperties& vulkan, int ordinal) {
 *     CUdevice device = 0;
 *     CUuuid uuid{};
 *     if (cuDeviceGet(&device, ordinal) != CUDA_SUCCESS) return false;
 *     if (cuDeviceGetUuid_v2(&uuid, device) != CUDA_SUCCESS) return false;
 *     return std::memcmp(uuid.bytes, vulkan.deviceUUID, VK_UUID_SIZE) == 0;
 * }
 * ```
 *
 * ## Fix safety
 * A suggestion: the call of the legacy entry point is renamed. Headers before CUDA 11.4 do not have the new one; a UUID from the device
 * properties has no fix.
 *
 * ## What it cannot see
 * Which CUDA headers the program is built with, and comparisons that another file makes. A function that also looks for a device which can
 * present to a window is reported with the preview rules only: MIG instances have no display.
 */
import { type Comparison, comparisonsIn, fieldsOf, isCudaProperties } from '../../analyses/device-identity';
import { symbolsNamed } from '../../analyses/named-symbols';
import { looseComparisons, readsVulkanUuid } from '../../analyses/vulkan-uuids';
import type { Call, Event, Expr, FileFacts, FunctionFacts } from '../../facts/index';
import { expressionsOf, lastName, mentions, pathOf, stripCasts, walk } from '../../facts/paths';
import { valueAt } from '../../flow/definitions';
import { fileQuery } from '../../memo/query';
import { functionTable, holdsForAny } from '../../memo/table';
import { replace } from '../edits';
import { defineRule } from '../rule';

type Kind = 'properties' | 'legacy' | 'maybe-legacy' | 'named';

export const rule = defineRule<{ readonly kind: Kind; readonly call?: Call }>({
  meta: {
    id: 'device/mig-unsafe-uuid',
    summary: 'A Vulkan UUID is compared with a CUDA UUID that does not know MIG instances.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'suggestion',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ kind }) {
    const source = {
      properties: 'This UUID comes from the device properties',
      legacy: 'This calls the legacy entry point of cuDeviceGetUuid',
      named: 'Looked up by this name it is the legacy entry point of cuDeviceGetUuid',
      'maybe-legacy': 'With CUDA headers before version 13 this calls the legacy entry point of cuDeviceGetUuid',
    }[kind];
    return `${source}, which names the parent GPU of a MIG instance, and is matched with Vulkan's deviceUUID, which names the instance. Ask cuDeviceGetUuid_v2.`;
  },

  detect(file, report) {
    if (!namesVulkanUuid(file)) return;
    const comparisons = file.subjects.flatMap(withVulkan);
    for (const { fn, comparison } of comparisons) {
      if (comparison.sides.some((side) => isFromProperties(file, fn, comparison.event, side)))
        report({ at: comparison.expr, data: { kind: 'properties' }, isPreview: presents(fn) });
    }
    for (const { at, kind } of [...loose(file), ...named(file)]) report({ at, data: { kind }, isPreview: true });
    if (!comparesWithVulkan(file)) return;
    for (const call of file.subjects.flatMap((fn) => fn.calls)) {
      const kind = isLegacy(file, call) && isMatched(call) ? legacyKind(file, call) : undefined;
      // The headers of today redirect the plain name.
      if (kind) report({ at: call, data: { kind, call }, ...(kind === 'maybe-legacy' ? { severity: 'info' as const, isPreview: true } : {}) });
    }
  },

  fix({ data: { call } }) {
    if (call?.callee !== 'cuDeviceGetUuid') return undefined;
    const { start } = call.span;
    return { title: 'Call cuDeviceGetUuid_v2', edits: [replace({ start, end: start + call.callee.length }, 'cuDeviceGetUuid_v2')] };
  },
});

/** Files that do not are left alone: looking through all their comparisons costs time. */
const namesVulkanUuid = fileQuery((file) => file.hasToken('word', /(device|vk|vulkan)_?uuid/i) || file.hasToken('string', /device_?uuid/i));

interface Weaker {
  readonly at: Expr;
  readonly kind: Kind;
}

/** Comparisons with copies of Vulkan's UUID, and by helpers. */
function loose(file: FileFacts): Weaker[] {
  return file.subjects.flatMap((fn) =>
    looseComparisons(file, fn).flatMap(({ event, expr, sides }): Weaker[] =>
      sides.some((side) => isFromProperties(file, fn, event, side)) ? [{ at: expr, kind: 'properties' }] : [],
    ),
  );
}

/** The old name in tables of names, where the file also compares. */
function named(file: FileFacts): Weaker[] {
  if (!comparesLoosely(file) || namesNewEntry(file)) return [];
  return symbolsNamed(file, 'cuDeviceGetUuid', file.subjects).map((at) => ({ at, kind: 'named' }));
}

/** It looks for a device that shows pictures in a window: a MIG instance has no display. */
function presents(fn: FunctionFacts): boolean {
  if ([...fn.params, ...fn.locals].some(({ type }) => /\b(VkSurfaceKHR|vk::SurfaceKHR|VkSurface|SurfaceKHR)\b/.test(type))) return true;
  return fn.calls.some((call) => /SurfaceSupport|PresentationSupport/.test(call.name));
}

function withVulkan(fn: FunctionFacts): { fn: FunctionFacts; comparison: Comparison }[] {
  const isWithVulkan = ({ event, sides }: Comparison) => sides.some((side) => readsVulkanUuid(event, side));
  return comparisonsIn(fn).flatMap((comparison) => (isWithVulkan(comparison) ? [{ fn, comparison }] : []));
}

const comparesWithVulkan = holdsForAny((_, fn) => withVulkan(fn).length > 0);
const comparesLoosely = holdsForAny((file, fn) => withVulkan(fn).length > 0 || looseComparisons(file, fn).length > 0);

/** `properties.uuid`, `torch.cuda.get_device_properties(i).uuid`. */
function isFromProperties(file: FileFacts, fn: FunctionFacts, at: Event, side: Expr): boolean {
  return fieldsOf(at, side).some(({ name, part }) => {
    if (part.kind === 'member') return name === 'uuid' && part.object.kind === 'call' && /get_?device_?properties/i.test(part.object.name);
    if (part.kind !== 'path') return false;
    const cut = part.path.steps.lastIndexOf('.uuid');
    if (cut < 0) return false;
    const path = { ...part.path, steps: part.path.steps.slice(0, cut + 1) };
    return isCudaProperties(file, fn, path) || isPropertiesValue(at, { ...path, steps: path.steps.slice(0, cut) });
  });
}

function isPropertiesValue(at: Event, owner: NonNullable<ReturnType<typeof pathOf>>): boolean {
  const value = valueAt(at, { kind: 'path', path: owner, span: at.span });
  return value !== undefined && value !== 'zero' && value.kind === 'call' && /get_?device_?properties/i.test(value.name);
}

function isLegacy(file: FileFacts, call: Call): boolean {
  return isLoadedByOldName(file, call) || call.api?.name === 'cuDeviceGetUuid' || (call.name === 'cuDeviceGetUuid' && call.api === undefined);
}

/** What the call wrote is used for more than to show it. */
function isMatched(call: Call): boolean {
  const target = call.api?.path('uuid') ?? pathOf(call.args[0]);
  if (target?.kind !== 'local') return true;
  const isShown = (event: Event) => event.kind === 'call' && /print|log|format/i.test(event.name);
  const root = { ...target, steps: [] };
  return call.fn.events.some((event) => event.id > call.id && !isShown(event) && expressionsOf(event).some((expr) => mentions(expr, root)));
}

/** Undefined when the file shows that it reaches the new entry point. */
function legacyKind(file: FileFacts, call: Call): Kind | undefined {
  const undone = file.directives.some((each) => each.kind === 'undef' && each.name === 'cuDeviceGetUuid');
  if (undone || isLoadedByOldName(file, call)) return 'legacy';
  if (namesNewEntry(file)) return undefined;
  if (loadsOldName(file) || (file.language === 'python' && isForeign(file, call))) return 'legacy';
  return file.language === 'python' ? undefined : 'maybe-legacy';
}

const namesNewEntry = fileQuery((file) => file.hasToken('word', /cuDeviceGetUuid_v2/) || file.hasToken('string', /cuDeviceGetUuid_v2/));

/**
 * A pointer that `dlsym` gave for the old name, whatever others the file looks up beside it. A function that also names the new one falls
 * back to the old one on old drivers.
 */
function isLoadedByOldName(file: FileFacts, call: Call): boolean {
  if (call.name === 'cuDeviceGetUuid' || !oldPointers.of(file, call.name).length) return false;
  const newer = newPointers.keys(file);
  return (
    !call.fn.events.some((event) =>
      expressionsOf(event).some((expr) => [...walk(expr)].some((part) => part.kind === 'path' && newer.has(lastName(part.path)))),
    ) && !call.fn.calls.some((each) => newer.has(each.name))
  );
}

const oldPointers = pointersTo('cuDeviceGetUuid');
const newPointers = pointersTo('cuDeviceGetUuid_v2');

/** By the name of the variable or field that takes what `dlsym(library, name)` returns. */
function pointersTo(symbol: string) {
  return functionTable<string, Event>((_, fn) =>
    fn.events.flatMap((event): [string, Event][] => {
      if (event.kind !== 'assign' || !event.value) return [];
      const value = stripCasts(event.value);
      const isLookup = value.kind === 'call' && /^(dlsym|GetProcAddress)$/.test(value.name);
      const target = isLookup && value.args.some((arg) => arg.kind === 'string' && arg.value === symbol) ? pathOf(event.target) : undefined;
      return target ? [[lastName(target), event]] : [];
    }),
  );
}

/** `dlsym(lib, "cuDeviceGetUuid")`, or the loader asked for a version before 11.4, where `_v2` came. */
const loadsOldName = holdsForAny((_, fn) =>
  fn.calls.some((call) => {
    if (!call.args.some((arg) => arg.kind === 'string' && arg.value === 'cuDeviceGetUuid')) return false;
    if (/^(dlsym|GetProcAddress)$/.test(call.name)) return true;
    const version = call.args.find((arg) => arg.kind === 'number' && arg.value >= 1000);
    return version?.kind === 'number' && version.value < 11_040;
  }),
);

/** A symbol of a library that ctypes opened: looked up by exactly this name. */
function isForeign(file: FileFacts, call: Call): boolean {
  const receiver = pathOf(call.receiver);
  if (!receiver) return false;
  return openedLibraries.of(file, lastName(receiver)).length > 0;
}

const openedLibraries = functionTable<string, Call>((_, fn) =>
  fn.calls.flatMap((call) => (/^(CDLL|LoadLibrary|WinDLL|PyDLL)$/.test(call.name) && call.result ? [[lastName(call.result), call]] : [])),
);
