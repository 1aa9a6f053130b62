// Data that work on one CUDA stream produces and work on another consumes, in C, C++ and CUDA.
import type { Call, Event, FileFacts, FunctionFacts, Path } from '../facts/index';
import { extend, isWithin, lastName, pathKey, pathOf, samePath, walk } from '../facts/paths';
import { resolveCallee } from '../flow/program';
import { declaredTypeOf, typeOfPath } from '../flow/visible';
import { accessOf } from './kernel-access';
import { areCertainlyTwo, areNamedAsTwo, streamOf } from './stream-identity';
import { defaultStream, isStream, mayWait, unorderedBetween, type Work, waitsForStream, worksIn } from './stream-order';

/** Work that reads what other work on another stream wrote, or what an object says another stream produced. */
export interface Unjoined {
  readonly reader: Work;
  /** The writer, where the function shows it. */
  readonly writer: Work | undefined;
  readonly data: Path;
  readonly producer: string;
  readonly consumer: string;
  /** The two streams are certainly two. */
  readonly isSure: boolean;
}

/** Frames and buffers that carry the stream they were filled on, consumed on another stream that was not made to wait. */
export function carriedStreams(file: FileFacts, fn: FunctionFacts): Unjoined[] {
  const works = worksIn(file, fn).filter((work) => work.written && work.key !== defaultStream);
  return works.flatMap((work) => {
    for (const arg of work.call.args) {
      for (const part of walk(arg)) {
        const found = part.kind === 'path' ? carrier(file, work, part.path) : undefined;
        if (found) return [found];
      }
    }
    return [];
  });
}

function carrier(file: FileFacts, work: Work, data: Path): Unjoined | undefined {
  const { fn } = work.call;
  if (data.kind !== 'param' || data.steps.length !== 1) return undefined;
  const object: Path = { ...data, steps: [] };
  const owner = file.classNamed(typeOfPath(file, fn, object) ?? '');
  const streams = owner?.fields.filter((field) => isStreamType(field.type)) ?? [];
  const [stream] = streams;
  const field = data.steps[0]!.slice(1);
  if (!owner || !stream || streams.length !== 1 || field === stream.name || owner.methods.length > 0) return undefined;
  if (
    !owner.fields.some(
      (each) => each.name === field && /\*|CUdeviceptr|cudaArray|CUarray|TextureObject|SurfaceObject|texture|tensor/i.test(each.type),
    )
  )
    return undefined;
  if (/^(next|consum|dst|target|user)/i.test(stream.name) || isWritten(fn, object)) return undefined;
  const path = extend(object, `.${stream.name}`);
  const events = fn.events.filter((event) => event.id < work.call.id);
  if (fn.events.some((event) => touches(event, path)) || events.some((event) => orders(file, event, object, work))) return undefined;
  return { reader: work, writer: undefined, data, producer: pathKey(path), consumer: work.key, isSure: false };
}

function isStreamType(type: string): boolean {
  return /^(cudaStream_t|CUstream|hipStream_t)$/.test(type.replace(/\bconst\b|\s/g, ''));
}

/** The function fills the object, so it is the producer. */
function isWritten(fn: FunctionFacts, object: Path): boolean {
  return fn.events.some((event) => {
    if (event.kind === 'assign') return isWithin(pathOf(event.target) ?? { root: '', kind: 'local', steps: [] }, object);
    if (event.kind !== 'call' || !event.api) return false;
    const written = event.api.arg('dst') ?? event.api.api.params.filter((param) => param.out).map((param) => event.api!.arg(param.name))[0];
    const path = pathOf(written);
    return path !== undefined && isWithin(path, object);
  });
}

function touches(event: Event, path: Path): boolean {
  const exprs =
    event.kind === 'call'
      ? [...event.args, ...(event.receiver ? [event.receiver] : []), ...(event.launch ?? [])]
      : 'expr' in event
        ? [event.expr]
        : 'value' in event && event.value
          ? [event.value]
          : [];
  return exprs.some((expr) => [...walk(expr)].some((part) => part.kind === 'path' && isWithin(part.path, path)));
}

