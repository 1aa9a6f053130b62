// Image barriers with the queue families and layouts that they hand an image over with, also those that a helper of the file prepares:
// `auto b = base().setOldLayout(x)`, `auto b = transfer(image, from, to, family, VK_QUEUE_FAMILY_EXTERNAL)`.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { isWithin, lastName, pathOf, samePath, setterTarget, stripCasts, symbolOf } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { resolveCallee } from '../flow/program';
import { bareType } from '../knowledge/index';
import { fileQuery, functionQuery } from '../memo/query';
import { fromFunctions } from '../memo/table';
import { barrierType, externalFamily, type ImageBarrier, imageBarriers, isExternalFamily, type Written } from './image-barriers';

export interface Handed {
  readonly fn: FunctionFacts;
  readonly at: Event | Expr;
  field(name: string): Written | undefined;
  symbol(name: string): string | undefined;
}

export const mentionsExternal = fileQuery((file) => file.hasToken('word', externalFamily));

const handedIn = functionQuery((file, fn): readonly Handed[] => [...imageBarriers(file, [fn]), ...prepared(file, fn)]);

/** Barriers of a function whose families and layouts it decides itself; what a caller decides is seen at the call. */
export function handedBarriers(file: FileFacts, fn: FunctionFacts): readonly Handed[] {
  return mentionsExternal(file) ? handedIn(file, fn) : [];
}

/** The barriers of a file that hand an image to the other API, and those that take one back. */
export const releasesOf = fromFunctions((file, fn) =>
  handedBarriers(file, fn).filter((each) => isExternalFamily(each.symbol('dstQueueFamilyIndex'))),
);
export const acquiresOf = fromFunctions((file, fn) =>
  handedBarriers(file, fn).filter((each) => isExternalFamily(each.symbol('srcQueueFamilyIndex'))),
);

function prepared(file: FileFacts, fn: FunctionFacts): Handed[] {
  if (fn.degraded) return [];
  return fn.events.flatMap((event) => (event.kind === 'assign' && event.declares && event.value ? (fromHelper(file, event, event.value) ?? []) : []));
}

function fromHelper(file: FileFacts, event: Assign, value: Expr): Handed | undefined {
  const chain = chainOfCalls(stripCasts(value));
  const start = chain.at(-1);
  const helper = start && !start.api ? resolveCallee(file, start) : undefined;
  const base = pathOf(event.target);
  if (!helper || !base || !barrierType.test(bareType(helper.returnType)) || !chain.slice(0, -1).every(isSetter)) return undefined;
  const returned = imageBarriers(file, [helper]).filter((each) => !isOnlyPart(helper, each));
  const made = returned.length === 1 ? returned[0] : undefined;
  const field = (name: string): Written | undefined =>
    writtenLater(event.fn, event, base, name) ?? setIn(chain, name) ?? (made && substituted(start!, helper, made.field(name)));
  return {
    fn: event.fn,
    at: event,
    field,
    symbol: (name) => {
      const written = field(name);
      const known = written && written.value !== 'zero' ? valueAt(event, written.value) : undefined;
      return known === undefined || known === 'zero' ? undefined : symbolOf(known);
    },
  };
}

/** The outermost call first. */
function chainOfCalls(value: Expr): Call[] {
  return value.kind === 'call' ? [value, ...(value.receiver && isSetter(value) ? chainOfCalls(value.receiver) : [])] : [];
}

function isSetter(call: Call): boolean {
  return /^set[A-Z]/.test(call.name) && call.receiver !== undefined;
}

/** A barrier of the helper that it does not return. */
function isOnlyPart(helper: FunctionFacts, barrier: ImageBarrier): boolean {
  const { at } = barrier;
  if ('kind' in at && at.kind === 'return') return false;
  return !helper.events.some((event) => event.kind === 'return' && event.value && event.span.start <= at.span.start && at.span.end <= event.span.end);
}

function setIn(chain: readonly Call[], name: string): Written | undefined {
  const call = chain.find((each) => isSetter(each) && each.name.slice(3).toLowerCase() === name.toLowerCase());
  return call?.args[0] && { value: call.args[0], at: call.args[0] };
}

function writtenLater(fn: FunctionFacts, from: Event, base: Path, name: string): Written | undefined {
  const found = fn.events.findLast((event) => {
    if (event.id <= from.id) return false;
    if (event.kind === 'call') return isSetter(event) && samePath(pathOf(setterTarget(event)), base) && setIn([event], name) !== undefined;
    const target = event.kind === 'assign' && event.value ? pathOf(event.target) : undefined;
    return target !== undefined && isWithin(target, base) && target.steps.length === base.steps.length + 1 && lastName(target) === name;
  });
  if (found?.kind === 'call') return setIn([found], name);
  return found?.kind === 'assign' && found.value ? { value: found.value, at: found } : undefined;
}

/** What the helper writes, with the arguments in place of its parameters. */
export function substituted(call: Call, helper: FunctionFacts, written: Written | undefined): Written | undefined {
  const path = written && written.value !== 'zero' ? pathOf(written.value) : undefined;
  if (path?.kind !== 'param' || path.steps.length > 0) return written;
  const given = call.args[helper.params.findIndex((param) => param.name === path.root)];
  return given && { value: given, at: given };
}
