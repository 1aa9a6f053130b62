/**
 * # memory/handle-enum
 *
 * ## What it does
 * Reports a semaphore (or fence) handle-type enumerator where a memory one belongs and the reverse, and Win32 handle types or structure
 * types in descriptors of file descriptors and the reverse. With the preview rules also in Python's descriptors of the CUDA bindings, and
 * the structure type of another struct (`sType`) in those that export and import.
 *
 * ## Why is this bad
 * The enumerators of both families share their numeric values, so the code compiles and often runs: until one family grows, a
 * validation layer refuses it, or a `switch` over the wrong family falls through. A Win32 type with an fd makes every import fail.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * VkExportMemoryAllocateInfo exportable() {
 *     VkExportMemoryAllocateInfo info{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
 *     info.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     return info;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * VkExportMemoryAllocateInfo exportable() {
 *     VkExportMemoryAllocateInfo info{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
 *     info.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     return info;
 * }
 * ```
 *
 * ## Fix safety
 * Safe where the other family has an enumerator of the same form, since the value stays the same, and for a structure type, which its struct
 * decides. A suggestion where a Win32 type becomes one of an fd or the reverse.
 *
 * ## What it cannot see
 * Variables of integer type, and types that come from other files. Tests that announce an error (`SetDesiredError`, `EXPECT_DEATH`) are left
 * alone: they are wrong on purpose.
 */
import { expectsErrors } from '../../analyses/negative-tests';
import type { Assign, Call, Expr, FileFacts, FunctionFacts, PathExpr } from '../../facts/index';
import { pathKey, pathOf, symbolOf, walk } from '../../facts/paths';
import { resolveCallee } from '../../flow/program';
import { typeOfPath } from '../../flow/visible';
import { bareType, fieldOrder, type HandleType, handleType } from '../../knowledge/index';
import { replace } from '../edits';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly written: string;
  readonly wants: string;
  readonly place: string;
  /** What the fix writes instead. */
  readonly instead: { readonly symbol: string; readonly sameValue: boolean } | undefined;
}

/** `instead`: the structure type of the struct, where another struct's is written. */
type Report = (written: Expr, wants: Wanted, symbol: string, instead?: string) => void;

/** What a place accepts: handle types of one object, and where a struct is of one platform, of one form. */
interface Wanted {
  readonly object: HandleType['object'];
  readonly form: 'fd' | 'win32' | undefined;
  readonly place: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'memory/handle-enum',
    summary: 'A semaphore handle type is used for memory or the reverse, or a Win32 type in a descriptor of an fd.',
    severity: 'error',
    tier: 'A',
    precision: 'certain',
    fix: 'safe',
    languages: [...cFamily, 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ written, wants, place, instead }) {
    if (instead && !instead.sameValue && place.endsWith('::sType'))
      return `\`${written}\` is the type of another structure than the one that ${place} belongs to: the driver reads its fields as those of that one. Write ${instead.symbol}.`;
    return `\`${written}\` is no handle type for ${wants}, which ${place} takes: the values of the families coincide only by chance, and Win32 types never fit an fd. Use the enumerator of ${wants}.`;
  },

  detect(file, report) {
    const found: Report = (written, wanted, symbol, type) => {
      const { object, form, place } = wanted;
      const wants = form === undefined ? object : `${object} as ${form === 'fd' ? 'file descriptor' : 'Win32 handle'}`;
      const isPython = file.language === 'python';
      const instead = isPython ? undefined : type ? { symbol: type, sameValue: false } : insteadOf(symbol, wanted);
      report({ at: written, data: { written: symbol, wants, place, instead }, isPreview: isPython || type !== undefined });
    };
    if (file.language === 'python') {
      for (const fn of file.subjects) checkBindings(fn, found);
      return;
    }
    for (const fn of file.subjects) if (!expectsErrors(fn)) checkFunction(file, fn, found);
  },

  fix({ at, data: { instead } }) {
    if (!instead) return undefined;
    return { title: `Use ${instead.symbol}`, edits: [replace(at, instead.symbol)], safety: instead.sameValue ? 'safe' : 'suggestion' };
  },
});

/** The enumerator of the wanted object and form with the same name otherwise. */
function insteadOf(symbol: string, wanted: Wanted): Data['instead'] {
  if (symbol.startsWith('VK_STRUCTURE_TYPE_')) {
    const other = wanted.form === 'fd' ? symbol.replace('_WIN32_HANDLE_', '_FD_') : symbol.replace('_FD_', '_WIN32_HANDLE_');
    return { symbol: other, sameValue: true };
  }
  const type = handleType(symbol);
  const named = wanted.object[0]!.toUpperCase() + wanted.object.slice(1);
  const plain = symbol.replace(/Memory|Semaphore|Fence/, named).replace(/_(MEMORY|SEMAPHORE|FENCE)_/, `_${named.toUpperCase()}_`);
  const swapped = wanted.form === 'win32' ? plain.replace('OPAQUE_FD', 'OPAQUE_WIN32') : plain.replace(/OPAQUE_WIN32(_KMT)?/, 'OPAQUE_FD');
  const chosen = [plain, swapped].find((each) => {
    const candidate = handleType(each);
    return candidate && fits(candidate, wanted);
  });
  return chosen === undefined ? undefined : { symbol: chosen, sameValue: handleType(chosen)!.form === type?.form };
}

