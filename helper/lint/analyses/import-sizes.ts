// The size that an import of external memory is told, and whether it is counted in pixels.
import type { Call, Event, Expr, FileFacts, Path, Return } from '../facts/index';
import { declarationOf, lastName, pathKey, pathOf, stripCasts } from '../facts/paths';
import { assignmentsTo } from '../flow/calls';
import { fieldAt, valueAt } from '../flow/definitions';
import { resolveCallee } from '../flow/program';
import { chainOf } from '../flow/visible';
import { bareType, fieldOrder, handleType } from '../knowledge/index';
import { functionTable } from '../memo/table';

/** The size argument or field of an import whose handle type asks for the exact size of the allocation. */
export function importedSize(file: FileFacts, call: Call): Expr | undefined {
  const { api } = call;
  // Direct3D 11 tells nobody the size of an allocation, so that a guess is all there is.
  if (!api || direct3dOf(file, call) === 11) return undefined;
  if (/^glImportMemory(Fd|Win32Handle)$/.test(api.name)) return api.arg('size');
  if (/^(cu|cuda|hip)ImportExternalMemory$/.test(api.name)) return sole(call, 'type', isDmaBuf) ? undefined : sole(call, 'size', () => true, 'desc');
  return api.name === 'vkAllocateMemory' && importsOpaque(file, call) ? sole(call, 'allocationSize', () => true, 'info') : undefined;
}

/** The Direct3D whose handle is imported: 11 or 12. */
export function direct3dOf(file: FileFacts, call: Call): number | undefined {
  const written = call.api?.arg('handleType') ?? sole(call, 'type', () => true);
  const named = /D3D(11|12)/i.exec(written ? file.source(written) : '');
  return named ? Number(named[1]) : undefined;
}

function sole(call: Call, field: string, accept: (value: Expr) => boolean, argument = 'desc'): Expr | undefined {
  const { values } = fieldAt(call, call.api!.arg(argument), field);
  const only = values.length === 1 ? values[0]!.value : undefined;
  return only !== undefined && only !== 'zero' && accept(only) ? only : undefined;
}

function isDmaBuf(value: Expr): boolean {
  const bare = stripCasts(value);
  return bare.kind === 'path' && handleType(bare.path.root + bare.path.steps.join(''))?.form === 'dma-buf';
}

/** The allocation imports a handle that is no dma-buf. */
function importsOpaque(file: FileFacts, call: Call): boolean {
  const imported = chainOf(file, call, 'info').structs.find(({ type }) => /^VkImportMemory(Fd|Win32Handle)Info/.test(type ?? ''));
  if (!imported) return false;
  const { values } = fieldAt(call, { kind: 'path', path: imported.path, span: call.span }, 'handleType');
  return values.length > 0 && values.every(({ value }) => value !== 'zero' && !isDmaBuf(value) && stripCasts(value).kind === 'path');
}

/** The product of width and height that a size stands for, unless the file allocates or creates with the same size. */
export function pixelProduct(file: FileFacts, at: Event, size: Expr): Expr | undefined {
  const value = valueAt(at, stripCasts(size));
  if (!value || value === 'zero') return undefined;
  const product = countsPixels(value) ? value : (fromField(file, at, stripCasts(value)) ?? fromHelper(file, stripCasts(value)));
  if (!product) return undefined;
  const spellings = [size, value, product].map((each) => file.source(each));
  return isAllocatedSize(file, size, spellings) ? undefined : product;
}

/** The file allocates or creates with the same size. */
export function isSizeElsewhere(file: FileFacts, at: Event, size: Expr): boolean {
  const value = valueAt(at, stripCasts(size));
  const spellings = [size, ...(value && value !== 'zero' ? [value] : [])].map((each) => file.source(each));
  return isAllocatedSize(file, size, spellings);
}

/** A function of the file that returns nothing but a product. */
function fromHelper(file: FileFacts, value: Expr): Expr | undefined {
  const callee = value.kind === 'call' && !value.api ? resolveCallee(file, value) : undefined;
  const returns = callee?.events.filter((event): event is Return => event.kind === 'return') ?? [];
  const [only] = returns;
  const returned = returns.length === 1 && only?.value ? valueAt(only, stripCasts(only.value)) : undefined;
  return returned && returned !== 'zero' && countsPixels(returned) ? returned : undefined;
}

