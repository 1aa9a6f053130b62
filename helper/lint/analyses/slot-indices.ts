// Fields that count through the slots of a ring of buffers, in C++ and Python classes.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, mentions, pathOf, walk } from '../facts/paths';

export interface Advance {
  readonly field: string;
  readonly path: Path;
  readonly at: Assign | Call;
  readonly fn: FunctionFacts;
}

/** `i_ = (i_ + 1) % n`, `i_ ^= 1`, `i_ = 1 - i_`, `i_ = !i_`, `++i_`, and `i_.store(...)` of an atomic, of a field of the class. */
export function advancesIn(file: FileFacts, className: string): Advance[] {
  const methods = file.functionsOfClass(className).filter((fn) => fn.kind === 'method' && !fn.degraded);
  return methods.flatMap((fn) => fn.events.flatMap((event) => advanceOf(fn, event) ?? []));
}

export function advanceOf(fn: FunctionFacts, event: Event): Advance | undefined {
  if (event.kind === 'call') return advanceOfAtomic(fn, event);
  const path = event.kind === 'assign' ? pathOf(event.target) : undefined;
  if (event.kind !== 'assign' || path?.kind !== 'this' || path.steps.length !== 1 || event.declares) return undefined;
  const isStep =
    event.op === '++' ||
    event.op === '^=' ||
    (event.op === '+=' && event.value?.kind === 'number') ||
    (event.op === '=' && event.value !== undefined && stepsOn(fn, event.value, path));
  return isStep ? { field: path.steps[0]!.slice(1), path, at: event, fn } : undefined;
}

function advanceOfAtomic(fn: FunctionFacts, call: Call): Advance | undefined {
  const path = /^(store|exchange|fetch_(add|xor|sub))$/.test(call.name) ? pathOf(call.receiver) : undefined;
  if (path?.kind !== 'this' || path.steps.length !== 1) return undefined;
  const [value] = call.args;
  const isStep = /^fetch_/.test(call.name) || (value !== undefined && stepsOn(fn, value, path));
  return isStep ? { field: path.steps[0]!.slice(1), path, at: call, fn } : undefined;
}

/** Locals that hold the field's value, as it is or reduced: `const int slot = i_.load() % n`. */
function copiesOf(fn: FunctionFacts, path: Path): string[] {
  return fn.events.flatMap((event) =>
    event.kind === 'assign' && event.declares && event.value && isValueOf(event.value, path) ? [event.declares.name] : [],
  );
}

function isValueOf(value: Expr, path: Path): boolean {
  const bare = value.kind === 'call' && value.receiver && /^(load|exchange|fetch_(add|xor|sub))$/.test(value.name) ? value.receiver : value;
  if (bare.kind === 'path') return mentions(bare, path) && bare.path.steps.length === path.steps.length;
  return bare.kind === 'binary' && /^[%^+&-]$/.test(bare.op) && [bare.left, bare.right].some((side) => isValueOf(side, path));
}

function stepsOn(fn: FunctionFacts, value: Expr, path: Path): boolean {
  const isCopy = (part: Expr) => part.kind === 'path' && part.path.kind === 'local' && copiesOf(fn, path).includes(part.path.root);
  if (!mentions(value, path) && ![...walk(value)].some(isCopy)) return false;
  if (value.kind === 'unary') return value.op === '!' || value.op === 'not';
  return value.kind === 'binary' && ['%', '^', '-', '+', '&'].includes(value.op);
}

/** Arrays that the class indexes with the field, directly or reduced (`slots_[i_ % 2]`): their field names. */
export function arraysIndexedBy(file: FileFacts, className: string, field: string): Set<string> {
  const methods = file.functionsOfClass(className);
  return new Set(
    methods.flatMap((fn) => {
      const names = [field, ...copiesOf(fn, { root: 'this', kind: 'this', steps: [`.${field}`] })];
      const name = new RegExp(`(^|[^\\w])(${names.join('|')})([^\\w]|$)`);
      const parts = fn.events.flatMap((event) => expressionsOf(event).flatMap((expr) => [...walk(expr)]));
      return parts.flatMap((part) => (part.kind === 'path' ? (arrayOf(part.path, name) ?? []) : []));
    }),
  );
}

/** `slots_` of `this.slots_[... i_ ...]`. */
function arrayOf(path: Path, index: RegExp): string | undefined {
  const [array, element] = path.steps;
  return path.kind === 'this' && array && element?.startsWith('[') && index.test(element) ? array.slice(1) : undefined;
}
