// One abstract state of the simulation: what paths hold, what calls returned, and in which state the tracked objects are.
import type { Event, Expr, Path } from '../facts/index';
import { pathKey } from '../facts/paths';
import type { ResultKind } from '../knowledge/index';
import { asksAbout } from './conditions';

export type Value =
  | { readonly k: 'num'; readonly n: number }
  /** An enumerator or other global constant, by name. */
  | { readonly k: 'sym'; readonly s: string }
  /** A tracked object. `pointer`: it is not null; otherwise it is a descriptor, which may be 0. */
  | { readonly k: 'obj'; readonly id: number; readonly pointer?: boolean }
  /** The result of a call whose outcome this state assumes. */
  | { readonly k: 'status'; readonly call: number; readonly ok: boolean; readonly result: ResultKind }
  /** The address of the thing at a key. */
  | { readonly k: 'addr'; readonly key: string }
  /** Not zero, null or false. `inside`: callers are not told, for whom it would only make one way of the call into two. */
  | { readonly k: 'some'; readonly inside?: true }
  /** Made by unknown code out of the outcome of calls: a test of it tells nothing, and the assumed outcomes no longer either. */
  | { readonly k: 'taint'; readonly calls: readonly number[] };

export interface Step {
  readonly state: string;
  readonly at: Event;
}

/** A tracked object, such as one file descriptor. */
export interface Tracked {
  readonly id: number;
  readonly state: string;
  /** How it got there, oldest first: the witness of a finding. */
  readonly history: readonly Step[];
  /** The call whose assumed outcome put it into this state. */
  readonly via: number | undefined;
  /** The path it was first seen under, when it was not acquired here. */
  readonly origin: Path | undefined;
  /** Unknown code has it: nothing may be concluded any more. */
  readonly escaped: boolean;
}

export class State {
  /** The return or throw on the way out, and the returned value. */
  leaving: Event | undefined;
  returned: Value | undefined;
  /** Keys that unknown code was given: a caller may no longer conclude anything about them. Grows only, and is no part of the key. */
  handed = new Set<string>();
  /** How the left sides of `&&`, `||` and `?` came out whose value is still to be used. */
  readonly joining = new Map<Expr, boolean>();

  constructor(
    readonly bindings: Map<string, Value> = new Map(),
    readonly results: Map<number, Value> = new Map(),
    readonly objects: Map<number, Tracked> = new Map(),
  ) {}

  clone(): State {
    const copy = new State(new Map(this.bindings), new Map(this.results), new Map(this.objects));
    copy.leaving = this.leaving;
    copy.returned = this.returned;
    copy.handed = new Set(this.handed);
    for (const [expr, outcome] of this.joining) copy.joining.set(expr, outcome);
    return copy;
  }

  /** The left side of a join came out. What came out inside of it is asked no more, or a long chain would carry all of itself along. */
  join(expr: Expr, came: boolean): void {
    const { start, end } = expr.span;
    for (const inner of [...this.joining.keys()]) if (inner.span.start >= start && inner.span.end <= end) this.joining.delete(inner);
    this.joining.set(expr, came);
  }

  /**
   * The property-relevant part: objects, where they are bound, and assumed outcomes. States that agree on it are merged and keep of the
   * rest only what they share (ESP). Histories are left out on purpose: the first one found is kept.
   */
  key(): string {
    const relevant = (value: Value) => value.k === 'obj' || value.k === 'status' || value.k === 'taint';
    const shown = [...this.bindings, ...this.results].filter(([, value]) => relevant(value)).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    const objects = [...this.objects.values()].map((each) => `${each.id}:${each.state}:${each.via}:${each.escaped}`);
    const joining = [...this.joining].map(([expr, outcome]) => `${expr.span.start}${outcome}`);
    return `${shown.sort().join()}|${joining.sort().join()}|${objects.sort().join()}|${this.leaving?.id}${JSON.stringify(this.returned)}`;
  }

  /** Keeps the bindings that another state with the same key shares. True when something was dropped. */
  intersect(other: State): boolean {
    let dropped = false;
    for (const key of other.handed) {
      if (this.handed.has(key)) continue;
      this.handed.add(key);
      dropped = true;
    }
    for (const [key, value] of [...this.bindings]) {
      if (sameValue(other.bindings.get(key), value)) continue;
      this.bindings.delete(key);
      dropped = true;
    }
    return dropped;
  }