/** A field that the file sets once, to a product. */
function fromField(file: FileFacts, at: Event, value: Expr): Expr | undefined {
  if (value.kind !== 'path' || value.path.kind !== 'this') return undefined;
  const set = assignmentsTo(file, pathKey(value.path))
    .filter(({ fn }) => fn.className === at.fn.className)
    .map((event) => event.value)
    .filter((expr) => expr.kind !== 'number');
  return set.length === 1 && countsPixels(set[0]!) ? set[0] : undefined;
}

const widths = /^(w|width|cols|columns|res_?x|image_?w|img_?w|imagewidth|pixelswide)$|width$/i;
const heights = /^(h|height|rows|res_?y|image_?h|img_?h)$|height$/i;

/** A product with a width and a height among its factors; anything but factors may be padding. */
function countsPixels(expr: Expr): boolean {
  const factors = factorsOf(expr);
  if (!factors || factors.length < 2) return false;
  const names = factors.flatMap((factor) => nameOf(factor) ?? []);
  return names.some((name) => widths.test(name)) && names.some((name) => heights.test(name));
}

function factorsOf(expr: Expr): Expr[] | undefined {
  const bare = stripCasts(expr);
  // `math.prod((height, width, 4))`
  const list = bare.kind === 'call' && bare.name === 'prod' && bare.args.length === 1 ? bare.args[0]! : undefined;
  if (list?.kind === 'init') return list.entries.flatMap(({ value }) => factorsOf(value) ?? []);
  // `GLuint64(x)` is a cast that looks like a call.
  if (bare.kind === 'call' && !bare.api && bare.args.length === 1 && !bare.receiver && castNames.test(bare.name)) return factorsOf(bare.args[0]!);
  if (bare.kind !== 'binary') return [bare];
  if (bare.op !== '*') return undefined;
  const [left, right] = [factorsOf(bare.left), factorsOf(bare.right)];
  return left && right && [...left, ...right];
}

const castNames = /(^|_)(u?int(\d+)?(_t)?|size_t|unsigned|long|VkDeviceSize|GL\w*int\w*)$|^GLsize/i;

function nameOf(expr: Expr): string | undefined {
  if (expr.kind === 'path') return lastName(expr.path).replace(/^(m_|_)|_$/g, '');
  if (expr.kind === 'call' && expr.args.length === 0) return expr.name.replace(/^get_?/i, '');
  return expr.kind === 'member' ? expr.name : undefined;
}

/** The file allocates memory or creates a buffer with this very size, elsewhere than in the import itself. */
function isAllocatedSize(file: FileFacts, own: Expr, sizes: readonly string[]): boolean {
  return sizes.some((size) => sizesBySource.of(file, size).some((expr) => expr.span.start !== own.span.start));
}

const sizesBySource = functionTable<string, Expr>((file, fn) => fn.events.flatMap(createdSizes).map((expr) => [file.source(expr), expr]));

function createdSizes(event: Event): readonly Expr[] {
  // Python: `VkBufferCreateInfo(size=...)`.
  if (event.kind === 'call' && /(BufferCreate|MemoryAllocate)Info$/.test(event.name) && event.keywords.size > 0)
    return [event.keywords.get('size') ?? event.keywords.get('allocationSize') ?? []].flat();
  if (event.kind === 'call')
    return event.api?.does('alloc') && event.api.name !== 'vkAllocateMemory'
      ? event.args
      : /mem_?create|create_?buffer|alloc/i.test(event.name)
        ? event.args
        : [];
  if (event.kind !== 'assign' || !event.value) return [];
  const target = pathOf(event.target);
  if (event.value.kind === 'init') return fromInit(event.value, event.declares?.type);
  const type = target && rootType(event, target);
  return target && sizeFields.test(`${type}.${lastName(target)}`) ? [event.value] : [];
}

const sizeFields = /allocationSize$|^(Vk|vk::)BufferCreateInfo\.size$|(?<!ExternalMemory)BufferDesc\.(size|byteSize)$|^CUmem\w+\.size$/;

function rootType(event: Event, path: Path): string {
  return bareType(declarationOf(event.fn, path)?.type ?? '');
}

function fromInit(init: Expr & { kind: 'init' }, declared: string | undefined): Expr[] {
  const type = bareType(init.type ?? declared ?? '');
  const order = fieldOrder(type);
  return init.entries.flatMap((entry, i) => (sizeFields.test(`${type}.${entry.field ?? order?.[i]}`) ? [entry.value] : []));
}
