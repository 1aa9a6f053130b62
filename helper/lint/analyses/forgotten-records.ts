// Events that hang on something else than the stream (one for each device, say) and are recorded on all its streams in turn.
import type { Event, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, isWithin, lastName, pathKey, pathOf, walk } from '../facts/paths';
import { inLoop, reachesWithout } from '../flow/order';
import { callsMeaning } from '../flow/program';
import { type EventUse, eventUse } from './cuda-events';
import type { Overwritten } from './overwritten-events';
import { placeOf } from './slot-aliases';

interface RoundRecord extends EventUse {
  readonly place: Path;
  /** The loop in which the event stays the same. */
  isInside(event: Event): boolean;
}

/** The wait is for elements of the same array or the same field, which stands behind the loop; or the caller's, for an event that it hands over. */
export function forgottenRecords(file: FileFacts): Overwritten[] {
  return file.functions.flatMap((fn) => {
    const uses = fn.degraded ? [] : fn.calls.flatMap((call) => eventUse(call) ?? []);
    return uses.flatMap((use): Overwritten[] => {
      const record = recordOfRounds(fn, use);
      if (!record || isUsedInside(fn, record)) return [];
      const isGiven = record.place.kind === 'param' && record.place.steps.length === 0;
      const wait = isGiven ? waitOfCaller(file, record) : uses.find((each) => isLaterWait(record, each));
      return wait ? [{ record: { ...record, path: record.place }, wait }] : [];
    });
  });
}

function recordOfRounds(fn: FunctionFacts, use: EventUse): RoundRecord | undefined {
  if (use.action !== 'record' || !inLoop(use.call)) return undefined;
  const place = handlePlace(fn, use.path);
  const names = new Set([use.path.root, place.root, ...wordsIn(place)].filter((name) => name !== 'this'));
  const isNew = (event: Event) => names.has(assignedName(event) ?? '');
  const isInside = (event: Event) => reachesWithout(use.call, event, isNew) && reachesWithout(event, use.call, isNew);
  if (!isInside(use.call)) return undefined;
  const stream = use.stream && pathOf(use.stream);
  const streamNames = stream ? [stream.root, ...wordsIn(stream)].filter((name) => !names.has(name)) : [];
  const isOfRound = fn.events.some((event) => streamNames.includes(assignedName(event) ?? '') && isInside(event));
  return isOfRound ? { ...use, place, isInside } : undefined;
}

/** A handle copied into a local is the same event. */
function handlePlace(fn: FunctionFacts, path: Path): Path {
  const given = path.kind === 'local' && path.steps.length === 0 ? fn.events.filter((event) => assignedName(event) === path.root) : [];
  const [only] = given;
  const source = given.length === 1 && only?.kind === 'assign' && only.value?.kind === 'path' ? only.value.path : path;
  return placeOf(fn, source);
}

function assignedName(event: Event): string | undefined {
  const target = event.kind === 'assign' ? pathOf(event.target) : undefined;
  return target && target.steps.length === 0 ? target.root : undefined;
}

function wordsIn(path: Path): string[] {
  return path.steps.filter((step) => step.startsWith('[')).flatMap((step) => step.match(/[A-Za-z_]\w*/g) ?? []);
}

/** Whatever else the loop does with the event may be what makes each record count. */
function isUsedInside(fn: FunctionFacts, record: RoundRecord): boolean {
  return fn.events.some((event) => {
    const parts = expressionsOf(event).flatMap((root) => walk(root));
    // The call itself, and the test of its result.
    if (parts.includes(record.call) || assignedName(event) === record.path.root) return false;
    return parts.some((part) => part.kind === 'path' && names(part.path, record)) && record.isInside(event);
  });
}

function names(path: Path, { path: written, place }: RoundRecord): boolean {
  return isWithin(path, written) || isWithin(path, place);
}

function isLaterWait(record: RoundRecord, use: EventUse): boolean {
  if (!/wait$/.test(use.action) || record.isInside(use.call) || !reachesWithout(record.call, use.call, () => false)) return false;
  const place = handlePlace(use.fn, use.path);
  return familyOf(place) === familyOf(record.place) || isElementOf(use, record.place);
}

/** Which element does not matter: `marks[]`. Fields are told by their name, since one object has many names. */
function familyOf(place: Path): string {
  const isField = place.kind !== 'this' && place.steps.some((step) => step.startsWith('.'));
  return isField ? `.${lastName(place)}` : pathKey({ ...place, steps: place.steps.map((step) => (step.startsWith('[') ? '[]' : step)) });
}

/** `for (cudaEvent_t mark : marks)` */
function isElementOf({ fn, path }: EventUse, place: Path): boolean {
  const array = { ...place, steps: place.steps.slice(0, -1) };
  if (path.steps.length > 0 || !place.steps.at(-1)?.startsWith('[')) return false;
  return fn.events.some(
    (event) =>
      assignedName(event) === path.root &&
      expressionsOf(event).some((root) => walk(root).some((part) => part.kind === 'path' && pathKey(part.path) === pathKey(array))),
  );
}

function waitOfCaller(file: FileFacts, { fn, place }: RoundRecord): EventUse | undefined {
  const at = fn.params.findIndex(({ name }) => name === place.root);
  return callsMeaning(file, fn).flatMap((call) => {
    const given = pathOf(call.args[at]);
    const uses = given ? call.fn.calls.flatMap((each) => eventUse(each) ?? []) : [];
    return uses.filter((use) => /wait$/.test(use.action) && pathKey(use.path) === pathKey(given!) && reachesWithout(call, use.call, () => false));
  })[0];
}
