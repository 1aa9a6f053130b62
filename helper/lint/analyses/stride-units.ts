// Distances between rows in bytes where elements are counted, and the reverse.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, lastName, pathOf, stripCasts, symbolOf, walk } from '../facts/paths';
import { assignmentsTo } from '../flow/calls';
import { valueAt } from '../flow/definitions';
import { callsMeaning } from '../flow/program';
import { typeOfPath } from '../flow/visible';
import { fileQuery } from '../memo/query';

export interface WrongUnit {
  readonly at: Event | Expr;
  readonly written: string;
  /** What takes it. */
  readonly sink: string;
  /** What the sink counts. */
  readonly wanted: 'elements' | 'texels' | 'bytes';
}

export function wrongUnits(file: FileFacts, fn: FunctionFacts): WrongUnit[] {
  if (file.language === 'python') return interfaceStrides(file, fn);
  return [...tensorStrides(file, fn), ...rowLengths(file, fn), ...copyPitches(file, fn)];
}

const bytes = /(^|_)pitch(_|$)|[a-z]Pitch$|^pitch|bytes_?per_?(row|line)|row_?bytes|stride_?(in_?)?bytes|^linesize$/i;
const scaled = /elem|pixel|texel|float|words?$/i;

/** A pitch as the API gave it: bytes, undivided. */
function isInBytes(file: FileFacts, at: Event, expr: Expr, depth = 3): boolean {
  const bare = stripCasts(expr);
  if (bare.kind === 'call') {
    const isGetter = /^(gbm_bo_get_stride(_for_plane)?|CVPixelBufferGetBytesPerRow(OfPlane)?|bytesPerLine|bytesPerRow)$/.test(bare.name);
    const isCast = /^(int64_t|int|uint32_t|size_t|long)$/.test(bare.name) && bare.args.length === 1;
    return isGetter || (isCast && isInBytes(file, at, bare.args[0]!, depth));
  }
  if (bare.kind !== 'path') return false;
  const name = lastName(bare.path);
  if (!bytes.test(name) || scaled.test(name)) {
    const value = depth > 0 && bare.path.kind === 'local' ? valueAt(at, bare) : undefined;
    return value !== undefined && value !== 'zero' && value !== bare && isInBytes(file, at, value, depth - 1);
  }
  return !isGivenCounts(file, at.fn, bare.path) && definitions(file, bare.path, at).every((value) => ![...walk(value)].some(mayDivide));
}

/** A parameter that every caller of the file gives numbers: its name alone does not tell what they count. */
function isGivenCounts(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  const place = path.kind === 'param' && path.steps.length === 0 ? fn.params.findIndex(({ name }) => name === path.root) : -1;
  const calls = place < 0 ? [] : callsMeaning(file, fn);
  const isNumber = (expr: Expr | undefined) => expr !== undefined && [...walk(expr)].every((part) => /^(number|binary)$/.test(stripCasts(part).kind));
  return calls.length > 0 && calls.every((call) => isNumber(call.args[place]));
}

/** It is divided here, or by a function that nobody knows. */
function mayDivide(part: Expr): boolean {
  if (part.kind === 'binary') return /^(\/|>>)$/.test(part.op);
  return (
    part.kind === 'call' &&
    !part.api &&
    !/^(sizeof|static_cast|max|min|align\w*|round_?up\w*|gbm_bo_get_stride|CVPixelBufferGetBytesPerRow)/i.test(part.name)
  );
}

/** What the file puts under this name. */
function definitions(file: FileFacts, path: Path, at: Event): Expr[] {
  return assignmentsTo(file, path.root + path.steps.join(''))
    .filter((each) => path.kind !== 'local' || each.fn === at.fn)
    .map(({ value }) => value);
}

const namesTensors = fileQuery((file) => file.hasToken('word', /^DL(Managed)?Tensor(Versioned)?$/));

