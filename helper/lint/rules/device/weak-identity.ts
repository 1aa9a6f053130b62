/**
 * # device/weak-identity
 *
 * ## What it does
 * Reports the choice of a Vulkan, EGL or GL device, for CUDA or for another process, by its name, its vendor and device id, its PCI identity
 * compared with CUDA's, its LUID outside Windows, or by using a CUDA ordinal as an index into the enumerated devices.
 *
 * ## Why is this bad
 * Two equal cards have the same name and the same device id. All MIG instances of a GPU share its PCI identity, LUIDs exist on Windows only, and
 * the orders of enumeration have nothing to do with each other. The wrong match imports memory of another GPU: an error at best, a copy
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
 * (`config`, `option`, an environment variable, ...). Vendor and device ids count in files that use CUDA. Comparisons with literals (to avoid a software renderer or a broken driver) and functions that also compare UUIDs are left alone.
 */
import {
  type Comparison,
  comparisonsIn,
  fieldsOf,
  indexOf,
  isCudaCall,
  isCudaName,
  isCudaOrdinal,
  isLiteral,
  matchesDevices,
  resolved,
  usesGraphics,
  variablePath,
} from '../../analyses/device-identity';
import type { Event, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { expressionsOf, lastName, pathKey, pathOf, samePath, stripCasts, symbolOf, walk } from '../../facts/paths';
import { typeOfPath } from '../../flow/visible';
import { fileQuery } from '../../memo/query';
import { functionsWhere } from '../../memo/table';
import { defineRule } from '../rule';

type How = 'name' | 'id' | 'pci' | 'luid' | 'index';

export const rule = defineRule<{ readonly how: How; readonly text: string }>({
  meta: {
    id: 'device/weak-identity',
    summary: 'A device is matched by name, ids, PCI identity, LUID on Linux or index instead of its UUID.',
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
      index: 'by using a CUDA ordinal as an index, and the orders of enumeration are not the same',
    };
    return `\`${text}\` chooses the device ${why[how]}: the match may be another GPU. Compare VkPhysicalDeviceIDProperties::deviceUUID with the UUID from cuDeviceGetUuid_v2.`;
  },

  detect(file, report) {
    const compares = comparingUuids(file).length > 0;
    for (const fn of file.subjects) {
      if (matchesUuid(fn)) continue;
      for (const comparison of comparisonsIn(fn)) {
        const how = weak(file, fn, comparison, compares);
        if (how) report({ at: comparison.expr, data: { how, text: shortened(file.source(comparison.expr)) } });
      }
      for (const { expr, text } of indexed(file, fn)) report({ at: expr, data: { how: 'index', text } });
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

const comparingUuids = functionsWhere((_, fn) => matchesUuid(fn));

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
    if (has(/^deviceID$/) && !opposite.includes('deviceID') && usesGraphics(fn) && knowsCuda(file) && isNoWish(file, fn, event, other, compares))
      return 'id';
    if (has(pciOfVulkan) && opposite.some((name) => pciOfCuda.test(name))) return 'pci';
    if (has(/^deviceLUID$/) && isElsewhereThanWindows(file, fn) && !opposite.includes('deviceLUID')) return 'luid';
  }
  return undefined;
}

/** A field of Vulkan's property structs, as far as types are known. */
function isOfDevice(file: FileFacts, fn: FunctionFacts, part: Expr): boolean {
  if (part.kind !== 'path') return true;
  const at = part.path.steps.findLastIndex((step) => step.startsWith('.'));
  const owner: Path = { ...part.path, steps: part.path.steps.slice(0, at) };
  const type = typeOfPath(file, fn, owner);
  return type === undefined || type === 'auto' || type === '' || /PhysicalDevice|^(Vk|vk::)/.test(type);
}

/** CUDA's own, or at least nothing that the user asked for. In a file that compares UUIDs as well it is a wish. */
function isNoWish(file: FileFacts, fn: FunctionFacts, event: Event, other: Expr, compares: boolean): boolean {
  if (compares) return false;
  const sources = [other, ...[...walk(other)].filter((part) => part.kind === 'path').map((part) => resolved(event, part))];
  const wish = sources.some((each) => chosen.test(file.source(each)));
  return isCudaName(file, fn, event, other) || !(wish || mayBeEmpty(fn, other));
}

/** `name.size() > 0 && name != device.name`: who does not ask for a name gets any device, so it filters. */
function mayBeEmpty(fn: FunctionFacts, other: Expr): boolean {
  const path = pathOf(stripCasts(other));
  return (
    path !== undefined && fn.calls.some((call) => /^(empty|size|length|has_value|isEmpty)$/.test(call.name) && samePath(pathOf(call.receiver), path))
  );
}

const callingCuda = functionsWhere((_, fn) => fn.calls.some(isCudaCall));

const knowsCuda = fileQuery(
  (file) =>
    file.directives.some((each) => each.kind === 'include' && /(^|\/)(cuda|hip|optix|nvcuvid|cu)/i.test(each.name)) ||
    [...file.imports.values()].some((origin) => /^(torch|cupy|warp|numba|pycuda|cuda)\b/.test(origin)) ||
    callingCuda(file).length > 0,
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

/** Enumerated Vulkan devices indexed by a CUDA ordinal, or CUDA given an index into them. */
function indexed(file: FileFacts, fn: FunctionFacts): { expr: Expr; text: string }[] {
  const seen = new Set<string>();
  const given = new Set(fn.calls.filter(isCudaCall).flatMap((call) => pathsOf(call.api!.arg('ordinal'))));
  return fn.events.flatMap((event) =>
    expressionsOf(event).flatMap((root) =>
      [...walk(root)].flatMap((expr) => {
        const found = elementOf(expr);
        if (!found || !isPhysicalDevices(file, fn, found.array)) return [];
        const index = variablePath(fn, found.index);
        const isOrdinal = isCudaOrdinal(fn, index) || given.has(found.index);
        const key = `${pathKey(found.array)}[${found.index}]`;
        if (!isOrdinal || seen.has(key) || isCompared(fn, found.index)) return [];
        seen.add(key);
        return [{ expr, text: file.source(expr.span) }];
      }),
    ),
  );
}

function pathsOf(expr: Expr | undefined): string[] {
  return expr?.kind === 'path' && expr.path.steps.length === 0 ? [expr.path.root] : [];
}

/** `devices[i]` and `devices.at(i)`. */
function elementOf(expr: Expr): { readonly array: Path; readonly index: string } | undefined {
  if (expr.kind === 'path') return indexOf(expr.path);
  if (expr.kind !== 'call' || expr.name !== 'at' || expr.receiver?.kind !== 'path' || expr.args.length !== 1) return undefined;
  const index = pathOf(expr.args[0]);
  return index && index.steps.length === 0 ? { array: expr.receiver.path, index: index.root } : undefined;
}

function isPhysicalDevices(file: FileFacts, fn: FunctionFacts, array: Path): boolean {
  const made = fn.events.find((event) => event.kind === 'assign' && event.declares?.name === array.root && array.steps.length === 0);
  const value = made?.kind === 'assign' && made.value ? stripCasts(made.value) : undefined;
  if (value?.kind === 'call' && value.api?.name === 'vkEnumeratePhysicalDevices') return true;
  return /^(std::vector<|std::array<|std::span<)?(const )?(VkPhysicalDevice|vk::(raii::)?PhysicalDevice)\b/.test(typeOfPath(file, fn, array) ?? '');
}

/** Compared for being equal with something else: the index is found, not assumed. */
function isCompared(fn: FunctionFacts, name: string): boolean {
  return comparisonsIn(fn).some(({ sides }) => sides.some((side) => side.kind === 'path' && side.path.root === name && side.path.steps.length === 0));
}