function checkFunction(file: FileFacts, fn: FunctionFacts, found: Report): void {
  for (const event of fn.events) {
    if (event.kind === 'assign') checkAssign(file, event, found);
    if (event.kind === 'return' && event.value?.kind === 'init') checkInit(event.value, event.value.type ?? bareType(fn.returnType), found);
    else if (event.kind === 'return' && event.value) checkValue(event.value, ofType(bareType(fn.returnType), `${fn.name} returns`), found);
    if (event.kind === 'test') checkComparisons(file, fn, event.expr, found);
    if (event.kind === 'call') checkCall(file, event, found);
  }
}

/** Python: `desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC()`, and then `desc.type = ...`. */
function checkBindings(fn: FunctionFacts, found: Report): void {
  const structs = new Map<string, string>();
  for (const event of fn.events) {
    const target = event.kind === 'assign' ? pathOf(event.target) : undefined;
    if (event.kind !== 'assign' || !target || !event.value) continue;
    if (event.value.kind === 'call') structs.set(pathKey(target), event.value.name);
    const owner = target.steps.at(-1) === '.type' ? structs.get(pathKey({ ...target, steps: target.steps.slice(0, -1) })) : undefined;
    const wanted = owner && ofStruct(owner, 'type');
    const symbol = symbolOf(event.value);
    const type = symbol && handleType(symbol);
    if (wanted && type && !fits(type, wanted)) found(event.value, wanted, symbol);
  }
}

/** `info.setHandleType(x)` of vulkan.hpp. */
function checkSetter(file: FileFacts, call: Call, found: Report): void {
  const field = /^set(HandleTypes?)$/.exec(call.name)?.[1];
  const owner = field && call.receiver ? structOf(file, call, call.receiver) : undefined;
  if (owner && call.args[0]) checkField(owner, `h${field!.slice(1)}`, call.args[0], found);
}

/** The struct that a chain of setters begins with. */
function structOf(file: FileFacts, call: Call, receiver: Expr): string | undefined {
  if (receiver.kind === 'init') return receiver.type;
  if (receiver.kind === 'path') return typeOfPath(file, call.fn, receiver.path);
  if (receiver.kind !== 'call') return undefined;
  return receiver.receiver ? structOf(file, call, receiver.receiver) : receiver.name.startsWith('set') ? undefined : receiver.callee;
}

/** Arguments of functions whose parameter types are known, and brace lists in place of a descriptor. */
function checkCall(file: FileFacts, call: Call, found: Report): void {
  checkSetter(file, call, found);
  for (const [i, param] of (resolveCallee(file, call)?.params ?? []).entries()) {
    const arg = call.args[i];
    if (arg) checkValue(arg, ofType(bareType(param.type), `parameter ${param.name}`), found);
  }
  for (const param of call.api?.api.params ?? []) {
    const arg = call.api?.arg(param.name);
    if (arg?.kind === 'init' && param.descriptor) checkInit(arg, param.descriptor, found);
  }
}

function checkAssign(file: FileFacts, event: Assign, found: Report): void {
  const { target, value, fn } = event;
  if (target.kind !== 'path' || !value) return;
  const { steps } = target.path;
  const type = event.declares ? bareType(event.declares.type) : typeOfPath(file, fn, target.path);
  if (value.kind === 'init') checkInit(value, value.type ?? type, found);
  else checkValue(value, ofType(type, `\`${file.source(target)}\``), found);
  checkComparisons(file, fn, value, found);
  const field = steps.at(-1);
  if (field?.startsWith('.')) checkField(typeOfPath(file, fn, { ...target.path, steps: steps.slice(0, -1) }), field.slice(1), value, found);
}

function checkInit(init: Expr & { kind: 'init' }, type: string | undefined, found: Report): void {
  const order = type && fieldOrder(type);
  for (const [i, entry] of init.entries.entries()) {
    const field = entry.field ?? (order || undefined)?.[i];
    if (field) checkField(type, field, entry.value, found);
  }
}

const handleFields = /^(handleTypes?|type|compatibleHandleTypes|exportFromImportedHandleTypes)$/;

function checkField(owner: string | undefined, field: string, value: Expr, found: Report): void {
  const wanted = owner && ofStruct(bareType(owner), field);
  if (!wanted) return;
  if (handleFields.test(field)) checkValue(value, wanted, found);
  if (field === 'sType' && value.kind === 'path') checkStructureType(value, bareType(owner!), wanted, found);
}

