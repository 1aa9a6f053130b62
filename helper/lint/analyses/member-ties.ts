// Members of a class that hang on each other: which one is made out of which, and which class still needs what it was made of at its end.
import type { ClassFacts, Event, Expr, FileFacts, FunctionFacts, Variable } from '../facts/index';
import { childrenOf, expressionsOf, isWithin, pathOf, walk } from '../facts/paths';
import { ownedClass, reachedCalls } from './releases';

/** Some method or initialiser makes the dependant out of the dependency: `frame_ = std::make_unique<Frame>(*device_)`, `frame_(device_)`. */
export function isMadeFrom(each: ClassFacts, dependant: Variable, dependency: Variable): boolean {
  const initial = each.fields.find((field) => field.name === dependant.name)?.init;
  if (initial && isGiven(initial, dependency)) return true;
  return each.methods.some((method) => method.events.some((event) => makes(event, dependant, dependency)));
}

const filling = /^(emplace|emplace_back|push_back|reset|init|initiali[sz]e|create|setup|build|attach|bind|set[A-Z_]\w*)$/i;

function makes(event: Event, dependant: Variable, dependency: Variable): boolean {
  if (event.kind === 'assign') return isField(event.target, dependant) && event.value !== undefined && isGiven(event.value, dependency);
  if (event.kind !== 'call' || !event.receiver || !isField(event.receiver, dependant) || !filling.test(event.name)) return false;
  return event.args.some((arg) => isField(arg, dependency) || isGiven(arg, dependency));
}

export function isField(expr: Expr, field: Variable): boolean {
  const path = pathOf(expr);
  return path?.kind === 'this' && path.steps[0] === `.${field.name}` && path.steps.slice(1).every((step) => step === '*');
}

/** The object itself, its address or its raw pointer is an argument; not something that was asked of it. */
function isGiven(expr: Expr, field: Variable): boolean {
  return walk(expr).some((part) => (part.kind === 'call' ? part.args : isList(part) ? childrenOf(part) : []).some((arg) => isField(arg, field)));
}

/** The arguments of `frame_(device_)` and `frame_{device_}` in a list of initialisers. */
function isList(expr: Expr): boolean {
  return expr.kind === 'init' || expr.kind === 'other';
}

/**
 * The dependant's class keeps a reference or pointer to the other class, and its destructor uses it, or is not shown and so may.
 */
export function usesAtEnd(file: FileFacts, dependant: string, dependency: string): boolean {
  const own = file.classNamed(ownedClass(dependant) ?? '');
  const other = ownedClass(dependency);
  const kept = own && other !== undefined ? own.fields.filter((field) => pointsTo(field.type, other)) : [];
  if (!own || kept.length === 0) return false;
  return own.destructorElsewhere || (own.destructor !== undefined && kept.some((field) => reads(file, own.destructor!, field)));
}

function pointsTo(type: string, name: string): boolean {
  const pointed = /^(.*?)\s*(?:\bconst\b)?\s*[*&]\s*(?:const)?$/.exec(type)?.[1] ?? /^(?:std::)?reference_wrapper<(.*)>$/.exec(type)?.[1];
  return pointed !== undefined && ownedClass(pointed) === name;
}

function reads(file: FileFacts, destructor: FunctionFacts, field: Variable): boolean {
  const bodies = new Set([destructor, ...[...reachedCalls(file, destructor)].map(({ call }) => call.fn)]);
  const own = { root: 'this', kind: 'this', steps: [`.${field.name}`] } as const;
  const isRead = (expr: Expr) => walk(expr).some((part) => part.kind === 'path' && isWithin(part.path, own));
  return [...bodies].some((fn) => fn.className === destructor.className && fn.events.some((event) => expressionsOf(event).some(isRead)));
}
