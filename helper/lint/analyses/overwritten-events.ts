// Events that a loop records on one stream after the other and that somebody waits for only behind the loop: the last record alone counts.
import type { FileFacts } from '../facts/index';
import { pathOf, stripCasts } from '../facts/paths';
import { inLoop, reachesWithout } from '../flow/order';
import { type EventUse, eventObjects, isSameEvent } from './cuda-events';

export interface Overwritten {
  readonly record: EventUse;
  readonly wait: EventUse;
}

export function overwrittenRecords(file: FileFacts): Overwritten[] {
  return eventObjects(file).flatMap(({ uses }) => {
    const records = uses.filter((use) => use.action === 'record');
    return records.flatMap((record): Overwritten[] => {
      if (!inLoop(record.call) || !isOfRound(record) || record.path.steps.some((step) => step.startsWith('['))) return [];
      const waits = uses.filter((use) => /wait$/.test(use.action));
      const here = waits.filter((use) => use.fn === record.fn && isSameEvent(record, use));
      const wait = here[0] ?? waits.find((use) => use.fn !== record.fn);
      // A wait or a new event in the loop: what each round recorded is used before the next one.
      const isUsed =
        here.some((use) => returnsTo(use, record)) || uses.some((use) => use.action === 'create' && use.fn === record.fn && inLoop(use.call));
      const isLater = wait !== undefined && (wait.fn !== record.fn || reachesWithout(record.call, wait.call, () => false));
      return isLater && !isUsed ? [{ record, wait }] : [];
    });
  });
}

/** The loop goes on behind it, to the record. */
function returnsTo(use: EventUse, record: EventUse): boolean {
  return inLoop(use.call) && reachesWithout(use.call, record.call, () => false);
}

/** The stream is another one each round: an element of an array, or the variable of the loop. */
function isOfRound({ stream, call }: EventUse): boolean {
  const path = stream && pathOf(stripCasts(stream));
  if (!path) return false;
  if (path.steps.some((step) => /^\[[^\]]*[A-Za-z_]/.test(step))) return true;
  return call.fn.events.some((event) => event.kind === 'assign' && pathOf(event.target)?.root === path.root && inLoop(event));
}
