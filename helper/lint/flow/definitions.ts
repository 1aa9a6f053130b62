// Which value can a path hold at an event? Flow-sensitive, path-insensitive, inside one function.

import type { Assign, Call, Event, Expr, FunctionFacts, Path } from '../facts/index';
import { extend, isWithin, pathKey, pathOf, setterTarget } from '../facts/paths';
import { fieldOrder, unionFirst } from '../knowledge/index';
import { own } from '../own';
import { gotType, structureChain } from './structure-chains';

export interface Definition {
  readonly value: Expr | 'zero';
  readonly at: Event;
}

export interface Definitions {
  readonly values: readonly Definition[];
  /** Something else may have written it: an unknown callee, the caller (parameters), an index, or no definition was found. */
  readonly unknown: boolean;
}

/** What one question may cost. */
interface Budget {
  /** Copies of structs that are followed: `node = node->next` in a loop has no end. */
  readonly copies: number;
  /** Places that are looked for definitions at, over all ways: each copy may have several. */
  readonly places: { left: number };
}

const maxCopies = 8;
const maxPlaces = 200;

/** The definitions of `path` that reach `at`. */
export function definitionsAt(at: Event, path: Path): Definitions {
  return reaching(at, path, { copies: maxCopies, places: { left: maxPlaces } });
}

function reaching(at: Event, path: Path, budget: Budget): Definitions {
  if (--budget.places.left < 0) return nothing;
  const { blocks } = at.fn;
  const values: Definition[] = [];
  let unknown = path.kind !== 'local' && !isOwnCopy(at.fn, path);
  const seen = new Set<number>();
  const previous = predecessors(at.fn);
  const queue = [{ block: at.block, before: at.index }];
  for (const { block, before } of queue) {
    const found = lastDefinition(blocks[block]!.events, before, path, budget);
    if (found === 'unknown') unknown = true;
    else if (found) values.push(found);
    if (found) continue;
    const from = previous[block]!;
    if (block === at.fn.entry) unknown = true;
    for (const each of from) {
      if (seen.has(each)) continue;
      seen.add(each);
      queue.push({ block: each, before: blocks[each]!.events.length });
    }
  }
  return { values, unknown };
}

/** A parameter that is passed by value: nobody else can write it, only its first value comes from the caller. */
function isOwnCopy(fn: FunctionFacts, path: Path): boolean {
  const type = path.kind === 'param' ? fn.params.find((each) => each.name === path.root)?.type : undefined;
  return type !== undefined && type !== '' && !/[*&\]]$/.test(type) && !/\b(auto|T)\b/.test(type);
}

/** The value when there is exactly one, copies of locals followed a few steps. */
export function valueAt(at: Event, expr: Expr | undefined, depth = 4): Expr | 'zero' | undefined {
  if (!expr) return undefined;
  const path = expr.kind === 'path' ? expr.path : undefined;
  if (path?.kind !== 'local' || depth === 0) return expr;
  const { values, unknown } = definitionsAt(at, path);
  const [only] = values;
  if (unknown || values.length !== 1 || !only) return expr;
  return only.value === 'zero' ? 'zero' : valueAt(only.at, only.value, depth - 1);
}

/** A field of the struct that an argument points to: `fieldAt(call, call.api.arg('desc'), 'handle.fd')`. */
export function fieldAt(at: Event, struct: Expr | undefined, field: string): Definitions {
  if (struct?.kind === 'init') {
    const value = fieldOfInit(struct, struct.type ?? descriptorType(at, struct), field.split('.'));
    return value ? { values: [{ value, at }], unknown: false } : nothing;
  }
  const type = struct && gotType(at, struct);
  const list = type && structureChain(at, struct)?.initOf(type);
  if (list) return fieldAt(at, list, field);
  const path = pathOf(struct);
  if (!path) return nothing;
  return definitionsAt(at, extend(path, ...field.split('.').map((name) => `.${name}`)));
}

/** The type of a brace list in place of an API call's descriptor. */
function descriptorType(at: Event, struct: Expr): string | undefined {
  if (at.kind !== 'call' || !at.api) return undefined;
  const { api } = at;
  const type = api.api.params.find((param) => api.arg(param.name) === struct)?.descriptor;
  return type && api.spelling === 'hpp' ? type.replace(/^Vk/, 'vk::') : type;
}

const nothing: Definitions = { values: [], unknown: true };

/** The one expression a field holds, or undefined. */
export function soleField(at: Event, struct: Expr | undefined, field: string): Definition | undefined {
  const { values, unknown } = fieldAt(at, struct, field);
  return !unknown && values.length === 1 ? values[0] : undefined;
}

function lastDefinition(events: readonly Event[], before: number, path: Path, budget: Budget): Definition | 'unknown' | undefined {
  for (let i = before - 1; i >= 0; i--) {
    const event = events[i]!;
    const found = event.kind === 'assign' ? byAssignment(event, path, budget) : event.kind === 'call' ? byCall(event, path) : byEscape(event, path);
    if (found) return found;
  }
  return undefined;
}

