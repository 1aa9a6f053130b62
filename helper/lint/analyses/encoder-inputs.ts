// NVENC inputs that are unmapped between the encode call, which only queues, and the lock of the bitstream, which waits for it.
import type { Call, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathKey, pathOf, samePath } from '../facts/paths';
import { reachesWithout } from '../flow/order';
import { fileQuery } from '../memo/query';
import { type ReachedEvent, reachedEvents } from './reached-events';

export interface EarlyUnmap {
  readonly unmap: Call;
  readonly encode: Call;
}

interface Step {
  readonly call: Call;
  readonly site: ReachedEvent['site'];
}

const isEncode = ({ name }: Call) => /^_?nvEncEncodePicture$/i.test(name);
const isMap = ({ name }: Call) => /^_?nvEncMapInputResource$/i.test(name);
const isUnmap = ({ name }: Call) => /^_?nvEncUnmapInputResource$/i.test(name);
const isLock = ({ name }: Call) => /^_?nvEncLockBitstream$/i.test(name);
/** An encoder that signals an event is waited for in some other way. */
const isWait = (call: Call) => isLock(call) || /wait|sync|fence|poll/i.test(call.name);

const locksAnywhere = fileQuery((file) => file.hasToken('word', /^_?nvEncLockBitstream$/i));

/** Only where the same way goes on to the lock: what nobody locks may be known to be done. */
export function earlyUnmaps(file: FileFacts, fn: FunctionFacts): EarlyUnmap[] {
  if (!locksAnywhere(file)) return [];
  const steps = [...reachedEvents(file, fn)].flatMap(({ event, site }): Step[] =>
    event.kind === 'call' && matters(event) ? [{ call: event, site }] : [],
  );
  return steps.flatMap((step, at): EarlyUnmap[] => {
    const encode = isUnmap(step.call) ? nearest(steps, at, -1, (call) => isEncode(call) || isWait(call)) : undefined;
    const lock = encode && isEncode(encode.call) ? nearest(steps, at, 1, isLock) : undefined;
    if (!encode || !lock || (encode.site === step.site && lock.site === step.site)) return [];
    const goesOn = goesTo(encode, step) && goesTo(step, lock);
    return goesOn && nearest(steps, at, -1, (call) => isMap(call) && isOf(call, step.call)) ? [{ unmap: step.call, encode: encode.call }] : [];
  });
}

function matters(call: Call): boolean {
  return isEncode(call) || isMap(call) || isUnmap(call) || isWait(call);
}

/** Looked for from the place on, without a copy of the rest for each. */
function nearest(steps: readonly Step[], at: number, direction: 1 | -1, test: (call: Call) => boolean): Step | undefined {
  for (let i = at + direction; i >= 0 && i < steps.length; i += direction) if (test(steps[i]!.call)) return steps[i];
  return undefined;
}

function goesTo(from: Step, to: Step): boolean {
  return from.site === to.site || reachesWithout(from.site, to.site, () => false);
}

/** The unmap names what this call mapped: the struct, a field that got it, or a parameter of a helper. */
function isOf(map: Call, unmap: Call): boolean {
  const [mapped, ended] = [pathOf(map.args.at(-1)), pathOf(unmap.args.at(-1))];
  if (!mapped || !ended) return false;
  if (ended.kind === 'param' && unmap.fn !== map.fn) return true;
  return (
    isPart(ended, mapped) ||
    map.fn.events.some(
      (event) => event.kind === 'assign' && isPart(event.value && pathOf(event.value), mapped) && samePath(pathOf(event.target), ended),
    )
  );
}

function isPart(path: Path | undefined, whole: Path): boolean {
  return path !== undefined && pathKey(path).startsWith(pathKey(whole));
}
