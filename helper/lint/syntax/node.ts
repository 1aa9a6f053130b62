// A plain copy of a syntax tree: walking JavaScript objects is faster than crossing into WASM per node, and nothing has to be deleted.
import type { Tree, TreeCursor } from 'web-tree-sitter';

export interface Node {
  readonly type: string;
  readonly named: boolean;
  readonly start: number;
  readonly end: number;
  readonly field: string | undefined;
  readonly children: readonly Node[];
  /** An ERROR or MISSING node lies at or below. */
  readonly broken: boolean;
}

/** Deeper nesting is machine-made; it counts as broken so that nothing is concluded from it. */
const maxDepth = 300;

export function copyTree(tree: Tree): Node {
  const cursor = tree.walk();
  try {
    return copy(cursor, 0);
  } finally {
    cursor.delete();
  }
}

function copy(cursor: TreeCursor, depth: number): Node {
  const type = cursor.nodeType;
  const named = cursor.nodeIsNamed;
  const start = cursor.startIndex;
  const end = cursor.endIndex;
  const field = cursor.currentFieldName ?? undefined;
  let broken = type === 'ERROR' || cursor.nodeIsMissing;
  const children: Node[] = [];
  if (cursor.gotoFirstChild()) {
    if (depth >= maxDepth) broken = true;
    else
      do {
        const child = copy(cursor, depth + 1);
        broken ||= child.broken;
        children.push(child);
      } while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return { type, named, start, end, field, children, broken };
}

export function field(node: Node | undefined, name: string): Node | undefined {
  return node?.children.find((child) => child.field === name);
}

export function fields(node: Node, name: string): Node[] {
  return node.children.filter((child) => child.field === name);
}

/** Named children without comments. */
export function named(node: Node | undefined): Node[] {
  return node ? node.children.filter((child) => child.named && child.type !== 'comment') : [];
}

export function childOf(node: Node | undefined, ...types: string[]): Node | undefined {
  return node?.children.find((child) => types.includes(child.type));
}

export function hasToken(node: Node, text: string): boolean {
  return node.children.some((child) => !child.named && child.type === text);
}

export function contains(node: Node, test: (node: Node) => boolean): boolean {
  return test(node) || node.children.some((child) => contains(child, test));
}
