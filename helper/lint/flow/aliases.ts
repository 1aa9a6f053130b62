// Locals that stand for something else: pointers and references into a struct, elements that a loop goes through.
import type { Assign, Event, Expr, FunctionFacts, Path } from '../facts/index';
import { addressOf, extend, pathKey, pathOf, stripCasts } from '../facts/paths';

/** `s` of `s = &ring->slots[i]`, `f` of `f = frames + i` and `each` of `for (auto& each : slots)` lead on; more than these no code needs. */
const maxAliases = 4;

/** The path with locals that only point or refer to something replaced by that: `ring.slots[i].fd` for `s->fd`. */
export function unaliased(fn: FunctionFacts, path: Path, left = maxAliases): Path {
  const target = path.kind === 'local' && path.steps.length > 0 && left > 0 ? targetOf(fn, path) : undefined;
  if (!target) return path;
  const rest = path.steps[0] === '*' ? path.steps.slice(1) : path.steps;
  return unaliased(fn, extend(target, ...rest), left - 1);
}

/** `fds[]` for `fd` of `for (int fd : fds)`: a copy, by which an element can be read or ended. */
export function elementCopied(fn: FunctionFacts, path: Path): Path | undefined {
  const value = path.kind === 'local' && path.steps.length === 0 ? onlyDefinition(fn, path)?.value : undefined;
  return value?.kind === 'other' ? rangeIn(value) : undefined;
}

/** The declaration of a local that is never set again. */
function onlyDefinition(fn: FunctionFacts, { declared, root }: Path): Assign | undefined {
  const made = settings(fn).get(root) ?? [];
  const [only, ...more] = declared ? made.filter((event) => event.declares === declared || !event.declares) : made;
  return only?.declares && more.length === 0 ? only : undefined;
}

function targetOf(fn: FunctionFacts, path: Path): Path | undefined {
  const only = onlyDefinition(fn, path);
  const { root } = path;
  if (!only?.declares || !only.value || !/[*&]$/.test(only.declares.type)) return undefined;
  const to = pointedTo(only.value, only.declares.type);
  return to && pathKey(to) !== root ? to : undefined;
}

const known = new WeakMap<FunctionFacts['events'], ReadonlyMap<string, readonly Assign[]>>();

/** Where a function sets its locals as a whole, by their names. */
function settings({ events }: FunctionFacts): ReadonlyMap<string, readonly Assign[]> {
  const found = known.get(events);
  if (found) return found;
  const made = new Map<string, Assign[]>();
  for (const event of events) {
    if (event.kind !== 'assign' || event.target.kind !== 'path' || event.target.path.steps.length > 0) continue;
    const { root } = event.target.path;
    const before = made.get(root);
    if (before) before.push(event);
    else made.set(root, [event]);
  }
  known.set(events, made);
  return made;
}

/** What an initialiser makes a pointer or reference of this type mean. */
function pointedTo(value: Expr, type: string): Path | undefined {
  const bare = stripCasts(value);
  const range = rangeIn(bare);
  if (range) return range;
  if (bare.kind === 'binary' && bare.op === '+') return elementOf(bare.left);
  return type.endsWith('&') || bare.kind === 'path' ? pathOf(bare) : addressOf(bare);
}

/** The element of a loop over a range. */
function rangeIn(value: Expr): Path | undefined {
  const range = value.kind === 'other' && value.operands.length === 1 ? pathOf(value.operands[0]) : undefined;
  return range && extend(range, '[]');
}

function elementOf(pointer: Expr): Path | undefined {
  const path = pathOf(pointer);
  return path && extend(path, '[]');
}

/** Equal but for array indices: a loop goes through all elements. */
export function sameButIndices(a: Path | undefined, b: Path): boolean {
  const plain = (path: Path) => pathKey(path).replace(/\[[^\]]*\]/g, '[]');
  return a !== undefined && plain(a) === plain(b);
}

/** The path that an event assigns to, through an alias or not. */
export function assignedBy(event: Event): Path | undefined {
  const path = event.kind === 'assign' ? pathOf(event.target) : undefined;
  return path && unaliased(event.fn, path);
}
