// CUDA streams in classes of the file that hold one and little else: `compute_.get()`, `compute_.handle()`, `compute_` itself.
import type { ClassFacts, Expr, FileFacts, FunctionFacts } from '../facts/index';
import { pathOf, stripCasts } from '../facts/paths';
import { elementType, ownerOf } from '../flow/owner-types';
import { typeOfPath } from '../flow/visible';

const streamType = /^(cudaStream_t|CUstream|hipStream_t|CUstream_st|ihipStream_t|cuda::stream_ref|(at|c10)::cuda::CUDAStream)$/;

/** The expression that names the stream of an argument, getters of classes of the file removed; undefined where it is no stream. */
export function namedStream(file: FileFacts, fn: FunctionFacts, written: Expr): Expr | undefined {
  const path = pathOf(written);
  const type = path && typeOfPath(file, fn, path);
  if (type !== undefined && (streamType.test(elementType(type)) || isWrapper(file, type))) return written;
  const bare = stripCasts(written);
  const object = bare.kind === 'call' && !bare.api && bare.args.length === 0 ? pathOf(bare.receiver) : undefined;
  const owner = object && typeOfPath(file, fn, object);
  return bare.kind === 'call' && owner !== undefined && isWrapper(file, owner) && givesStream(ownerOf(file, owner)!, bare.name)
    ? bare.receiver
    : undefined;
}

function isWrapper(file: FileFacts, type: string): boolean {
  const owner = ownerOf(file, type);
  return owner !== undefined && owner.fields.length <= 3 && streamFields(owner).length === 1;
}

function streamFields(owner: ClassFacts): readonly string[] {
  return owner.fields.filter(({ type }) => streamType.test(elementType(type))).map(({ name }) => name);
}

function givesStream(owner: ClassFacts, name: string): boolean {
  return owner.methods.some((method) => method.name === name && /[sS]tream(_t)?$|^auto$/.test(method.returnType) && !/&$/.test(method.returnType));
}
