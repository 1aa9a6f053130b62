/**
 * # device/weak-identity
 *
 * ## What it does
 * Reports the choice of a Vulkan, EGL or GL device, for CUDA or for another process, by its name, its vendor and device id, its PCI identity
 * compared with CUDA's, or its LUID outside Windows. CUDA's side may be its own structs or anything that is called after it.
 *
 * ## Why is this bad
 * Two equal cards have the same name and the same device id. All MIG instances of a GPU share its PCI identity, LUIDs exist on Windows only.
 * The wrong match imports memory of another GPU: an error at best, a copy
 * over the bus or garbage otherwise.
 *
 * ## Example
 * ```cpp
 * #include <cstring>
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * bool is_same(VkPhysicalDevice device, const cudaDeviceProp& cuda) {
 *     VkPhysicalDeviceProperties properties{};
 *     vkGetPhysicalDeviceProperties(device, &properties);
 *     return std::strcmp(properties.deviceName, cuda.name) == 0;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cstring>
 * #include <cuda.h>
 * #include <vulkan/vulkan.h>
 * bool is_same(const VkPhysicalDeviceIDProperties& vulkan, CUdevice cuda) {
 *     CUuuid uuid{};
 *     if (cuDeviceGetUuid_v2(&uuid, cuda) != CUDA_SUCCESS) return false;
 *     return std::memcmp(vulkan.deviceUUID, uuid.bytes, VK_UUID_SIZE) == 0;
 * }
 * ```
 *
 * ## Fix safety
 * Told, never applied: the UUIDs have to be asked for where the devices are enumerated.
 *
 * ## What it cannot see
 * Names that a user typed to pick a device are reported too, unless their variable or where it comes from says so
 * (`config`, `option`, an environment variable, ...). Vendor and device ids count in files that use CUDA, and where those of two Vulkan devices are compared. Comparisons with literals (to avoid a software renderer or a broken driver) and functions that also compare UUIDs are left alone.
 */
import {
  type Comparison,
  comparisonsIn,
  fieldsOf,
  isCudaCall,
  isCudaName,
  isLiteral,
  matchesDevices,
  resolved,
  usesGraphics,
} from '../../analyses/device-identity';
import type { Event, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { expressionsOf, lastName, pathOf, samePath, stripCasts, symbolOf, walk } from '../../facts/paths';
import { resolveCallee } from '../../flow/program';
import { typeOfPath } from '../../flow/visible';
import { fileQuery, functionQuery } from '../../memo/query';
import { holdsForAny } from '../../memo/table';
import { defineRule } from '../rule';

type How = 'name' | 'id' | 'pci' | 'luid';

export const rule = defineRule<{ readonly how: How; readonly text: string }>({
  meta: {
    id: 'device/weak-identity',
    summary: 'A device is matched by name, ids, PCI identity or LUID on Linux instead of its UUID.',
    severity: 'warning',
    tier: 'A',
    precision: 'likely',
    fix: 'display-only',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ how, text }) {
    const why: Readonly<Record<How, string>> = {
      name: 'by its name, and equal cards have equal names',
      id: 'by vendor and device id, and equal cards have equal ids',
      pci: 'by its PCI identity, which all MIG instances of a GPU share',
      luid: 'by its LUID, which is valid on Windows only',
    };
    return `\`${text}\` chooses the device ${why[how]}: the match may be another GPU. Compare VkPhysicalDeviceIDProperties::deviceUUID with the UUID from cuDeviceGetUuid_v2.`;
  },

  detect(file, report) {
    const compares = comparingUuids(file);
    for (const fn of file.subjects) {
      if (matchesUuid(fn)) continue;
      for (const comparison of [...comparisonsIn(fn), ...comparedByHelpers(file, fn)]) {
        const how = weak(file, fn, comparison, compares) ?? (compares ? undefined : merged(file, fn, comparison));
        if (how) report({ at: comparison.expr, data: { how, text: shortened(file.source(comparison.expr)) } });
      }
    }
  },

  fix() {
    return { title: 'Compare deviceUUID with cuDeviceGetUuid_v2', edits: [] };
  },
});

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}

const comparingUuids = holdsForAny((_, fn) => matchesUuid(fn));

function matchesUuid(fn: FunctionFacts): boolean {
  return (
    matchesDevices(fn) &&
    comparisonsIn(fn).some(({ event, sides }) => sides.some((side) => fieldsOf(event, side).some(({ name }) => /uuid/i.test(name))))
  );
}

