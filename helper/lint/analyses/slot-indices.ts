// Fields that count through the slots of a ring of buffers, in C++ and Python classes.
import type { Assign, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, mentions, pathOf, walk } from '../facts/paths';

export interface Advance {
  readonly field: string;
  readonly path: Path;
  readonly at: Assign;
  readonly fn: FunctionFacts;
}

/** `i_ = (i_ + 1) % n`, `i_ ^= 1`, `i_ = 1 - i_`, `i_ = !i_`, `++i_` of a field of the class. */
export function advancesIn(file: FileFacts, className: string): Advance[] {
  const methods = file.functions.filter((fn) => fn.className === className && fn.kind === 'method' && !fn.degraded);
  return methods.flatMap((fn) => fn.events.flatMap((event) => advanceOf(fn, event) ?? []));
}

export function advanceOf(fn: FunctionFacts, event: Event): Advance | undefined {
  const path = event.kind === 'assign' ? pathOf(event.target) : undefined;
  if (event.kind !== 'assign' || path?.kind !== 'this' || path.steps.length !== 1 || event.declares) return undefined;
  const isStep =
    event.op === '++' ||
    event.op === '^=' ||
    (event.op === '+=' && event.value?.kind === 'number') ||
    (event.op === '=' && event.value !== undefined && stepsOn(event.value, path));
  return isStep ? { field: path.steps[0]!.slice(1), path, at: event, fn } : undefined;
}

function stepsOn(value: Expr, path: Path): boolean {
  if (!mentions(value, path)) return false;
  if (value.kind === 'unary') return value.op === '!' || value.op === 'not';
  return value.kind === 'binary' && ['%', '^', '-', '+', '&'].includes(value.op);
}

/** Arrays that the class indexes with the field, directly or reduced (`slots_[i_ % 2]`): their field names. */
export function arraysIndexedBy(file: FileFacts, className: string, field: string): Set<string> {
  const name = new RegExp(`(^|[^\\w])${field}([^\\w]|$)`);
  const events = file.functions.filter((fn) => fn.className === className).flatMap((fn) => fn.events);
  const parts = events.flatMap((event) => expressionsOf(event).flatMap((expr) => [...walk(expr)]));
  return new Set(parts.flatMap((part) => (part.kind === 'path' ? (arrayOf(part.path, name) ?? []) : [])));
}

/** `slots_` of `this.slots_[... i_ ...]`. */
function arrayOf(path: Path, index: RegExp): string | undefined {
  const [array, element] = path.steps;
  return path.kind === 'this' && array && element?.startsWith('[') && index.test(element) ? array.slice(1) : undefined;
}
