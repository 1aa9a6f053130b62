// Slots of an array that are picked by two indices in one function: one for what is worked on, another, counted by itself, for its semaphore.
import type { Call, Event, Expr, FunctionFacts, Path } from '../facts/index';
import { lastName, pathKey, pathOf, stripCasts, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';

export interface StrayCounter {
  /** Where the semaphore's slot is picked. */
  readonly at: Event;
  readonly semaphore: Path;
  readonly used: Path;
  readonly use: Call;
}

interface Element {
  readonly path: Path;
  /** The array and what each of its elements is: equal for `slots[i].ready` and `slots[j].image`. */
  readonly array: string;
  readonly index: string;
  readonly at: Event;
}

/** A GL semaphore of one slot guards a texture of another, and the two indices have nothing to do with each other. */
export function strayCounters(fn: FunctionFacts): StrayCounter[] {
  return fn.calls.flatMap((call) => {
    if (!/^gl(Wait|Signal)Semaphore$/.test(call.api?.name ?? '')) return [];
    const semaphore = elementOf(call, call.api!.arg('semaphore'));
    const textures = [...listed(call, 'textures'), ...listed(call, 'buffers')];
    const other = semaphore && textures.find((each) => each.array === semaphore.array && isUnrelated(fn, semaphore, each));
    return other ? [{ at: semaphore!.at, semaphore: semaphore!.path, used: other.path, use: call }] : [];
  });
}

function listed(call: Call, name: string): Element[] {
  const element = elementOf(call, call.api!.arg(name));
  return element ? [element] : [];
}

/** The element that an expression names, references and pointers to it followed. */
function elementOf(call: Call, written: Expr | undefined): Element | undefined {
  const path = pathOf(written);
  if (!path) return undefined;
  const found = element(path, call);
  if (found || path.kind !== 'local') return found;
  const declared = call.fn.events.find((event) => event.kind === 'assign' && event.declares?.name === path.root && event.id < call.id);
  const value = declared?.kind === 'assign' && declared.value && /[&*]$/.test(declared.declares!.type) ? pathOf(declared.value) : undefined;
  return value && declared && element({ ...value, steps: [...value.steps, ...path.steps.filter((step) => step !== '*')] }, declared);
}

function element(path: Path, at: Event): Element | undefined {
  const first = path.steps.findIndex((step) => step.startsWith('['));
  if (first < 0 || !path.steps[first + 1]?.startsWith('.')) return undefined;
  return { path, array: pathKey({ ...path, steps: path.steps.slice(0, first) }), index: path.steps[first]!.slice(1, -1), at };
}

function isUnrelated(fn: FunctionFacts, semaphore: Element, other: Element): boolean {
  const [own, others] = [namesOf(fn, semaphore), namesOf(fn, other)];
  return own.size > 0 && others.size > 0 && ![...own].some((name) => others.has(name)) && (counts(fn, semaphore) || counts(fn, other));
}

/** What an index is made of, without the length of the array; locals are followed to what they were made of. */
function namesOf(fn: FunctionFacts, { index, at }: Element): ReadonlySet<string> {
  const names = new Set(variables(index));
  for (const name of names) {
    if (!fn.locals.some((each) => each.name === name)) continue;
    const value = valueAt(at, { kind: 'path', path: { root: name, kind: 'local', steps: [] }, span: at.span });
    for (const part of value && value !== 'zero' ? walk(stripCasts(value)) : []) if (part.kind === 'path') names.add(lastName(part.path));
  }
  return names;
}

/** The variables and fields in an index, by their last name: `next` of `ring->next % count`. */
function variables(index: string): string[] {
  const chains = index.replace(/%.*$/, '').match(/[A-Za-z_]\w*(?:(?:->|\.)\w+)*/g) ?? [];
  return chains.map((chain) => chain.split(/->|\./).at(-1)!);
}

/** The index is a counter that this function moves. */
function counts(fn: FunctionFacts, { index }: Element): boolean {
  if (/\+\+|--/.test(index)) return true;
  const [name] = variables(index);
  return fn.events.some((event) => {
    if (event.kind !== 'assign' || (!/^(\+\+|\+=)$/.test(event.op) && !isNext(event.value, name))) return false;
    const path = pathOf(event.target);
    return path !== undefined && path.kind !== 'local' && lastName(path) === name;
  });
}

/** `turn = (turn + 1) % n`. */
function isNext(value: Expr | undefined, name: string | undefined): boolean {
  return value?.kind === 'binary' && [...walk(value)].some((part) => part.kind === 'path' && lastName(part.path) === name);
}
