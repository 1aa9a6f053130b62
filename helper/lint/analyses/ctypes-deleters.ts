// Python: deleters of DLPack structs that ctypes calls, and what they free.
import type { Call, Expr, FileFacts, FunctionFacts } from '../facts/index';
import { expressionsOf, pathOf, stripCasts, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { fromFunctions } from '../memo/table';

export interface FreedByDeleter {
  readonly free: Call;
  /** Where the pixels come from. */
  readonly data: Expr;
}

const freeing = /(^|\.)(cudaFree(Async|Host)?|cuMemFree(Async|Host)?(_v2)?|hipFree(Async)?|mem_free|free|munmap|vkFreeMemory)$/;

/** The file makes the struct over memory of a parameter, and allocates none that it could own. */
export function freedByDeleters(file: FileFacts): FreedByDeleter[] {
  if (file.language !== 'python') return [];
  return file.subjects.flatMap((fn) => {
    const free = isDeleter(file, fn) ? fn.calls.find((call) => freeing.test(call.callee) && call.args.some((arg) => isPixels(call, arg))) : undefined;
    const [data] = free ? lent(file) : [];
    return free && data && allocations(file).length === 0 && !isGuarded(free) ? [{ free, data }] : [];
  });
}

const prototypes = fromFunctions((file, fn) =>
  fn.events.flatMap((event): string[] => {
    if (event.kind !== 'assign' || event.value?.kind !== 'call' || !/(^|\.)(CFUNCTYPE|PYFUNCTYPE)$/.test(event.value.callee)) return [];
    return [file.source(event.target)];
  }),
);

const wrapped = fromFunctions((file, fn) =>
  fn.calls.flatMap((call) => (prototypes(file).includes(call.callee) ? call.args.map((arg) => file.source(arg)) : [])),
);

/** `@DELETER`, `@ctypes.CFUNCTYPE(None, ...)`, `DELETER(release)`, of one argument. */
function isDeleter(file: FileFacts, fn: FunctionFacts): boolean {
  const isDecorated = fn.attributes.some((word) => prototypes(file).includes(word.replace(/^@/, '')) || /FUNCTYPE\(/.test(word));
  return fn.params.length === 1 && (isDecorated || wrapped(file).includes(fn.name));
}

/** `managed.dl_tensor.data`, also by way of a local. */
function isPixels(at: Call, arg: Expr): boolean {
  const value = valueAt(at, stripCasts(arg));
  if (value === undefined || value === 'zero') return false;
  return [...walk(value)].some((part) => namesData(stepsOf(part)));
}

function stepsOf(part: Expr): string {
  if (part.kind === 'path') return part.path.steps.join('');
  if (part.kind === 'member') return `${stepsOf(part.object)}.${part.name}`;
  return '';
}

function namesData(steps: string): boolean {
  return /\.(dl_tensor|tensor)\.data(\.value)?$/.test(steps);
}

/** What makers of the struct give as its pixels, where it is a part of a parameter or of the object itself. */
const lent = fromFunctions((_, fn): readonly Expr[] =>
  fn.events.flatMap((event): Expr[] => {
    const given =
      event.kind === 'call' && /(^|\.)DLTensor$/.test(event.callee)
        ? (event.keywords.get('data') ?? event.args[0])
        : event.kind === 'assign' && event.value && /\.(dl_tensor|tensor)\.data$/.test(pathOf(event.target)?.steps.join('') ?? '')
          ? event.value
          : undefined;
    const paths = given ? [...walk(given)].flatMap((part) => (part.kind === 'path' ? [part.path] : [])) : [];
    return given && paths.some((path) => (path.kind === 'param' && path.steps.length > 0) || path.kind === 'this') ? [given] : [];
  }),
);

const allocations = fromFunctions((_, fn) => fn.calls.filter((call) => /[mM]alloc|[mM]emAlloc|mem_alloc/.test(call.name)));

/** Freed only when something says that it is owned. */
function isGuarded(free: Call): boolean {
  return free.fn.events.some(
    (event) => event.kind === 'test' && expressionsOf(event).some((root) => [...walk(root)].some((part) => /own/i.test(stepsOf(part)))),
  );
}