const chosen =
  /config|option|setting|prefer|user|filter|pattern|argv|param|flag|cli|env|force|desired|override|requested_?(name|device)|select|criteri/i;
const pciOfVulkan = /^(pciBus|pciDomain|pciDevice|pciFunction)$/;
const pciOfCuda = /^(pciBusID|pciDeviceID|pciDomainID|pci_bus_id|pci_device_id|pci_domain_id)$/;

function weak(file: FileFacts, fn: FunctionFacts, { event, expr, sides }: Comparison, compares: boolean): How | undefined {
  for (const [side, other] of [sides, [sides[1], sides[0]] as const]) {
    if (isLiteral(event, other)) continue;
    const fields = fieldsOf(event, side).filter(({ part }) => isOfDevice(file, fn, part));
    const opposite = fieldsOf(event, other).map(({ name }) => name);
    const has = (name: RegExp) => fields.some((each) => name.test(each.name));
    if (has(/^deviceName$/) && !opposite.includes('deviceName') && decides(fn, expr) && isNoWish(file, fn, event, other, compares)) return 'name';
    if (isRendererName(fn, side) && isCudaName(file, fn, event, other)) return 'name';
    const isId = has(/^deviceID$/) && !opposite.includes('deviceID') && isForCuda(file, fn, other);
    if (isId && isNoWish(file, fn, event, other, compares)) return 'id';
    if (has(pciOfVulkan) && isPciOfCuda(other, opposite, compares)) return 'pci';
    if (has(/^deviceLUID$/) && isElsewhereThanWindows(file, fn) && !opposite.includes('deviceLUID')) return 'luid';
  }
  return undefined;
}

function isForCuda(file: FileFacts, fn: FunctionFacts, other: Expr): boolean {
  return usesGraphics(fn) && (knowsCuda(file) || isOfCuda(other));
}

function isPciOfCuda(other: Expr, names: readonly string[], compares: boolean): boolean {
  return names.some((name) => pciOfCuda.test(name)) || (isOfCuda(other) && !compares);
}

/** A field of Vulkan's property structs, as far as types are known. */
function isOfDevice(file: FileFacts, fn: FunctionFacts, part: Expr): boolean {
  if (part.kind !== 'path') return true;
  const at = part.path.steps.findLastIndex((step) => step.startsWith('.'));
  const owner: Path = { ...part.path, steps: part.path.steps.slice(0, at) };
  const type = typeOfPath(file, fn, owner);
  return type === undefined || type === 'auto' || type === '' || /PhysicalDevice|^(Vk|vk::)/.test(type);
}

/** The same property of two devices that Vulkan lists: whoever takes them for one because of it merges equal cards. */
function merged(file: FileFacts, fn: FunctionFacts, { event, sides }: Comparison): How | undefined {
  const [a, b] = sides.map((side) => pathOf(stripCasts(side)));
  if (!a || !b || a.steps.at(-1) !== b.steps.at(-1) || samePath(a, b)) return undefined;
  // Who is handed two structs does not list devices.
  if ([a, b].every((path) => path.kind === 'param' && path.steps.length === 1)) return undefined;
  if (a.kind === 'this' && b.kind === 'this' && comparisonsIn(fn).some(isOfDriver)) return undefined;
  const how = { '.deviceID': 'id', '.deviceName': 'name' }[a.steps.at(-1) ?? ''] as How | undefined;
  const isOfVulkan = (path: Path) => {
    const owner: Path = { ...path, steps: path.steps.slice(0, -1) };
    const type = typeOfPath(file, fn, owner);
    if (type !== undefined && type !== 'auto' && type !== '') return /PhysicalDeviceProperties2?$/.test(type);
    return isAskedFor(event, owner) || owner.steps.at(-1) === '.properties';
  };
  return how && isOfVulkan(a) && isOfVulkan(b) && !fn.calls.some((call) => /log|print|warn/i.test(call.name)) ? how : undefined;
}

/** Of what an object keeps, together with the driver: it asks whether what was made for one model fits another, and equal cards are alike there. */
function isOfDriver({ event, sides }: Comparison): boolean {
  return sides.every((side) => fieldsOf(event, side).some(({ name }) => /^(driverVersion|pipelineCacheUUID)$/.test(name)));
}

/** `const auto theirs = other.getProperties();` */
function isAskedFor(event: Event, owner: Path): boolean {
  for (let at: FunctionFacts | undefined = event.fn; at; at = at.parent) {
    const made = at.events.find((each) => each.kind === 'assign' && each.declares?.name === owner.root);
    if (made?.kind === 'assign') return made.value?.kind === 'call' && /^getProperties2?(KHR)?$/.test(made.value.name);
  }
  return false;
}

