// Data of an object that one method fills on one stream and another method reads on a second one, in a class that never joins the two.
import type { Call, ClassFacts, Event, FileFacts, FunctionFacts, Path } from '../facts/index';
import { mentions, pathOf } from '../facts/paths';
import { callersOf } from '../flow/program';
import { areCertainlyTwo, areNamedAsTwo, streamOf } from './stream-identity';
import { dataBetween, type Unjoined } from './stream-joins';
import { mayWait, type Work, waitsForStream, worksIn } from './stream-order';

/** Whoever calls the methods has no way to join the streams: they stay in the class, and nothing in it waits for one of them or marks a place in it. */
export function unjoinedMethods(file: FileFacts, fn: FunctionFacts): Unjoined[] {
  const owner = fn.kind === 'method' && fn.className ? file.classNamed(fn.className) : undefined;
  if (owner?.kind !== 'class' || fn.degraded) return [];
  const readers = worksIn(file, fn).filter(isOnField);
  if (readers.length === 0) return [];
  const methods = file.functionsOfClass(owner.name).filter((each) => each.kind === 'method' && each !== fn && !each.degraded);
  const writers = methods.flatMap((each) => worksIn(file, each).filter(isOnField));
  return readers.flatMap((reader) => writers.map((writer) => pair(file, owner, writer, reader)).find((each) => each !== undefined) ?? []);
}

function isOnField({ written }: Work): boolean {
  return pathOf(written)?.kind === 'this';
}

function pair(file: FileFacts, owner: ClassFacts, writer: Work, reader: Work): Unjoined | undefined {
  const [from, to] = [streamOf(writer), streamOf(reader)];
  if (writer.key === reader.key || !(areCertainlyTwo(file, from, to) || areNamedAsTwo(from, to))) return undefined;
  const data = dataBetween(file, writer, reader);
  if (data?.kind !== 'this' || isOrdered(file, writer, reader) || isKnownOutside(file, owner, [pathOf(writer.written)!, pathOf(reader.written)!]))
    return undefined;
  return { reader, writer, data, producer: writer.key, consumer: reader.key, isSure: false };
}

const joins = ({ api }: Call) => api !== undefined && (api.does('wait') || api.does('sync') || api.does('record'));

/** One of them waits at the right place, or some other method of the class or caller in the file does. */
function isOrdered(file: FileFacts, writer: Work, reader: Work): boolean {
  const [produce, consume] = [writer.call.fn, reader.call.fn];
  const waits = (event: Event) => mayWait(file, event, joins);
  if (produce.events.some((event) => event.id > writer.call.id && waits(event))) return true;
  if (consume.events.some((event) => event.id < reader.call.id && waits(event))) return true;
  const others = file.functionsOfClass(produce.className!).filter((fn) => fn !== produce && fn !== consume && !/^(con|de)structor$/.test(fn.kind));
  if (others.some((fn) => fn.calls.some((call) => joins(call) && !isOfReader(file, call, reader)))) return true;
  const callers = callersOf(file, consume);
  // Who calls both is looked at by itself.
  return [...callersOf(file, produce), ...callers].some((fn) => fn.calls.some(joins)) || callersOf(file, produce).some((fn) => callers.includes(fn));
}

function isOfReader(file: FileFacts, call: Call, { key }: Work): boolean {
  return call.api?.does('sync') === true && /StreamSynchronize$/.test(call.api.name) && waitsForStream(file, call, key);
}

/** A method gives one of the streams away, or hands it to somebody that is no work. */
function isKnownOutside(file: FileFacts, owner: ClassFacts, streams: readonly Path[]): boolean {
  const given = (event: Event) => (event.kind === 'return' ? [event.value] : []);
  return file
    .functionsOfClass(owner.name)
    .some((fn) => fn.events.some((event) => given(event).some((value) => streams.some((path) => mentions(value, path)))));
}