/** `strides[0] = pitch` of a tensor, of the array beside it, or in a list of strides. */
function tensorStrides(file: FileFacts, fn: FunctionFacts): WrongUnit[] {
  if (!namesTensors(file) || !fn.events.some((event) => event.kind === 'assign')) return [];
  const found = fn.events.flatMap((event): WrongUnit[] => {
    if (event.kind !== 'assign' || event.op !== '=' || !event.value) return [];
    const target = pathOf(event.target);
    if (!target || lastName(target) !== 'strides' || !ofTensor(file, fn, target)) return [];
    const value = stripCasts(event.value);
    const isElement = /^\[/.test(target.steps.at(-1) ?? '');
    const given = isElement ? [value] : value.kind === 'init' ? value.entries.map((entry) => entry.value) : [];
    const wrong = given.find((each) => isInBytes(file, event, each));
    return wrong ? [{ at: event, written: file.source(wrong), sink: "DLPack's strides", wanted: 'elements' }] : [];
  });
  return found.length > 0 && !hasByteElements(fn) ? found : [];
}

const tensor = /\bDL(Managed)?Tensor(Versioned)?\b/;

function ofTensor(file: FileFacts, fn: FunctionFacts, target: Path): boolean {
  if ([fn.returnType, ...fn.params.map(({ type }) => type), ...fn.locals.map(({ type }) => type)].some((type) => tensor.test(type))) return true;
  const field = target.steps.lastIndexOf('.strides');
  const owner = field < 0 ? undefined : typeOfPath(file, fn, { ...target, steps: target.steps.slice(0, field) });
  return owner !== undefined && (tensor.test(owner) || (file.classNamed(owner)?.fields.some(({ type }) => tensor.test(type)) ?? false));
}

/** Elements of one byte: both units are the same. */
function hasByteElements(fn: FunctionFacts): boolean {
  const isEight = (expr: Expr | undefined) => expr?.kind === 'number' && expr.value === 8;
  return fn.events.some((event) => {
    if (event.kind === 'assign' && pathOf(event.target)?.steps.at(-1) === '.bits') return isEight(event.value);
    return expressionsOf(event).some((root) =>
      [...walk(root)].some(
        (part) =>
          (part.kind === 'init' && part.entries.length === 3 && isEight(part.entries[1]?.value)) ||
          (part.kind === 'call' && /DLDataType/.test(part.callee) && isEight(part.args[1])),
      ),
    );
  });
}

/** `bufferRowLength = layout.rowPitch`, `glPixelStorei(GL_UNPACK_ROW_LENGTH, pitch)`. */
function rowLengths(file: FileFacts, fn: FunctionFacts): WrongUnit[] {
  return fn.events.flatMap((event): WrongUnit[] => {
    if (event.kind === 'assign' && event.value && pathOf(event.target)?.steps.at(-1) === '.bufferRowLength')
      return isInBytes(file, event, event.value) ? [texels(file, event, event.value, 'bufferRowLength')] : [];
    if (event.kind !== 'call') return [];
    const [name, value] = event.args;
    if (event.name === 'glPixelStorei' && /ROW_LENGTH$/.test(symbolOf(name) ?? '') && value && isInBytes(file, event, value))
      return [texels(file, event, value, symbolOf(name)!)];
    return [];
  });
}

function texels(file: FileFacts, at: Assign | Call, value: Expr, sink: string): WrongUnit {
  return { at, written: file.source(value), sink, wanted: 'texels' };
}

const pitches: Readonly<Record<string, readonly number[]>> = {
  Memcpy2D: [1, 3],
  Memcpy2DAsync: [1, 3],
  Memcpy2DToArray: [4],
  Memcpy2DToArrayAsync: [4],
  Memcpy2DFromArray: [1],
};

/** `cudaMemcpy2D(dst, t->strides[0], ...)`: strides of DLPack count elements. */
function copyPitches(file: FileFacts, fn: FunctionFacts): WrongUnit[] {
  if (!namesTensors(file)) return [];
  return fn.calls.flatMap((call): WrongUnit[] => {
    const at = /^(?:cuda|hip)(Memcpy2D\w*)$/.exec(call.name)?.[1];
    const places = at !== undefined && Object.hasOwn(pitches, at) ? pitches[at]! : [];
    return places.flatMap((place): WrongUnit[] => {
      const written = call.args[place] && stripCasts(call.args[place]!);
      const value = written && valueAt(call, written);
      const path = value && value !== 'zero' ? pathOf(stripCasts(value)) : undefined;
      const isStride = path !== undefined && lastName(path) === 'strides' && path.steps.includes('.strides') && /^\[/.test(path.steps.at(-1) ?? '');
      if (!isStride || !ofTensor(file, fn, path!) || hasByteElements(fn)) return [];
      return [{ at: call, written: file.source(written!), sink: `the pitch of ${call.name}`, wanted: 'bytes' }];
    });
  });
}

/** Python: `"strides": tensor.stride()` of a `__cuda_array_interface__`. */
function interfaceStrides(file: FileFacts, fn: FunctionFacts): WrongUnit[] {
  const seen = new Set<Expr>();
  return fn.events.flatMap((event) =>
    expressionsOf(event).flatMap((root) =>
      [...walk(root)].flatMap((part): WrongUnit[] => {
        if (part.kind !== 'init' || seen.has(part)) return [];
        seen.add(part);
        const named = (name: string) => part.entries.find((entry) => entry.field?.replace(/["']/g, '') === name)?.value;
        const strides = named('strides');
        if (!strides || !named('typestr') || !named('data') || /1["']$/.test(file.source(named('typestr')!))) return [];
        const bare = strides.kind === 'call' && /^(tuple|list)$/.test(strides.name) ? strides.args[0] : strides;
        const isElements = bare?.kind === 'call' && bare.name === 'stride' && bare.args.length === 0;
        return isElements ? [{ at: strides, written: file.source(strides), sink: 'strides of __cuda_array_interface__', wanted: 'bytes' }] : [];
      }),
    ),
  );
}
