// What an edit has replaced, when it has replaced functions and nothing else: then the rest of the file need not be looked at.
import type { Node } from '../../syntax/node';

export interface Replaced {
  /** Definitions that others stand for now, in their place. */
  readonly definitions: readonly (readonly [before: Node, now: Node])[];
  /** Nodes around them that are otherwise as they were. */
  readonly around: ReadonlyMap<Node, Node>;
}

const container =
  /^(translation_unit|namespace_definition|declaration_list|linkage_specification|(class|struct|union)_specifier|field_declaration_list|template_declaration)$/;

/** Undefined when anything else than functions differs. */
export function replacedIn(before: Node, now: Node): Replaced | undefined {
  const definitions: [Node, Node][] = [];
  const around = new Map<Node, Node>();
  return collect(before, now, definitions, around) ? { definitions, around } : undefined;
}

function collect(before: Node, now: Node, definitions: [Node, Node][], around: Map<Node, Node>): boolean {
  if (before === now) return true;
  if (before.type !== now.type || before.field !== now.field) return false;
  if (now.type === 'function_definition') {
    definitions.push([before, now]);
    return true;
  }
  if (!container.test(now.type) || before.children.length !== now.children.length) return false;
  around.set(before, now);
  for (let i = 0; i < now.children.length; i++) {
    if (before.children[i] !== now.children[i] && !collect(before.children[i]!, now.children[i]!, definitions, around)) return false;
  }
  return true;
}