/** CUDA's own, or at least nothing that the user asked for. In a file that compares UUIDs as well it is a wish. */
function isNoWish(file: FileFacts, fn: FunctionFacts, event: Event, other: Expr, compares: boolean): boolean {
  if (compares) return false;
  const sources = [other, ...[...walk(other)].filter((part) => part.kind === 'path').map((part) => resolved(event, part))];
  const wish = sources.some((each) => chosen.test(file.source(each)));
  return isCudaName(file, fn, event, other) || isOfCuda(other) || !(wish || mayBeEmpty(fn, other));
}

/** Called after CUDA or HIP: `params.cuda_device.product_id`. A setting of that name (`config.cuda_name`) is what somebody asked for. */
function isOfCuda(other: Expr): boolean {
  return [...walk(other)].some((part) => {
    if (part.kind !== 'path') return false;
    const names = [part.path.root, ...part.path.steps];
    const isIn = (name: string) => /cuda|(^|[._])hip(_|$)/i.test(name);
    return names.slice(0, -1).some(isIn) || (isIn(names.at(-1)!) && !names.some((name) => chosen.test(name)));
  });
}

/** `same(properties.deviceName, cuda.name)` of a function of the file that compares its two parameters. */
function comparedByHelpers(file: FileFacts, fn: FunctionFacts): Comparison[] {
  return fn.calls.flatMap((call): Comparison[] => {
    const [first, second] = call.args;
    const helper = first && second && call.args.length === 2 && !call.api ? resolveCallee(file, call) : undefined;
    return helper && comparesParams(file, helper) ? [{ expr: call, event: call, sides: [first!, second!] }] : [];
  });
}

/** Asked for every call, answered once for each function. */
const comparesParams = functionQuery((_, fn) => comparisonsIn(fn).some(({ sides }) => areParams(sides)));

/** One parameter on each side. */
function areParams(sides: readonly [Expr, Expr]): boolean {
  const [a, b] = sides.map((side) => pathOf(side));
  return a?.kind === 'param' && b?.kind === 'param' && a.root !== b.root;
}

/** `name.size() > 0 && name != device.name`: who does not ask for a name gets any device, so it filters. */
function mayBeEmpty(fn: FunctionFacts, other: Expr): boolean {
  const path = pathOf(stripCasts(other));
  return (
    path !== undefined && fn.calls.some((call) => /^(empty|size|length|has_value|isEmpty)$/.test(call.name) && samePath(pathOf(call.receiver), path))
  );
}

const callingCuda = holdsForAny((_, fn) => fn.calls.some(isCudaCall));

const knowsCuda = fileQuery(
  (file) =>
    file.directives.some((each) => each.kind === 'include' && /(^|\/)(cuda|hip|optix|nvcuvid|cu)/i.test(each.name)) ||
    [...file.imports.values()].some((origin) => /^(torch|cupy|warp|numba|pycuda|cuda)\b/.test(origin)) ||
    callingCuda(file),
);

/** The comparison is tested, returned or kept, not only shown. */
function decides(fn: FunctionFacts, expr: Expr): boolean {
  return fn.events.some((event) => {
    if (event.kind === 'test') return [...walk(event.expr)].includes(expr);
    return (event.kind === 'return' || event.kind === 'assign') && event.value !== undefined && [...walk(event.value)].includes(expr);
  });
}

/** What GL calls the renderer: compared with a CUDA name it is an identity. */
function isRendererName(fn: FunctionFacts, side: Expr): boolean {
  return (
    [...walk(side)].some((part) => part.kind === 'path' && /renderer|deviceName|gl_?name|adapter/i.test(lastName(part.path))) ||
    (fn.calls.some((call) => call.name === 'glGetString' && /RENDERER/.test(symbolOf(call.args[0]) ?? '')) && side.kind !== 'number')
  );
}

/** Neither the arm nor the file is Windows', and nobody asks whether the LUID is valid. */
function isElsewhereThanWindows(file: FileFacts, fn: FunctionFacts): boolean {
  if (/^Windows\b/.test(file.arm ?? '')) return false;
  if (file.directives.some((each) => each.kind === 'include' && /windows\.h|d3d1|dxgi|wrl/i.test(each.body + each.name))) return false;
  return !fn.events.some((event) => expressionsOf(event).some((root) => fieldsOf(event, root).some(({ name }) => /LUIDValid/.test(name))));
}