/** Waits, or hands the whole object to somebody who may wait. */
function orders(file: FileFacts, event: Event, object: Path, work: Work): boolean {
  if (mayWait(file, event, (call) => (call.api?.does('wait') || call.api?.does('sync')) ?? false)) return true;
  return event.kind === 'call' && event !== work.call && !event.api && event.args.some((arg) => samePath(pathOf(arg), object));
}

/** Two pieces of work of one function on streams that are certainly different. */
export function unjoinedWork(file: FileFacts, fn: FunctionFacts): Unjoined[] {
  const works = worksIn(file, fn);
  if (comparesStreams(file, fn) || fn.attributes.some((word) => /__(global|device)__/.test(word))) return [];
  return works.flatMap((reader) => {
    for (const writer of works) {
      if (writer.call.id >= reader.call.id || writer.key === reader.key || splits(writer, reader)) continue;
      const isSure = areCertainlyTwo(file, streamOf(writer), streamOf(reader));
      if (!isSure && !areNamedAsTwo(streamOf(writer), streamOf(reader))) continue;
      const known = knownBetween(file, writer, reader);
      const data = dataBetween(file, writer, reader);
      const isJoin = (call: Call) => waitsForStream(file, call, writer.key) || (call.api?.does('wait') ?? false);
      if (data && unorderedBetween(file, writer.call, reader.call, isJoin))
        return [{ reader, writer, data, producer: writer.key, consumer: reader.key, isSure: isSure && known !== undefined }];
    }
    return [];
  });
}

function knownBetween(file: FileFacts, writer: Work, reader: Work): Path | undefined {
  return writtenBy(file, writer.call).find((path) => reads(file, reader.call, path, writer));
}

/** What one piece of work writes, certainly or mostly, and the other reads. */
export function dataBetween(file: FileFacts, writer: Work, reader: Work): Path | undefined {
  return knownBetween(file, writer, reader) ?? resultsOf(file, writer.call).find((path) => isSourceOf(reader.call, path));
}

/** Work that a helper of the file queues counts where the helper is called. */
interface Placed {
  readonly work: Work;
  readonly at: Call;
}

/** The same where one piece of work, or both, are in methods that this function calls. */
export function unjoinedHelpers(file: FileFacts, fn: FunctionFacts): Unjoined[] {
  if (comparesStreams(file, fn) || fn.degraded) return [];
  const placed = [...worksIn(file, fn).map((work) => ({ work, at: work.call })), ...fn.calls.flatMap((call) => inHelper(file, call))];
  const writers = placed.filter(({ work, at }) => work.call === at || !isJoinedBehind(file, work));
  return placed.flatMap((reader) => {
    for (const writer of writers) {
      const isDirect = writer.work.call === writer.at && reader.work.call === reader.at;
      if (isDirect || writer.at.id >= reader.at.id || writer.work.key === reader.work.key || splits(writer.work, reader.work)) continue;
      const [from, to] = [streamOf(writer.work), streamOf(reader.work)];
      const found = areCertainlyTwo(file, from, to) || areNamedAsTwo(from, to) ? unjoinedPair(file, writer, reader) : undefined;
      if (found) return [found];
    }
    return [];
  });
}

function unjoinedPair(file: FileFacts, writer: Placed, reader: Placed): Unjoined | undefined {
  const data = writtenBy(file, writer.work.call).find((path) => path.kind === 'this' && reads(file, reader.work.call, path, writer.work));
  const isJoin = (call: Call) => waitsForStream(file, call, writer.work.key) || (call.api?.does('wait') ?? false);
  if (!data || !unorderedBetween(file, writer.at, reader.at, isJoin) || isJoinedBefore(file, reader, isJoin)) return undefined;
  return {
    reader: { ...reader.work, call: reader.at },
    writer: writer.work,
    data,
    producer: writer.work.key,
    consumer: reader.work.key,
    isSure: false,
  };
}

function inHelper(file: FileFacts, at: Call): Placed[] {
  const callee = at.api ? undefined : resolveCallee(file, at);
  if (!callee || callee === at.fn || callee.degraded || callee.className !== at.fn.className || callee.kind !== 'method') return [];
  return worksIn(file, callee).flatMap((work) => (pathOf(work.written)?.kind === 'this' ? [{ work, at }] : []));
}

