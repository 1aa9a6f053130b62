// What an edit has replaced, when it has replaced functions and members of classes and nothing else: then the rest of the file need not be
// looked at.
import type { Node } from '../../syntax/node';

export interface Replaced {
  /** Definitions that others stand for now, in their place. */
  readonly definitions: readonly (readonly [before: Node, now: Node])[];
  /** Declarations in the bodies of classes. */
  readonly members: readonly (readonly [before: Node, now: Node])[];
  /** Classes around what is replaced that are otherwise as they were. */
  readonly classes: ReadonlyMap<Node, Node>;
}

interface Found {
  readonly definitions: [Node, Node][];
  readonly members: [Node, Node][];
  readonly classes: Map<Node, Node>;
}

const container = /^(translation_unit|namespace_definition|declaration_list|linkage_specification|field_declaration_list|template_declaration)$/;
const record = /^(struct|class|union)_specifier$/;
const member = /^(field_)?declaration$/;

/** Undefined when anything else differs. */
export function replacedIn(before: Node, now: Node): Replaced | undefined {
  const found: Found = { definitions: [], members: [], classes: new Map() };
  return collect(before, now, found, false) ? found : undefined;
}

function collect(before: Node, now: Node, found: Found, isInClass: boolean): boolean {
  if (before === now) return true;
  if (before.type !== now.type || before.field !== now.field) return false;
  if (now.type === 'function_definition') {
    found.definitions.push([before, now]);
    return true;
  }
  if (isInClass && member.test(now.type)) {
    found.members.push([before, now]);
    return true;
  }
  const isClass = record.test(now.type);
  if (!(isClass || container.test(now.type)) || before.children.length !== now.children.length) return false;
  if (isClass) found.classes.set(before, now);
  for (let i = 0; i < now.children.length; i++) {
    if (before.children[i] !== now.children[i] && !collect(before.children[i]!, now.children[i]!, found, isInClass || isClass)) return false;
  }
  return true;
}