  /** Drops objects that nothing names any more and returns them; those that a caller may know are kept as effects. */
  prune(): Tracked[] {
    if (this.objects.size === 0) return [];
    const named = new Set([...this.bindings.values(), ...this.results.values(), this.returned].map((value) => (value?.k === 'obj' ? value.id : -1)));
    const isOurs = ({ origin }: Tracked) => origin?.kind !== 'param' && origin?.kind !== 'this';
    const lost = [...this.objects.values()].filter((object) => !named.has(object.id) && isOurs(object));
    for (const object of lost) this.objects.delete(object.id);
    return lost;
  }

  /** The key of a path with aliases resolved: `p.x` for `p = &d` is `d.x`. */
  resolve(path: Path): string {
    const root = this.bindings.get(path.root);
    if (root?.k === 'addr') return root.key + (path.steps[0] === '*' ? path.steps.slice(1) : path.steps).join('');
    return pathKey(path);
  }

  lookup(key: string): Value | undefined {
    const own = this.bindings.get(key);
    if (own) return own;
    // A part of something that was zeroed as a whole is zero.
    for (let at = cut(key); at > 0; at = cut(key.slice(0, at))) {
      const outer = this.bindings.get(key.slice(0, at));
      if (outer) return outer.k === 'num' && outer.n === 0 ? outer : undefined;
    }
    return undefined;
  }

  bind(key: string, value: Value | undefined): void {
    this.forget(key);
    if (value) this.bindings.set(key, value);
  }

  /** Drops what is known about a key and everything inside it. */
  forget(key: string): void {
    for (const each of [...this.bindings.keys()]) {
      if (isInside(each, key)) this.bindings.delete(each);
      else if (isIndexedBy(each, key)) this.#loseSight(each);
    }
  }

  /** What came out of tests of it before it was written tells nothing any more. */
  askAnew(key: string): void {
    for (const each of [...this.bindings.keys()]) if (each.startsWith('?') && asksAbout(each, key)) this.bindings.delete(each);
  }

  /** Another element has the name now; the one that had it is still there. */
  #loseSight(key: string): void {
    const value = this.bindings.get(key);
    if (value?.k === 'obj') this.escape(value.id);
    this.bindings.delete(key);
  }

  keysInside(key: string): string[] {
    return [...this.bindings.keys()].filter((each) => isInside(each, key));
  }

  /** Paths an object is known under. */
  keysOf(id: number): string[] {
    return [...this.bindings].filter(([, value]) => value.k === 'obj' && value.id === id).map(([key]) => key);
  }

  move(id: number, state: string, at: Event, via?: number): void {
    const object = this.objects.get(id);
    if (!object || object.escaped) return;
    this.objects.set(id, { ...object, state, via, history: [...object.history, { state, at }] });
  }

  escape(id: number): void {
    const object = this.objects.get(id);
    if (object) this.objects.set(id, { ...object, escaped: true });
  }

  /** Forgets the assumed outcome of calls: their objects may be in either state. */
  doubt(calls: readonly number[]): void {
    for (const object of [...this.objects.values()]) if (object.via !== undefined && calls.includes(object.via)) this.escape(object.id);
  }
}

function sameValue(a: Value | undefined, b: Value): boolean {
  if (a === b) return true;
  if (a?.k !== b.k) return false;
  switch (b.k) {
    case 'num':
      return a.k === 'num' && a.n === b.n;
    case 'sym':
      return a.k === 'sym' && a.s === b.s;
    case 'obj':
      return a.k === 'obj' && a.id === b.id;
    case 'addr':
      return a.k === 'addr' && a.key === b.key;
    case 'some':
      return true;
    default:
      return JSON.stringify(a) === JSON.stringify(b);
  }
}

function cut(key: string): number {
  return Math.max(key.lastIndexOf('.'), key.lastIndexOf('['), key.endsWith('*') ? key.length - 1 : -1);
}

function isInside(key: string, outer: string): boolean {
  return key.startsWith(outer) && (key.length === outer.length || /[.[*]/.test(key[outer.length]!));
}

/** `fds[i]`, `fds[i + 1].fd` and `i`; fields are written with and without `this`. */
function isIndexedBy(key: string, changed: string): boolean {
  if (!key.includes('[')) return false;
  const index = changed.replace(/^this\./, '');
  return (key.match(/\[[^\]]*/g) ?? []).some((written) => {
    const step = written.replaceAll('this->', '');
    const at = step.indexOf(index);
    return at > 0 && !/[\w.>]/.test(step[at - 1]!) && !/\w/.test(step[at + index.length] ?? '');
  });
}
