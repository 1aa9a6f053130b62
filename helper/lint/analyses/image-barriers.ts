// Image memory barriers as they are when they are used, however they were filled: assignments, brace lists, designators, setters.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, InitExpr, Path } from '../facts/index';
import { declarationOf, expressionsOf, isWithin, lastName, pathKey, pathOf, setterTarget, stripCasts, symbolOf, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { dominates } from '../flow/order';
import { elementType } from '../flow/owner-types';
import { typeOfPath } from '../flow/visible';
import { bareType, fieldOrder } from '../knowledge/index';
import { fileQuery, functionQuery } from '../memo/query';

export interface Written {
  /** `zero`: left at zero by the initialisation. */
  readonly value: Expr | 'zero';
  /** The field's own assignment or initialiser. */
  readonly at: Event | Expr;
}

export interface ImageBarrier {
  readonly fn: FunctionFacts;
  /** Where the finished barrier is used or written in place. */
  readonly at: Event | Expr;
  /** What a field certainly holds; undefined when that is not known. */
  field(name: string): Written | undefined;
  /** The constant's name that a field holds, `VK_QUEUE_FAMILY_EXTERNAL`, `eUndefined`; undefined for anything else. */
  symbol(name: string): string | undefined;
}

export const barrierType = /^(?:Vk|vk::)ImageMemoryBarrier2?(?:KHR)?$/;

export const externalFamily = /^(VK_QUEUE_FAMILY_(EXTERNAL|FOREIGN)\w*|QueueFamily(External|Foreign)\w*)$/;

export function isExternalFamily(symbol: string | undefined): boolean {
  return symbol !== undefined && externalFamily.test(symbol);
}

export function isIgnoredFamily(symbol: string | undefined): boolean {
  return symbol !== undefined && /^(VK_QUEUE_FAMILY_IGNORED|QueueFamilyIgnored)$/.test(symbol);
}

/** Without the word nothing is an image barrier. */
const namesBarriers = fileQuery((file) => file.hasToken('word', /ImageMemoryBarrier/));

const barriersIn = functionQuery((file, fn) => (fn.degraded || !namesBarriers(file) ? [] : [...variables(file, fn), ...inPlace(fn)]));

/** The image barriers in some functions of the file. */
export function imageBarriers(file: FileFacts, functions: readonly FunctionFacts[]): ImageBarrier[] {
  return functions.flatMap((fn) => barriersIn(file, fn));
}

/** Barriers that have a name, one for each use of it. */
function variables(file: FileFacts, fn: FunctionFacts): ImageBarrier[] {
  const writes = fn.events.flatMap((event) => writesOf(file, event));
  const bases = new Map(writes.map((write) => [pathKey(write.base), write.base]));
  return [...bases.values()].flatMap((base) => {
    const own = writes.filter((write) => pathKey(write.base) === pathKey(base));
    const uses = fn.events.filter((event) => isUse(event, base, own));
    // What a reference names is used where it lies.
    if (uses.length === 0 && isReference(fn, base)) uses.push(own.at(-1)!.event);
    return uses.map((use) => barrier(fn, use, (name) => latest(own, name, use)));
  });
}

function isReference(fn: FunctionFacts, base: Path): boolean {
  return base.steps.length === 0 && /[&*]$/.test(declarationOf(fn, base)?.type ?? '');
}

interface Write {
  readonly base: Path;
  readonly event: Event;
  /** The field, or undefined for the whole struct. */
  readonly name: string | undefined;
  field(name: string): Written | undefined;
}

function writesOf(file: FileFacts, event: Event): Write[] {
  if (event.kind === 'assign') return assignment(file, event);
  return event.kind === 'call' ? setter(file, event) : [];
}

function assignment(file: FileFacts, event: Assign): Write[] {
  const path = pathOf(event.target);
  if (!path || event.op !== '=') return [];
  const type = event.declares ? bareType(event.declares.type) : typeOf(file, event.fn, path);
  if (type && barrierType.test(type) && !event.declares?.type.endsWith(']')) {
    const init = event.value && stripCasts(event.value);
    const unsaid: Written | undefined = !init && type.startsWith('vk::') ? { value: 'zero', at: event } : undefined;
    return [{ base: path, event, name: undefined, field: (name) => (init?.kind === 'init' ? ofInit(init, type, name) : unsaid) }];
  }
  const owner: Path = { ...path, steps: path.steps.slice(0, -1) };
  const ownerType = path.steps.at(-1)?.startsWith('.') ? typeOf(file, event.fn, owner) : undefined;
  if (!ownerType || !barrierType.test(ownerType) || !event.value) return [];
  return [{ base: owner, event, name: lastName(path), field: () => ({ value: event.value!, at: event }) }];
}

/** The type of a variable or of an element of one. */
function typeOf(file: FileFacts, fn: FunctionFacts, path: Path): string | undefined {
  const type = typeOfPath(file, fn, path);
  return type && path.steps.at(-1)?.startsWith('[') ? elementType(type) : type;
}

/** `barrier.setOldLayout(x)` of vulkan.hpp, in a chain too. */
function setter(file: FileFacts, call: Call): Write[] {
  const base = pathOf(setterTarget(call));
  const named = /^set([A-Z]\w*)$/.exec(call.name)?.[1];
  const type = base && typeOf(file, call.fn, base);
  if (!named || !type || !barrierType.test(type) || !call.args[0]) return [];
  const name = named[0]!.toLowerCase() + named.slice(1);
  return [{ base, event: call, name, field: () => ({ value: call.args[0]!, at: call.args[0]! }) }];
}

function ofInit(init: InitExpr, type: string, name: string): Written | undefined {
  const designated = init.entries.findLast((entry) => entry.field === name);
  if (designated) return { value: designated.value, at: designated.value };
  if (init.entries.some((entry) => entry.field !== undefined) || init.entries.length === 0) return { value: 'zero', at: init };
  const position = fieldOrder(type)?.indexOf(name) ?? -1;
  if (position < 0) return undefined;
  const entry = init.entries[position];
  return entry ? { value: entry.value, at: entry.value } : { value: 'zero', at: init };
}

/** The value of a field at a use: the last write must lie on every way there. */
function latest(writes: readonly Write[], name: string, use: Event): Written | undefined {
  const before = writes.filter((write) => write.event.id <= use.id && (write.name === undefined || write.name === name));
  const last = before.at(-1);
  return last && dominates(last.event, use) ? last.field(name) : undefined;
}

/** The barrier is handed to a call, stored or returned. */
function isUse(event: Event, base: Path, writes: readonly Write[]): boolean {
  if (writes.some((write) => write.event === event)) return false;
  if (event.kind !== 'call' && event.kind !== 'return' && event.kind !== 'assign') return false;
  const parts = event.kind === 'call' ? event.args : event.kind === 'assign' ? (event.value ? [event.value] : []) : expressionsOf(event);
  const isPart = (expr: Expr) => expr.kind === 'path' && isWithin(base, expr.path) && (isWithin(expr.path, base) || expr.path.steps.length === 0);
  return parts.some((part) => [...walk(part)].some((expr) => isPart(expr)));
}

/** Brace lists in the place of a barrier, inside arrays too, and chains of setters that begin with one. */
function inPlace(fn: FunctionFacts): ImageBarrier[] {
  // An expression belongs to the event of its call and to the event around that.
  const found = new Map<Expr, ImageBarrier>();
  for (const event of fn.events) for (const each of literalsOf(event)) found.set(each.start, found.get(each.start) ?? literal(fn, event, each));
  return [...found.values()];
}

interface Literal {
  readonly init: InitExpr;
  readonly type: string;
  /** What a chain of setters begins with: the list itself, or the call `vk::ImageMemoryBarrier()`. */
  readonly start: Expr;
}

function literalsOf(event: Event): Literal[] {
  if (event.kind !== 'assign' && event.kind !== 'return' && event.kind !== 'call') return [];
  const declared = event.kind === 'assign' ? event.declares?.type : undefined;
  const type = bareType(declared ?? '');
  const value = event.kind === 'assign' && event.value ? stripCasts(event.value) : undefined;
  if (declared && barrierType.test(type) && value?.kind === 'init')
    return declared.endsWith(']')
      ? value.entries.flatMap(({ value: each }) => (each.kind === 'init' ? [{ init: each, type, start: each }] : []))
      : [];
  const inside = new Set(expressionsOf(event).flatMap((each) => [...walk(each)]));
  return [...inside].flatMap((expr) => literalOf(expr) ?? []);
}

function literalOf(expr: Expr): Literal | undefined {
  if (expr.kind === 'init' && expr.type && barrierType.test(bareType(expr.type))) return { init: expr, type: bareType(expr.type), start: expr };
  if (expr.kind !== 'call' || !barrierType.test(expr.callee)) return undefined;
  const entries = expr.args.map((value) => ({ field: undefined, value }));
  return { init: { kind: 'init', type: expr.callee, entries, span: expr.span }, type: expr.callee, start: expr };
}

function literal(fn: FunctionFacts, event: Event, { init, type, start }: Literal): ImageBarrier {
  const chained = fn.calls.filter((call) => /^set[A-Z]/.test(call.name) && beginsWith(call.receiver, start));
  const field = (name: string): Written | undefined => {
    const set = chained.findLast((call) => call.name.slice(3).toLowerCase() === name.toLowerCase());
    return set?.args[0] ? { value: set.args[0], at: set.args[0] } : ofInit(init, type, name);
  };
  return barrier(fn, init, field, event);
}

function beginsWith(receiver: Expr | undefined, start: Expr): boolean {
  if (receiver === start) return true;
  return receiver?.kind === 'call' && beginsWith(receiver.receiver, start);
}

function barrier(fn: FunctionFacts, at: Event | Expr, field: ImageBarrier['field'], event?: Event): ImageBarrier {
  const place = event ?? (at as Event);
  return {
    fn,
    at,
    field,
    symbol: (name) => {
      const written = field(name);
      const value = written && written.value !== 'zero' ? valueAt(place, written.value) : undefined;
      return value === undefined || value === 'zero' ? undefined : symbolOf(value);
    },
  };
}