function isJoinedBehind(file: FileFacts, { call }: Work): boolean {
  return call.fn.events.some(
    (event) => event.id > call.id && mayWait(file, event, (each) => (each.api?.does('wait') || each.api?.does('sync')) ?? false),
  );
}

function isJoinedBefore(file: FileFacts, { work, at }: Placed, isJoin: (call: Call) => boolean): boolean {
  return work.call !== at && work.call.fn.events.some((event) => event.id < work.call.id && mayWait(file, event, isJoin));
}

/** One kernel on parts of a buffer, each on a stream of its own. */
function splits(writer: Work, reader: Work): boolean {
  return writer.call.launch !== undefined && writer.call.name === reader.call.name;
}

/** `if (a != b)`: the caller may pass one stream twice, and the code knows. */
function comparesStreams(file: FileFacts, fn: FunctionFacts): boolean {
  return fn.events.some(
    (event) =>
      event.kind === 'test' &&
      event.expr.kind === 'binary' &&
      /^[=!]=$/.test(event.expr.op) &&
      isStream(file, fn, event.expr.left) &&
      isStream(file, fn, event.expr.right),
  );
}

/** What work certainly writes: the target of a copy, what a visible kernel stores to and does not wait for. */
function writtenBy(file: FileFacts, call: Call): Path[] {
  const target = call.api && pathOf(call.api.arg('dst') ?? call.api.arg('ptr'));
  if (target) return [target];
  const kernel = kernelOf(file, call);
  return call.args.flatMap((arg, i) => {
    const path = pathOf(arg);
    const access = path && kernel && accessOf(file, kernel, i);
    return access?.writes && !access.polls ? [path!] : [];
  });
}

const resultNames = /^(d_|dev_|m_)?(out|dst|dest|result|target|to)(_|\d|$)|_(out|dst|dest|result|target)_?$|output|result/i;

/**
 * What a kernel or a function that nobody sees, and that queues work, mostly writes: of pointers to const and others the one that is not
 * const, else what is named as a result.
 */
function resultsOf(file: FileFacts, call: Call): Path[] {
  if (call.api || call.form !== 'call' || file.functionsNamed(call.name).length > 0) return [];
  const given = call.args.flatMap((arg) => {
    const path = pathOf(arg);
    const type = path && declaredTypeOf(file, call.fn, path);
    return path && type && isPointer(type) ? [{ path, isConst: /\bconst\b/.test(type.replace(/\*\s*const$/, '*')) }] : [];
  });
  const open = given.filter(({ isConst }) => !isConst).map(({ path }) => path);
  if (open.length === 1 && given.length > 1) return open;
  return open.filter((path) => resultNames.test(lastName(path)));
}

function isPointer(type: string): boolean {
  return (/\*/.test(type) && !/void\s*\*\s*\*|_st\b/.test(type)) || /^(CUdeviceptr|hipDeviceptr_t)$/.test(type);
}

/** A copy reads it; of launches nobody knows. */
function isSourceOf(call: Call, path: Path): boolean {
  const source = call.launch ? undefined : call.api?.arg('src');
  return source !== undefined && [...walk(source)].some((part) => part.kind === 'path' && samePath(part.path, path));
}

/**
 * Behind another kernel, what a kernel that is seen certainly loads and does not wait for; behind a copy, what it does not certainly
 * overwrite. Of a kernel that nobody sees, what it is given counts as read.
 */
function reads(file: FileFacts, call: Call, path: Path, writer: Work): boolean {
  const source = call.api?.arg('src');
  if (call.api && !call.launch) return source !== undefined && [...walk(source)].some((part) => part.kind === 'path' && samePath(part.path, path));
  const at = call.args.findIndex((arg) => samePath(pathOf(arg), path));
  const kernel = kernelOf(file, call);
  if (at < 0 || !kernel) return at >= 0;
  const access = accessOf(file, kernel, at);
  return writer.call.launch ? access.reads && !access.polls : access.reads || !access.writes;
}

function kernelOf(file: FileFacts, call: Call): FunctionFacts | undefined {
  const shown = file.functionsNamed(call.name);
  return shown.length === 1 ? shown[0] : undefined;
}
