// Lowers a file again of which an edit has changed the insides of functions, or members of classes: those, and nothing else.
import type { Directive } from '../../facts/index';
import { guessedConsequence } from '../../knowledge/checks';
import { countWhere } from '../../sorted';
import { contains, field, type Node } from '../../syntax/node';
import { directiveText } from '../../text/directives';
import type { ClassDraft, FileContext } from '../context';
import type { LoweredFunction } from '../function';
import { type Definition, defineFunction, headOf, isRecordBody, kindOfDefinition, lowerCFile } from './file';
import { isDefaulted } from './function-lowering';
import { RenewedClasses, renewMembers } from './members';
import { type Replaced, replacedIn } from './replaced';

/** One version of a file as it was lowered. */
export interface LoweredC {
  readonly context: FileContext;
  readonly root: Node;
  /** What the macros of the file are, without their places. */
  readonly macros: string;
  readonly lookups: string;
  readonly definitions: Map<Node, Definition>;
  functions: readonly LoweredFunction[];
}

/** What is different in a version. */
export interface Difference {
  readonly functions: readonly LoweredFunction[];
  readonly gone: readonly LoweredFunction[];
  readonly added: readonly LoweredFunction[];
  /** Classes that lie elsewhere or have other methods. */
  readonly classes: ReadonlyMap<ClassDraft, ClassDraft>;
}

/** What the macros of a text are in one arm and in the others, to be compared. */
export function macrosOf(...arms: readonly (readonly Directive[])[]): string {
  return arms.map(directiveText).join('\n');
}

export function lowerWhole(context: FileContext, root: Node, macros: string): LoweredC {
  const definitions = lowerCFile(context, root);
  const byNode = new Map(definitions.map((each) => [each.node, each]));
  return { context, root, macros, lookups: context.lookups, definitions: byNode, functions: context.functions };
}

/** Undefined when more than functions and members has changed: then the file has to be lowered as a whole. Else `last` is in the new version. */
export function lowerAgain(last: LoweredC, text: string, root: Node, macros: string): [LoweredC, Difference] | undefined {
  if (macros !== last.macros) return undefined;
  const replaced = replacedIn(last.root, root);
  if (!replaced || replaced.definitions.length + replaced.members.length > 4) return undefined;
  const context = last.context.following(text);
  if (context.lookups !== last.lookups) return undefined;
  const renewed = new RenewedClasses(context);
  const members = renewMembers(context, replaced, renewed);
  const made = members && definedAgain(last, context, replaced, members.changed);
  if (!made || !renewMethods(context, renewed, made)) return undefined;
  for (const { before, definition } of made) {
    last.definitions.delete(before.node);
    last.definitions.set(definition.node, definition);
  }
  const gone = [...members.gone, ...made.flatMap((each) => each.gone)];
  const added = [...members.added, ...made.flatMap((each) => each.added)];
  const functions = mixed(last.functions, gone, added);
  return [
    { ...last, context, root, functions },
    { functions, gone, added, classes: renewed.all },
  ];
}

interface Made {
  readonly before: Definition;
  readonly definition: Definition;
  readonly gone: readonly LoweredFunction[];
  readonly added: readonly LoweredFunction[];
}

function definedAgain(last: LoweredC, context: FileContext, replaced: Replaced, changed: ReadonlySet<string>): Made[] | undefined {
  const made: Made[] = [];
  for (const [before, now] of replaced.definitions) {
    const one = redefine(last, context, before, now);
    if (!one) return undefined;
    made.push(one);
  }
  if (changed.size === 0) return made;
  const replacedNodes = new Set(replaced.definitions.map(([before]) => before));
  for (const definition of last.definitions.values()) {
    if (replacedNodes.has(definition.node) || !hasAsked(context, definition, changed)) continue;
    const one = madeAgain(context, definition, definition);
    if (!one) return undefined;
    if (one.gone[0] !== one.added[0]) made.push(one);
  }
  return made;
}

/** Whether the making of a function asked for the fields of one of the classes. */
function hasAsked(context: FileContext, definition: Definition, classes: ReadonlySet<string>): boolean {
  const asked = context.madeOf(definition.node, kindOfDefinition(definition))?.asked.get('fields of class');
  if (asked) for (const name of classes) if (asked.has(name)) return true;
  return false;
}

/** Undefined when the rest of the file sees the function in another way than before. */
function redefine(last: LoweredC, context: FileContext, node: Node, now: Node): Made | undefined {
  const before = last.definitions.get(node);
  const own = before && context.madeOf(node, kindOfDefinition(before))?.functions[0];
  if (!own || isDefaulted(now) || contains(now, isRecordBody) || contains(node, isRecordBody)) return undefined;
  if (!field(now, 'body') !== !field(node, 'body')) return undefined;
  const { name } = headOf(context, now, undefined);
  if (name !== own.name || guessedConsequence(name)) return undefined;
  return madeAgain(context, before, { ...before, node: now });
}

/** Undefined when it belongs to another class. */
function madeAgain(context: FileContext, before: Definition, definition: Definition): Made | undefined {
  const gone = context.madeOf(before.node, kindOfDefinition(before))?.functions ?? [];
  const start = context.functions.length;
  const fn = defineFunction(context, definition);
  if (fn?.className !== gone[0]?.className) return undefined;
  return { before, definition, gone, added: context.functions.slice(start) };
}

/** False when a method has no place in its class. */
function renewMethods(context: FileContext, renewed: RenewedClasses, made: readonly Made[]): boolean {
  for (const { gone, added } of made) {
    const draft = context.classes.get(gone[0]?.className ?? '');
    if (!draft) continue;
    const methods = [...draft.methods];
    const at = methods.indexOf(gone[0]!);
    if (at < 0) return false;
    methods[at] = added[0]!;
    renewed.renew(draft, { methods });
  }
  return true;
}

/** The functions that stay and the new ones, in order of the text. */
function mixed(functions: readonly LoweredFunction[], gone: readonly LoweredFunction[], added: readonly LoweredFunction[]): LoweredFunction[] {
  const left = new Set(gone);
  const all = left.size > 0 ? functions.filter((fn) => !left.has(fn)) : [...functions];
  for (const fn of [...added].sort((a, b) => a.span.start - b.span.start)) {
    const place = countWhere(all, ({ span }) => span.start <= fn.span.start);
    all.splice(place, 0, fn);
  }
  return all;
}
