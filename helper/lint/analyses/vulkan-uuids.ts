// Vulkan's deviceUUID where it is not read on the spot: copies, parameters named after it, helpers that compare it.
import type { Call, Event, Expr, FileFacts, FunctionFacts } from '../facts/index';
import { lastName, pathOf, stripCasts, walk } from '../facts/paths';
import { functionTable } from '../memo/table';
import { type Comparison, comparisonsIn, fieldsOf } from './device-identity';

const fieldName = /^(deviceUUID|device_uuid)$/;

/** Reads Vulkan's UUID right here. */
export function readsVulkanUuid(at: Event, side: Expr): boolean {
  return fieldsOf(at, side).some(({ name }) => fieldName.test(name));
}

/** Comparisons with a copy of Vulkan's UUID, and calls of helpers that compare what they are given. */
export function looseComparisons(file: FileFacts, fn: FunctionFacts): Comparison[] {
  const compared = comparisonsIn(fn).filter(
    ({ event, sides }) => !sides.some((side) => readsVulkanUuid(event, side)) && sides.some((side) => isCopy(file, side)),
  );
  return [...compared, ...fn.calls.flatMap(comparedByHelper)];
}

/** A variable named after it, or one that somebody in the file copied it to. */
function isCopy(file: FileFacts, side: Expr): boolean {
  const path = pathOf(stripCasts(side));
  if (!path) return false;
  const name = lastName(path);
  return /^(m_)?(vk|vulkan)_?\w*uuid_?$|^(m_)?device_?uuid_?$/i.test(name) || copies.of(file, name).length > 0;
}

const copies = functionTable<string, Event>((_, fn) =>
  fn.events.flatMap((event): [string, Event][] => {
    const [target, source] = copiedIn(event);
    const path = target && pathOf(target);
    return path && path.kind !== 'local' && source && readsVulkanUuid(event, source) ? [[lastName(path), event]] : [];
  }),
);

/** `memcpy(to, from, n)`, `std::copy_n(from, n, to)`, `to = from`. */
function copiedIn(event: Event): readonly [Expr | undefined, Expr | undefined] {
  if (event.kind === 'assign') return [event.target, event.value];
  if (event.kind !== 'call') return [undefined, undefined];
  if (/^(memcpy|memmove)$/.test(event.name)) return [event.args[0], event.args[1]];
  return /^copy(_n)?$/.test(event.name) && event.args.length === 3 ? [receiverOf(event.args[2]!), event.args[0]] : [undefined, undefined];
}

/** `uuid` of `uuid.begin()`. */
function receiverOf(expr: Expr): Expr {
  return expr.kind === 'call' && /^c?begin$/.test(expr.name) && expr.receiver ? expr.receiver : expr;
}

function comparedByHelper(call: Call): Comparison[] {
  const [first, second] = call.args;
  if (call.api || call.args.length !== 2 || !/same|equal|match|compare|uuid/i.test(call.name) || call.form !== 'call') return [];
  const isOne = [first!, second!].some((side) => readsVulkanUuid(call, side));
  const hasFields = [first!, second!].every((side) => [...walk(side)].some((part) => part.kind === 'path' && part.path.steps.length > 0));
  return isOne && hasFields ? [{ expr: call, event: call, sides: [first!, second!] }] : [];
}
