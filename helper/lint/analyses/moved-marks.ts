// Events of a class that mark the last use, recorded on whatever stream a caller names: a record on one stream forgets the use on another.
import type { FileFacts } from '../facts/index';
import { pathKey, pathOf } from '../facts/paths';
import { type EventUse, eventObjects } from './cuda-events';
import type { Overwritten } from './overwritten-events';

const marks = /use|touch|access|mark|track|borrow|reader|consumer/i;

/** Some other function waits for the event as for all uses; the recording one neither waits for the record before nor takes another event. */
export function movedMarks(file: FileFacts): Overwritten[] {
  return eventObjects(file).flatMap(({ uses }) => {
    const records = uses.filter((use) => use.action === 'record');
    const waits = uses.filter((use) => /wait$/.test(use.action));
    return records.flatMap((record): Overwritten[] => {
      const { fn, path } = record;
      if (fn.kind !== 'method' || path.kind !== 'this' || path.steps.some((step) => step.startsWith('[')) || !isGiven(record)) return [];
      const isElsewhereToo = records.some((each) => each.fn !== fn && keyOf(each) !== keyOf(record)) || marks.test(fn.name);
      const isFresh = uses.some((use) => use.fn === fn && (use.action === 'create' || /wait$/.test(use.action)));
      const wait =
        waits.find((use) => use.fn !== fn && (use.action === 'host wait' || keyOf(use) !== undefined) && !isGiven(use)) ??
        waits.find((use) => use.fn.kind === 'destructor');
      const isReplaced = fn.events.some((event) => event.kind === 'assign' && pathOf(event.target)?.root === 'this' && sameStep(event.target, path));
      return isElsewhereToo && !isFresh && !isReplaced && wait && !comparesStreams(record) ? [{ record, wait }] : [];
    });
  });
}

function sameStep(target: Parameters<typeof pathOf>[0], path: EventUse['path']): boolean {
  return pathOf(target)?.steps[0] === path.steps[0];
}

function keyOf({ stream }: EventUse): string | undefined {
  const path = stream && pathOf(stream);
  return path && pathKey(path);
}

/** The caller names the stream. */
function isGiven({ stream }: EventUse): boolean {
  const path = stream && pathOf(stream);
  return path?.kind === 'param' && path.steps.length === 0;
}

/** `if (stream != owner_)`: the code knows that there may be two. */
function comparesStreams({ fn, stream }: EventUse): boolean {
  const root = pathOf(stream)?.root;
  return fn.events.some(
    (event) =>
      event.kind === 'test' && event.expr.kind === 'binary' && [event.expr.left, event.expr.right].some((side) => pathOf(side)?.root === root),
  );
}
