// Memory of other processes that a class closes in one place and forgets in another: an evicted entry of a cache, a slot that is reset.
import type { Call, Event, FileFacts, FunctionFacts, Path } from '../facts/index';
import { eventsAfter } from '../flow/order';
import { callersOf, callsMeaning, resolveCallee } from '../flow/program';
import { declaredTypeOf } from '../flow/visible';
import { adders, drops, has, type IpcFault, isClose, isHeld, isOpen, mayRelease, storeOf } from './ipc-memory';
import { throughCalls } from './through-calls';

export function forgottenIpc(file: FileFacts): IpcFault[] {
  return file.subjects.flatMap((fn) => (fn.degraded ? [] : fn.calls.filter(isOpen).flatMap((call) => forgottenIn(file, call) ?? [])));
}

/** Where what `opened` maps loses its last name in a function that neither closes it nor gives it to anybody. */
function forgottenIn(file: FileFacts, opened: Call): IpcFault | undefined {
  const holder = holderOf(file, opened);
  if (!holder || endsByItself(file, opened.fn, holder)) return undefined;
  const own = file.functions.filter((fn) => holder.kind === 'global' || fn.className === opened.fn.className);
  if (!own.some((fn) => closesHeld(file, fn, holder))) return undefined;
  for (const fn of own) {
    if (fn.degraded || fn.kind === 'constructor' || closesAnything(file, fn) || callersOf(file, fn).some((caller) => closesAnything(file, caller)))
      continue;
    const dropped = fn.events.find((event) => drops(event, holder) && !(fn === opened.fn && isInstead(event, opened)));
    if (dropped && dropped.id !== opened.id && !passesOn(fn, holder)) return { at: dropped, opened, kind: 'dropped' };
  }
  return undefined;
}

/** One round fills a slot either with an opened pointer or with none: the next round is about another slot. */
function isInstead(drop: Event, opened: Call): boolean {
  const [first, last] = drop.id < opened.id ? [drop, opened] : [opened, drop];
  return ![...eventsAfter(first, { blocked: ({ id }) => id < first.id })].includes(last);
}

/** The member or global that the pointer is put into, by this function or by one that gets it from a helper. */
function holderOf(file: FileFacts, opened: Call): Path | undefined {
  const path = opened.api!.path('ptr');
  if (!path) return undefined;
  if (path.kind !== 'local') return isLasting(path) ? path : undefined;
  const base = { ...path, steps: [] };
  const holder = storeOf(opened, base);
  if (holder) return isLasting(holder) ? holder : undefined;
  const isGiven = opened.fn.events.some((event) => event.kind === 'return' && event.value !== undefined && has(event.value, base));
  const stored = isGiven ? callsMeaning(file, opened.fn).map((call) => storedResult(call)) : [];
  return stored.find((each) => each && isLasting(each));
}

function storedResult(call: Call): Path | undefined {
  return call.result && (call.result.kind === 'local' ? storeOf(call, call.result) : call.result);
}

function isLasting({ kind }: Path): boolean {
  return kind === 'this' || kind === 'global';
}

/** Smart pointers and classes with a destructor see to their own end. */
function endsByItself(file: FileFacts, fn: FunctionFacts, { root, kind, steps }: Path): boolean {
  const field = steps.findIndex((step) => step.startsWith('.'));
  const type = declaredTypeOf(file, fn, { root, kind, steps: kind === 'this' ? steps.slice(0, field + 1) : [] });
  if (type === undefined || /_ptr<|\bany\b/.test(type)) return true;
  return [...type.matchAll(/\w+/g)].some(([word]) => {
    const owner = file.classNamed(word);
    return owner !== undefined && (owner.destructor !== undefined || owner.destructorElsewhere || owner.bases.length > 0);
  });
}

function closesHeld(file: FileFacts, fn: FunctionFacts, holder: Path): boolean {
  return fn.calls.some((call) => {
    if (isClose(call)) return isHeld(fn, call.args[0], holder);
    const callee = call.api ? undefined : resolveCallee(file, call);
    return (callee?.calls.some(isClose) ?? false) && call.args.some((arg) => isHeld(fn, arg, holder));
  });
}

const closing = /close|unmap|ipc|release|free|destroy|clean/i;

/** A close in the function, in what it calls, or in something that nobody sees and that sounds like one. */
const closesAnything = throughCalls<boolean>(
  3,
  (ofCallee) => (file, fn) =>
    fn.calls.some((call) => {
      if (isClose(call)) return true;
      const callee = call.api ? undefined : resolveCallee(file, call);
      if (callee && callee !== fn) return ofCallee?.(file, callee) ?? false;
      return !callee && !call.api && closing.test(call.name);
    }),
);

/** What is dropped goes to somebody first: to a caller, into another list, into code that nobody sees. */
function passesOn(fn: FunctionFacts, holder: Path): boolean {
  return mayRelease(fn, holder) || fn.events.some((event) => keepsHeld(fn, event, holder));
}

function keepsHeld(fn: FunctionFacts, event: Event, holder: Path): boolean {
  if (event.kind === 'return') return isHeld(fn, event.value, holder) && !asksOnly(event);
  if (event.kind === 'call') return adders.test(event.name) && event.args.some((arg) => isHeld(fn, arg, holder));
  if (event.kind !== 'assign' || event.declares || !event.value || event.target.kind !== 'path') return false;
  return event.target.path.kind !== 'local' && isHeld(fn, event.value, holder);
}

/** `return !entries.empty();` */
function asksOnly(event: Event): boolean {
  return event.kind === 'return' && event.value !== undefined && /^(unary|binary|number|bool)$/.test(event.value.kind);
}