function byAssignment(event: Assign, path: Path, budget: Budget): Definition | 'unknown' | undefined {
  const target = event.target.kind === 'path' ? event.target.path : undefined;
  if (!target) return undefined;
  if (!isWithin(path, target)) return undefined;
  if (event.op !== '=') return 'unknown';
  const inner = path.steps.slice(target.steps.length).map((step) => step.replace(/^\./, ''));
  // A struct of vulkan.hpp is zero when nothing is said.
  if (!event.value) return event.declares?.type.startsWith('vk::') && fieldOrder(event.declares.type) ? { value: 'zero', at: event } : 'unknown';
  return project(event, event.value, inner, budget);
}

/** The part `inner` of an assigned value. */
function project(event: Assign, value: Expr, inner: string[], budget: Budget): Definition | 'unknown' {
  if (inner.length === 0) return { value, at: event };
  if (value.kind === 'init') {
    const part = fieldOfInit(value, value.type ?? event.declares?.type, inner);
    return part ? { value: part, at: event } : 'unknown';
  }
  const copied = pathOf(value);
  if (copied && value.kind === 'path' && budget.copies > 0) {
    const part = extend(copied, ...inner.map((name) => (name.startsWith('[') || name === '*' ? name : `.${name}`)));
    const { values, unknown } = reaching(event, part, { ...budget, copies: budget.copies - 1 });
    return !unknown && values.length === 1 ? values[0]! : 'unknown';
  }
  return 'unknown';
}

/** A field of a brace list by designator or by position; absent fields are zero. Undefined when the order is not known. */
export function fieldOfInit(init: Expr & { kind: 'init' }, type: string | undefined, field: readonly string[]): Expr | 'zero' | undefined {
  if (init.entries.length === 0) return 'zero';
  const full = field.join('.');
  const exact = init.entries.findLast((entry) => entry.field === full);
  if (exact) return exact.value;
  const [head, ...rest] = field;
  const nested = init.entries.find((entry) => entry.field === head);
  if (nested) return rest.length === 0 ? nested.value : inside(nested.value, rest);
  if (init.entries.some((entry) => entry.field !== undefined)) return 'zero';
  const order = type && fieldOrder(type);
  if (!order) return undefined;
  // Constructors of vulkan.hpp take pNext last.
  const position = head === 'pNext' && !order.includes('pNext') ? order.length : order.indexOf(head!);
  if (position < 0) return undefined;
  const entry = init.entries[position];
  if (!entry) return 'zero';
  return rest.length === 0 ? entry.value : inside(entry.value, rest, head);
}

function inside(value: Expr, rest: readonly string[], head?: string): Expr | 'zero' | undefined {
  if (value.kind !== 'init') return undefined;
  if (head && own(unionFirst, head) === rest[0] && value.entries.length === 1 && value.entries[0]!.field === undefined)
    return value.entries[0]!.value;
  return fieldOfInit(value, undefined, rest);
}

function byCall(event: Call, path: Path): Definition | 'unknown' | undefined {
  if (event.name === 'memset' || event.name === 'bzero' || event.name === 'ZeroMemory') {
    const target = pathOf(event.args[0]);
    return target && isWithin(path, target) ? { value: 'zero', at: event } : undefined;
  }
  if (/^(std::)?exchange$/.test(event.callee) && event.args.length === 2) {
    const target = pathOf(event.args[0]);
    if (!target || !isWithin(path, target)) return undefined;
    return pathKey(path) === pathKey(target) ? { value: event.args[1]!, at: event } : 'unknown';
  }
  if (event.api) {
    const out = event.api.api.params.find((param) => param.out && touches(event.api!.arg(param.name), path));
    return out ? 'unknown' : undefined;
  }
  const set = bySetter(event, path);
  if (set) return set;
  const given = [...event.args, ...event.keywords.values()];
  return given.some((arg) => arg.kind === 'unary' && arg.op === '&' && touches(arg, path)) ? 'unknown' : undefined;
}

/** `info.setPNext(&next)` of vulkan.hpp, in a chain too. A setter of a range also writes the count: what it writes is not followed. */
function bySetter(event: Call, path: Path): Definition | 'unknown' | undefined {
  const named = /^set([A-Z]\w*)$/.exec(event.name)?.[1];
  const target = named && event.args.length === 1 ? pathOf(setterTarget(event)) : undefined;
  const field = target && isWithin(path, target) ? path.steps[target.steps.length] : undefined;
  if (!named || !field?.startsWith('.')) return undefined;
  const name = field.slice(1).toLowerCase();
  if (name === named.toLowerCase()) return path.steps.length === target!.steps.length + 1 ? { value: event.args[0]!, at: event } : 'unknown';
  return name.replace(/^p|s?(count)?$/g, '') === named.toLowerCase().replace(/s$/, '') ? 'unknown' : undefined;
}

function touches(arg: Expr | undefined, path: Path): boolean {
  const target = pathOf(arg);
  return target !== undefined && (isWithin(path, target) || pathKey(path) === pathKey(target));
}

function byEscape(event: Event, path: Path): 'unknown' | undefined {
  return event.kind === 'escape' && event.paths.some((escaped) => isWithin(path, escaped)) ? 'unknown' : undefined;
}

const predecessorCache = new WeakMap<FunctionFacts, number[][]>();

function predecessors(fn: FunctionFacts): number[][] {
  let known = predecessorCache.get(fn);
  if (!known) {
    known = fn.blocks.map((): number[] => []);
    for (const block of fn.blocks) for (const edge of block.edges) known[edge.to]!.push(block.id);
    predecessorCache.set(fn, known);
  }
  return known;
}
