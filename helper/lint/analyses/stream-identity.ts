// Are two streams certainly two? Other names alone do not tell: a caller may pass one stream twice, and two fields may hold the same.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { declarationOf, pathKey, pathOf, symbolOf } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { defaultStream, type Work } from './stream-order';

export interface NamedStream {
  readonly key: string;
  readonly written: Expr | undefined;
  /** Where the stream is named. */
  readonly fn: FunctionFacts;
}

export function streamOf({ key, written, call }: Work): NamedStream {
  return { key, written, fn: call.fn };
}

const streamCreations = callsTo(/^(cuda|cu)StreamCreate/);

/**
 * The file creates one of them, so the other is another one; elements of one array are told apart by numbers. Beside the legacy default
 * stream runs only what is created with the non-blocking flag, or every thread's own.
 */
export function areCertainlyTwo(file: FileFacts, a: NamedStream, b: NamedStream): boolean {
  if (a.key === b.key) return false;
  if (a.key === defaultStream || b.key === defaultStream) return ignoresDefault(file, a.key === defaultStream ? b : a);
  if (baseOf(a.key) === baseOf(b.key)) return /\[\d+\]/.test(a.key) && /\[\d+\]/.test(b.key);
  return creationsOf(file, a).length + creationsOf(file, b).length > 0;
}

function ignoresDefault(file: FileFacts, stream: NamedStream): boolean {
  if (/PER_?THREAD$/i.test(symbolOf(stream.written) ?? '')) return true;
  const own = creationsOf(file, stream);
  return own.length > 0 && own.every((call) => /NON_?BLOCKING/i.test(symbolOf(call.api!.arg('flags')) ?? ''));
}

/** The calls that create the stream, as far as names of one function, one class or the file tell. */
function creationsOf(file: FileFacts, { written, fn }: NamedStream): readonly Call[] {
  const path = pathOf(written);
  if (!path) return [];
  return streamCreations(file).filter((call) => {
    const made = call.api!.path('stream');
    const isNear = path.kind === 'global' || (path.kind === 'this' ? call.fn.className === fn.className : call.fn === fn);
    return isNear && made !== undefined && baseOf(pathKey(made)) === baseOf(pathKey(path));
  });
}

/** Two parameters, or two fields of one object: whoever gives them two names mostly means two. */
export function areNamedAsTwo(a: NamedStream, b: NamedStream): boolean {
  const [one, other] = [pathOf(a.written), pathOf(b.written)];
  if (!one || !other || baseOf(a.key) === baseOf(b.key) || one.kind !== other.kind || one.steps.length !== other.steps.length) return false;
  if (one.kind === 'local') return isObject(a.fn, one) && isObject(b.fn, other);
  return one.kind === 'param' ? one.steps.length === 0 || one.root === other.root : one.kind === 'this';
}

/** A variable of a class around a stream, not a copy of a handle. */
function isObject(fn: FunctionFacts, path: Path): boolean {
  const type = declarationOf(fn, path)?.type ?? '';
  return path.steps.length === 0 && /^[A-Z]\w*$/.test(type) && !/^CUstream$|_t$/.test(type);
}

function baseOf(key: string): string {
  return key.replace(/\[.*$/, '');
}
