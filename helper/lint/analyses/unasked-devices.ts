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

/** By the name of an integer. */
export function isOrdinalVariable({ name, type }: Variable): boolean {
  return (
    ordinalNames.test(name.replace(/^m_/, '')) && (type === '' || /^(const )?(u?int\w*|unsigned|long|size_t|short|CUdevice)( int)?&?$/.test(type))
  );
}

/** Vulkan's properties that identify a device, or the bytes of its UUID. */
function isIdentity({ name, type }: Variable): boolean {
  if (/\b(Vk|vk::)PhysicalDevice(ID|Vulkan11)Properties/.test(type)) return true;
  return uuidNames.test(name) && bytes.test(bareType(type));
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
  const own = only ? undefined : fn.params.find(test);
  const field = fn.className ? file.classNamed(fn.className)?.fields.find((each) => !each.isStatic && test(each)) : undefined;
  const given = fn.params.flatMap((param) => file.classNamed(bareType(param.type))?.fields.find(test) ?? []);
  return (own ?? field ?? given[0])?.name;
}

const matching = functionsWhere((_, fn) => matchesDevices(fn) || fn.calls.some((call) => isCudaCall(call) && asksIdentity(call)));

function asksIdentity({ api }: Call): boolean {
  return /^(cuDeviceGetUuid(_v2)?|cuDeviceGetLuid|cudaGetDeviceProperties|cudaGetDeviceCount|cuDeviceGetCount|c\w*PCIBusId)$/.test(api!.name);
}

const looksForDevices = fileQuery((file) => matching(file).length > 0);

function isReadAnywhere(file: FileFacts, name: string): boolean {
  return file.functions.some((fn) =>
    fn.events.some((event) => reads(event.kind === 'assign' ? (event.value ? [event.value] : []) : expressionsOf(event), name)),
  );
}

function reads(exprs: readonly Expr[], name: string): boolean {
  return exprs.some((expr) => [...walk(expr)].some((part) => part.kind === 'path' && part.path.steps.some((step) => step === `.${name}`)));
}