/** A structure type of the other platform, `..._WIN32_...` in a struct of an fd, or of another struct. */
function checkStructureType(value: PathExpr, struct: string, wanted: Wanted, found: Report): void {
  const symbol = value.path.root;
  const isWin32 = /^VK_STRUCTURE_TYPE_\w*_WIN32_/.test(symbol);
  const isFd = /^VK_STRUCTURE_TYPE_\w*_FD_/.test(symbol);
  if ((isWin32 && wanted.form === 'fd') || (isFd && wanted.form === 'win32')) found(value, wanted, symbol);
  else if (struct.startsWith('Vk') && symbol.startsWith('VK_STRUCTURE_TYPE_') && lettersOf(symbol.slice(18)) !== lettersOf(struct.slice(2)))
    found(value, wanted, symbol, typeOfStruct(struct));
}

/** Names of one struct differ in their case, and in the tag of who had it first. */
function lettersOf(name: string): string {
  return name
    .replace(/_?(KHR|EXT|NV|AMD|ARM|QCOM)$/, '')
    .replace(/_/g, '')
    .toUpperCase();
}

/** `VkMemoryGetFdInfoKHR`: VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR. */
function typeOfStruct(struct: string): string {
  return `VK_STRUCTURE_TYPE${struct
    .slice(2)
    .replace(/[A-Z]+(?![a-z])|[A-Z]/g, (part) => `_${part}`)
    .toUpperCase()}`;
}

/** Enumerators that make up a value: alternatives of `|`, `?:` and casts, nothing inside calls. */
function checkValue(value: Expr, wanted: Wanted | undefined, found: Report): void {
  if (!wanted) return;
  if (value.kind === 'cast' || value.kind === 'unary') checkValue(value.operand, wanted, found);
  else if (value.kind === 'conditional') for (const part of [value.yes, value.no]) checkValue(part, wanted, found);
  else if (value.kind === 'binary' && /^[|&]$/.test(value.op)) for (const part of [value.left, value.right]) checkValue(part, wanted, found);
  else if (value.kind === 'path' && value.path.steps.length === 0) {
    const type = handleType(value.path.root);
    if (type && !fits(type, wanted)) found(value, wanted, value.path.root);
  }
}

function fits(type: HandleType, { object, form }: Wanted): boolean {
  if (type.object !== object && type.api !== 'gl') return false;
  if (form === 'fd') return type.form === 'fd' || type.form === 'sync-fd' || type.form === 'dma-buf' || type.form === 'other';
  return form !== 'win32' || !(type.form === 'fd' || type.form === 'sync-fd' || type.form === 'dma-buf');
}

/** `bits & X`, `type == X` where the other side has a declared type. */
function checkComparisons(file: FileFacts, fn: FunctionFacts, expr: Expr, found: Report): void {
  for (const inner of walk(expr)) {
    if (inner.kind !== 'binary' || !/^(&|==|!=)$/.test(inner.op)) continue;
    for (const [side, other] of [
      [inner.left, inner.right],
      [inner.right, inner.left],
    ] as const) {
      if (side.kind !== 'path') continue;
      const field = side.path.steps.at(-1)?.slice(1);
      const owner = field && typeOfPath(file, fn, { ...side.path, steps: side.path.steps.slice(0, -1) });
      const declared = ofType(typeOfPath(file, fn, side.path), `\`${file.source(side)}\``);
      checkValue(other, declared ?? (owner && field && handleFields.test(field) ? ofStruct(owner, field) : undefined), found);
    }
  }
}

/** A handle-type enumeration: `VkExternalMemoryHandleTypeFlags`, `cudaExternalSemaphoreHandleType`, ... */
function ofType(type: string | undefined, place: string): Wanted | undefined {
  const object = type && /^(?:Vk|vk::|cuda|CU|hip)[eE]xternal(Memory|Semaphore|Fence)HandleType(?:Flags|FlagBits)?(?:KHR|_enum)?$/.exec(type)?.[1];
  return object ? { object: object.toLowerCase() as Wanted['object'], form: undefined, place } : undefined;
}

function ofStruct(type: string, field: string): Wanted | undefined {
  const object =
    /^(?:Vk|vk::)(?:Export|Import|External)?(Memory|Semaphore|Fence)(?:AllocateInfo|CreateInfo|Get\w+Info|ImageCreateInfo|BufferCreateInfo|Fd\w*|Win32\w*)(?:KHR|EXT|NV)?$/.exec(
      type,
    )?.[1] ??
    /^(?:Vk|vk::)PhysicalDeviceExternal(Semaphore|Fence)Info/.exec(type)?.[1] ??
    /^(?:cuda|hip)External(Memory|Semaphore)HandleDesc$/.exec(type)?.[1] ??
    /^CUDA_EXTERNAL_(MEMORY|SEMAPHORE)_HANDLE_DESC$/.exec(type)?.[1] ??
    (/^(?:Vk|vk::)PhysicalDeviceExternal(Buffer|ImageFormat)Info/.test(type) ? 'memory' : undefined);
  if (!object) return undefined;
  const form = /(?:Get|Memory|Semaphore|Fence)Fd(?:Info)/.test(type) ? 'fd' : /Win32/.test(type) ? 'win32' : undefined;
  return { object: object.toLowerCase() as Wanted['object'], form, place: `${type}::${field}` };
}
