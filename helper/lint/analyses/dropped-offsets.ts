// `to->data = from->data; to->byte_offset = 0`: the offset of a tensor that is lost on the way to another.
import type { Assign, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, extend, isWithin, pathOf, samePath, stripCasts, walk, withoutLast } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { dominates } from '../flow/order';
import { type FieldUse, isTensor, neighbourhood } from './dlpack';

/** The tensor's address goes to a tensor whose offset is 0, and nobody adds or refuses the offset that it had. */
export function startsAnew(file: FileFacts, { event, expr, tensor }: FieldUse): boolean {
  if (event.kind !== 'assign' || event.op !== '=' || !event.value || stripCasts(event.value) !== expr) return false;
  const target = tensorOf(file, event);
  if (!target || samePath(target, tensor)) return false;
  const writesZero = event.fn.events.some((each) => isZeroOffset(each, target) && (dominates(event, each) || dominates(each, event)));
  return writesZero && !readsOffset(event.fn, tensor) && ![...neighbourhood(file, event.fn)].some((each) => each !== event.fn && asksOffset(each));
}

export interface DroppedOffset {
  /** Where the offset becomes 0. */
  readonly at: Assign;
  readonly tensor: Path;
}

/** `*to = *from; to->byte_offset = 0` and `p = from->data; to->data = p; to->byte_offset = 0`. */
export function droppedOffsets(file: FileFacts, fn: FunctionFacts): DroppedOffset[] {
  return fn.events.flatMap((event): DroppedOffset[] => {
    const target = pathOf(event.kind === 'assign' ? event.target : undefined);
    if (event.kind !== 'assign' || target?.steps.at(-1) !== '.byte_offset') return [];
    const owner = withoutLast(target);
    const from = isZeroOffset(event, owner) && isTensor(file, fn, owner) ? sourceOf(file, event, owner) : undefined;
    if (!from || readsOffset(fn, from) || readsOffset(fn, owner)) return [];
    return [...neighbourhood(file, fn)].some((each) => each !== fn && asksOffset(each)) ? [] : [{ at: event, tensor: from }];
  });
}

/** The other tensor that was copied as a whole, or whose address came by a local. */
function sourceOf(file: FileFacts, zeroed: Assign, owner: Path): Path | undefined {
  for (const event of zeroed.fn.events) {
    if (event.kind !== 'assign' || event.op !== '=' || event.declares) continue;
    const from = dominates(event, zeroed) || dominates(zeroed, event) ? copiedFrom(event, owner) : undefined;
    if (from && !samePath(from, owner) && isTensor(file, zeroed.fn, from)) return from;
  }
  return undefined;
}

function copiedFrom(event: Assign, owner: Path): Path | undefined {
  const written = event.value && stripCasts(event.value);
  const target = pathOf(event.target);
  const isWhole = target !== undefined && samePath(pointee(target), owner);
  if (!written || !(isWhole || samePath(target, extend(owner, '.data')))) return undefined;
  const value = valueAt(event, written);
  const path = value === 'zero' ? undefined : pathOf(value);
  if (isWhole) return path && pointee(path);
  return path && value !== written && path.steps.at(-1) === '.data' ? withoutLast(path) : undefined;
}

/** `x` of `*x`. */
function pointee(path: Path): Path {
  return path.steps.at(-1) === '*' ? withoutLast(path) : path;
}

/** The tensor whose `data` is written. */
function tensorOf(file: FileFacts, { fn, target }: Assign): Path | undefined {
  const path = pathOf(target);
  if (path?.steps.at(-1) !== '.data') return undefined;
  const owner = withoutLast(path);
  return isTensor(file, fn, owner) ? owner : undefined;
}

function isZeroOffset(event: Event, tensor: Path): boolean {
  if (event.kind !== 'assign' || !samePath(pathOf(event.target), extend(tensor, '.byte_offset'))) return false;
  return event.value?.kind === 'number' && event.value.value === 0;
}

function readsOffset(fn: FunctionFacts, tensor: Path): boolean {
  const offset = extend(tensor, '.byte_offset');
  const reads = (event: Event) => (event.kind === 'assign' ? (event.value ? [event.value] : []) : expressionsOf(event));
  return fn.events.some((event) => reads(event).some((root) => walk(root).some((part) => part.kind === 'path' && isWithin(part.path, offset))));
}

/** Asks whether there is an offset, in whatever function; that one lies in an alignment tells nothing. */
function asksOffset(fn: FunctionFacts): boolean {
  const isOffset = (part: Expr) => part.kind === 'path' && part.path.steps.at(-1) === '.byte_offset';
  const isAsked = (root: Expr) => {
    const bare = stripCasts(root);
    if (bare.kind === 'success' || bare.kind === 'unary')
      return [bare.kind === 'success' ? bare.of : bare.operand].some((each) => isOffset(stripCasts(each)));
    return (
      isOffset(bare) ||
      (bare.kind === 'binary' && [bare.left, bare.right].some((each) => isOffset(stripCasts(each))) && /^([!=]=|[<>]=?)$/.test(bare.op))
    );
  };
  const asks = (root: Expr) => walk(root).some((part) => part.kind === 'call' && part.args.some(isAsked)) || isAsked(root);
  return fn.events.some((event) => (event.kind === 'test' || event.kind === 'call' || event.kind === 'return') && expressionsOf(event).some(asks));
}
