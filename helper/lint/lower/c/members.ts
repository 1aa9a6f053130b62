// Classes in which an edit has changed declarations of members: their fields are found again, and functions that asked for them are named.
import { contains, field, type Node } from '../../syntax/node';
import { type ClassDraft, type FileContext, fieldsText, functionPointer, spanOf } from '../context';
import type { LoweredFunction } from '../function';
import { collectFields, isRecordBody, memberDeclarationsIn, membersKind } from './file';
import type { Replaced } from './replaced';

/** The classes of a file that are others than in the version before. */
export class RenewedClasses {
  /** By what they were. */
  readonly all = new Map<ClassDraft, ClassDraft>();
  readonly #origins = new Map<ClassDraft, ClassDraft>();

  constructor(private readonly context: FileContext) {}

  renew(draft: ClassDraft, change: Partial<ClassDraft>): void {
    const now = { ...draft, ...change };
    const origin = this.#origins.get(draft) ?? draft;
    this.#origins.set(now, origin);
    this.all.set(origin, now);
    for (const [name, each] of this.context.classes) if (each === draft) this.context.classes.set(name, now);
  }
}

export interface RenewedMembers {
  /** Functions in the initialisers of fields. */
  readonly gone: readonly LoweredFunction[];
  readonly added: readonly LoweredFunction[];
  /** Names of classes that have other fields. */
  readonly changed: ReadonlySet<string>;
}

/** Classes get their new places and fields. Undefined when what has changed in them could concern more than functions that ask for fields. */
export function renewMembers(context: FileContext, { classes, members }: Replaced, renewed: RenewedClasses): RenewedMembers | undefined {
  if (members.some((pair) => pair.some((node) => contains(node, isRecordBody)))) return undefined;
  const drafts = new Set([...context.classes.values()].filter(({ node }) => classes.has(node)));
  const gone: LoweredFunction[] = [];
  const added: LoweredFunction[] = [];
  for (const draft of drafts) {
    const node = classes.get(draft.node)!;
    const place = { node, span: spanOf(node), nameSpan: spanOf(field(node, 'name') ?? node) };
    const fields = members.length > 0 ? fieldsAgain(context, draft, node) : {};
    if (!fields) return undefined;
    gone.push(...initialisersIn(context, draft.node));
    added.push(...initialisersIn(context, node));
    renewed.renew(draft, { ...place, ...fields });
  }
  const changed = changedFields(context, renewed);
  return changed && { gone: gone.filter((fn) => !added.includes(fn)), added: added.filter((fn) => !gone.includes(fn)), changed };
}

type Members = Pick<ClassDraft, 'fields' | 'destructorElsewhere' | 'constructorElsewhere'>;

/** Undefined when an initialiser asks for anything: it would be answered by what stands before it in the text. */
function fieldsAgain(context: FileContext, draft: ClassDraft, node: Node): Members | undefined {
  const now: ClassDraft = { ...draft, fields: [], destructorElsewhere: false, constructorElsewhere: false };
  for (const declaration of memberDeclarationsIn(node)) {
    collectFields(context, now, declaration);
    // Aliases are all known before.
    if ([...context.madeOf(declaration, membersKind)!.asked.keys()].some((question) => question !== 'aliases')) return undefined;
  }
  const { fields, destructorElsewhere, constructorElsewhere } = now;
  return { fields, destructorElsewhere, constructorElsewhere };
}

function initialisersIn(context: FileContext, node: Node): LoweredFunction[] {
  return memberDeclarationsIn(node).flatMap((declaration) => context.madeOf(declaration, membersKind)?.functions ?? []);
}

/** Undefined when others than functions may have asked, or for pointers to functions, which are asked for without a class. */
function changedFields(context: FileContext, renewed: RenewedClasses): ReadonlySet<string> | undefined {
  const different = new Set<ClassDraft>();
  for (const [before, now] of renewed.all) {
    if (before.fields === now.fields || fieldsText(before) === fieldsText(now)) continue;
    if (context.early.isAboutFields || pointersIn(before) !== pointersIn(now)) return undefined;
    different.add(now);
  }
  const names = new Set<string>();
  if (different.size > 0) for (const [name, draft] of context.classes) if (different.has(draft)) names.add(name);
  for (const name of names) context.changeFields(name);
  return names;
}

function pointersIn({ fields }: ClassDraft): string {
  return fields.flatMap(({ name, type }) => (functionPointer.test(type) ? [`${type} ${name}`] : [])).join();
}
