// Lowers a file again of which an edit has changed the insides of functions: those, and nothing else.
import type { Directive } from '../../facts/index';
import { guessedConsequence } from '../../knowledge/checks';
import { contains, field, type Node } from '../../syntax/node';
import { directiveText } from '../../text/directives';
import { type ClassDraft, type FileContext, spanOf } from '../context';
import type { LoweredFunction } from '../function';
import { type Definition, defineFunction, headOf, isRecordBody, kindOfDefinition, lowerCFile } from './file';
import { isDefaulted } from './function-lowering';
import { replacedIn } from './replaced';

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

/** Undefined when more than functions has changed: then the file has to be lowered as a whole. Else `last` is in the new version. */
export function lowerAgain(last: LoweredC, text: string, root: Node, macros: string): [LoweredC, Difference] | undefined {
  if (macros !== last.macros) return undefined;
  const replaced = replacedIn(last.root, root);
  if (!replaced || replaced.definitions.length > 4) return undefined;
  const context = last.context.following(text);
  if (context.lookups !== last.lookups) return undefined;
  const made: Made[] = [];
  for (const [before, now] of replaced.definitions) {
    const one = redefine(last, context, before, now);
    if (!one) return undefined;
    made.push(one);
  }
  const classes = renewedClasses(context, replaced.around, made);
  if (!classes) return undefined;
  for (const { before, definition } of made) {
    last.definitions.delete(before.node);
    last.definitions.set(definition.node, definition);
  }
  const gone = made.flatMap((each) => each.gone);
  const added = made.flatMap((each) => each.added);
  const functions = mixed(last.functions, gone, added);
  return [
    { ...last, context, root, functions },
    { functions, gone, added, classes },
  ];
}

interface Made {
  readonly before: Definition;
  readonly definition: Definition;
  readonly gone: readonly LoweredFunction[];
  readonly added: readonly LoweredFunction[];
}

/** Undefined when the rest of the file sees the function in another way than before. */
function redefine(last: LoweredC, context: FileContext, node: Node, now: Node): Made | undefined {
  const before = last.definitions.get(node);
  const gone = before ? context.madeOf(node, kindOfDefinition(before)) : [];
  if (!before || gone.length === 0 || isDefaulted(now) || contains(now, isRecordBody) || contains(node, isRecordBody)) return undefined;
  if (!field(now, 'body') !== !field(node, 'body')) return undefined;
  const { name } = headOf(context, now, undefined);
  const own = gone[0]!;
  if (name !== own.name || guessedConsequence(name)) return undefined;
  const definition = { ...before, node: now };
  const start = context.functions.length;
  const fn = defineFunction(context, definition);
  if (fn?.className !== own.className) return undefined;
  return { before, definition, gone, added: context.functions.slice(start) };
}

/** Undefined when a method has no place in its class. */
function renewedClasses(context: FileContext, around: ReadonlyMap<Node, Node>, made: readonly Made[]): Map<ClassDraft, ClassDraft> | undefined {
  const renewed = new Map<ClassDraft, ClassDraft>();
  const renew = (draft: ClassDraft, change: Partial<ClassDraft>) => renewed.set(draft, { ...(renewed.get(draft) ?? draft), ...change });
  if (around.size > 0)
    for (const draft of new Set(context.classes.values())) {
      const node = around.get(draft.node);
      if (node) renew(draft, { node, span: spanOf(node), nameSpan: spanOf(field(node, 'name') ?? node) });
    }
  for (const { gone, added } of made) {
    const draft = context.classes.get(gone[0]!.className ?? '');
    if (!draft) continue;
    const methods = [...(renewed.get(draft) ?? draft).methods];
    const at = methods.indexOf(gone[0]!);
    if (at < 0) return undefined;
    methods[at] = added[0]!;
    renew(draft, { methods });
  }
  for (const [name, draft] of context.classes) {
    const now = renewed.get(draft);
    if (now) context.classes.set(name, now);
  }
  return renewed;
}

/** The functions that stay and the new ones, in order of the text. */
function mixed(functions: readonly LoweredFunction[], gone: readonly LoweredFunction[], added: readonly LoweredFunction[]): LoweredFunction[] {
  if (gone.length + added.length === 0) return [...functions];
  const left = new Set(gone);
  const fresh = [...added].sort((a, b) => a.span.start - b.span.start);
  const all: LoweredFunction[] = [];
  let next = 0;
  for (const fn of functions) {
    if (left.has(fn)) continue;
    while (next < fresh.length && fresh[next]!.span.start < fn.span.start) all.push(fresh[next++]!);
    all.push(fn);
  }
  return [...all, ...fresh.slice(next)];
}
