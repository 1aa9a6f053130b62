// Devices that a function or its class was told of and that nobody asks about: an identity that is compared with nothing, an ordinal that
// nobody reads.
import type { Call, Expr, FileFacts, FunctionFacts, Variable } from '../facts/index';
import { expressionsOf, walk } from '../facts/paths';
import { bareType } from '../knowledge/index';
import { fileQuery } from '../memo/query';
import { functionsWhere } from '../memo/table';
import { isCudaCall, matchesDevices } from './device-identity';

const ordinalNames = /^(cuda_?)?(device_?)?(ordinal|device_?(id|index|idx|num(ber)?)|gpu_?(id|index|idx)?|cuda_?(device|dev))_?$/i;
const uuidNames = /^(m_)?((device|gpu|vk|vulkan|adapter|physical_?device|exporter|producer|renderer)_?)+uuid_?$|^(m_)?uuid_?$/i;
const bytes = /^(std::array<)?(u?int8_t|unsignedchar|char|std::byte|stdbyte)/;
const pythonBytes = /^$|^(Optional\[)?(bytes|bytearray|memoryview|(uuid\.)?UUID)\b/;

/** By the name of an integer. */
export function isOrdinalVariable({ name, type }: Variable): boolean {
  return (
    ordinalNames.test(name.replace(/^m_/, '')) && (type === '' || /^(const )?(u?int\w*|unsigned|long|size_t|short|CUdevice)( int)?&?$/.test(type))
  );
}

function isVulkanIdentity(type: string): boolean {
  return /\b(Vk|vk::)PhysicalDevice(ID|Vulkan11)Properties/.test(type);
}

/** Vulkan's properties that identify a device, or the bytes of its UUID; Python need not say what they are. */
function isIdentity({ name, type }: Variable): boolean {
  if (isVulkanIdentity(type)) return true;
  if (!uuidNames.test(name)) return false;
  return bytes.test(bareType(type)) || (pythonBytes.test(type) && !/^(m_)?uuid_?$/i.test(name));
}

/** What identifies the device for a function that takes the first one: a parameter, a field of its class or of a struct that it is given. */
export function unaskedIdentity(file: FileFacts, fn: FunctionFacts): string | undefined {
  const known = namedAround(file, fn, isIdentity);
  return known && !looksForDevices(file) ? known : undefined;
}

/** The same of an ordinal. Its name occurs where it is declared and set, and nobody reads it. */
export function unreadOrdinal(file: FileFacts, fn: FunctionFacts): string | undefined {
  const known = namedAround(file, fn, isOrdinalVariable, 'fields');
  return known && !isReadAnywhere(file, known) ? known : undefined;
}

function namedAround(file: FileFacts, fn: FunctionFacts, test: (variable: Variable) => boolean, only?: 'fields'): string | undefined {
  const own = only ? undefined : (fn.params.find(test) ?? fn.locals.find((each) => isVulkanIdentity(each.type) && test(each)));
  const fields = (fn.className ? (file.classNamed(fn.className)?.fields ?? []) : []).filter((each) => !each.isStatic);
  const inside = (variables: readonly Variable[]) => variables.flatMap(({ type }) => file.classNamed(bareType(type))?.fields.find(test) ?? []);
  return (own ?? fields.find(test) ?? inside(fn.params)[0] ?? (only ? undefined : inside(fields)[0]))?.name;
}

const matching = functionsWhere(
  (_, fn) => matchesDevices(fn) || fn.calls.some((call) => (isCudaCall(call) || isPythons(call)) && asksIdentity(call)),
);

function isPythons({ api, receiver }: Call): boolean {
  return api === undefined && receiver !== undefined;
}

function asksIdentity({ name, api }: Call): boolean {
  return /^((cu|hip)DeviceGetUuid(_v2)?|cuDeviceGetLuid|(cuda|hip)GetDeviceProperties|(cuda|hip)GetDeviceCount|(cu|hip)DeviceGetCount|[ch]\w*PCIBusId|getDeviceProperties|getDeviceCount|device_count|get_device_properties|get_cuda_devices)$/.test(
    api?.name ?? name,
  );
}

const looksForDevices = fileQuery((file) => matching(file).some((fn) => !isUnused(file, fn)));

/** Nobody outside the file can call it, and nobody in the file mentions it: the search is there and is not made. */
function isUnused(file: FileFacts, fn: FunctionFacts): boolean {
  const isOwn =
    file.language === 'python'
      ? /^_[a-z]/.test(fn.name) && (fn.kind === 'function' || fn.kind === 'method')
      : fn.kind === 'function' && fn.attributes.some((each) => /^(static|unnamed namespace)$/.test(each));
  return isOwn && file.tokens.filter(({ text }) => text === fn.name).length === 1;
}

function isReadAnywhere(file: FileFacts, name: string): boolean {
  return file.functions.some((fn) =>
    fn.events.some((event) => reads(event.kind === 'assign' ? (event.value ? [event.value] : []) : expressionsOf(event), name)),
  );
}

function reads(exprs: readonly Expr[], name: string): boolean {
  return exprs.some((expr) => [...walk(expr)].some((part) => part.kind === 'path' && part.path.steps.some((step) => step === `.${name}`)));
}
