// Copies a tree piece by piece. Pieces that an edit leaves alone are kept, and with them all that was made of them.
import type { Tree } from 'web-tree-sitter';
import type { TextEdit } from '../text/edit';
import type { Binding } from './binding';
import { chain, type Links, oneOperator, readChain } from './chains';
import { Cursor } from './cursor';
import { Anchor, type Node, tooDeep } from './node';

/** Deeper nesting is machine-made; it counts as broken so that nothing is concluded from it. */
const maxDepth = 300;
/** From here on long chains of operators are taken apart, so that their operands have some depth left. */
const chainDepth = 200;
/** Levels that a chain has then: its operands are halved until one is left. */
const chainLevels = 20;

/** Nodes whose children are pieces of their own. A `block` is one in the body of a Python class; those of functions are inside a piece. */
const containers =
  /^(translation_unit|module|namespace_definition|declaration_list|linkage_specification|(class|struct|union)_specifier|field_declaration_list|template_declaration|class_definition|decorated_definition|block|ERROR)$/;

interface Piece {
  readonly node: Node;
  readonly anchor: Anchor;
  readonly size: number;
  readonly parts: readonly Piece[];
}

class CopiedNode implements Node {
  constructor(
    readonly type: string,
    readonly named: boolean,
    readonly field: string | undefined,
    readonly children: readonly Node[],
    readonly broken: boolean,
    readonly anchor: Anchor,
    private readonly from: number,
    private readonly to: number,
  ) {}

  get start(): number {
    return this.anchor.offset + this.from;
  }
  get end(): number {
    return this.anchor.offset + this.to;
  }

  as(field: string): CopiedNode {
    return new CopiedNode(this.type, this.named, field, this.children, this.broken, this.anchor, this.from, this.to);
  }

  /** From the beginning of one to the end of another. */
  static around(type: string, field: string | undefined, children: readonly CopiedNode[]): CopiedNode {
    const [first, last] = [children[0]!, children.at(-1)!];
    const broken = children.some((child) => child.broken);
    return new CopiedNode(type, true, field, children, broken, first.anchor, first.from, last.to);
  }
}

/** The copy of a whole tree, for once. */
export function copyTree(binding: Binding, tree: Tree): Node {
  return new TreeCopy(binding).update(tree);
}

/** The copies of successive trees of one text. */
export class TreeCopy {
  #root: Piece | undefined;
  #kept = new Map<number, Piece[]>();
  #changed: readonly { readonly startIndex: number; readonly endIndex: number }[] = [];

  constructor(private readonly binding: Binding) {}

  /** Without `edit` nothing is kept. `before` is the tree copied last, with the edit applied. */
  update(tree: Tree, before?: Tree, edit?: TextEdit): Node {
    this.#kept = new Map();
    if (this.#root && before && edit) {
      this.#keep(this.#root, edit);
      this.#changed = before.getChangedRanges(tree);
    }
    const cursor = new Cursor(this.binding, tree);
    try {
      this.#root = this.#piece(cursor, 0);
      return this.#root.node;
    } finally {
      cursor.delete();
      this.#kept = new Map();
    }
  }

  /** Moves what lies behind the edit, and notes what it does not touch. */
  #keep(piece: Piece, edit: TextEdit): void {
    const { anchor, size, parts } = piece;
    const isBehind = anchor.offset > edit.oldEnd;
    const isBefore = anchor.offset + size < edit.start;
    if (isBehind) anchor.offset += edit.newEnd - edit.oldEnd;
    if (isBehind || isBefore) {
      const known = this.#kept.get(anchor.offset);
      if (known) known.push(piece);
      else this.#kept.set(anchor.offset, [piece]);
    }
    for (const part of parts) this.#keep(part, edit);
  }

  #piece(cursor: Cursor, depth: number): Piece {
    const { start, typeId } = cursor;
    const type = cursor.typeOf(typeId);
    const known = this.#find(cursor, start, type);
    if (known) return known;
    const anchor = new Anchor(start);
    const size = cursor.end - start;
    if (!containers.test(type) || depth >= maxDepth) return { node: copy(cursor, anchor, depth), anchor, size, parts: [] };
    const { fieldName } = cursor;
    let broken = type === 'ERROR' || cursor.isMissing;
    const parts: Piece[] = [];
    if (cursor.gotoFirstChild()) {
      do {
        const part = this.#piece(cursor, depth + 1);
        broken ||= part.node.broken;
        parts.push(part);
      } while (cursor.gotoNextSibling());
      cursor.gotoParent();
    }
    const children = parts.map((part) => part.node);
    return { node: new CopiedNode(type, cursor.isNamed(typeId), fieldName, children, broken, anchor, 0, size), anchor, size, parts };
  }

  #find(cursor: Cursor, start: number, type: string): Piece | undefined {
    const candidates = this.#kept.get(start);
    if (!candidates) return undefined;
    const { end, fieldName: field } = cursor;
    const found = candidates.find(({ node, size }) => node.type === type && size === end - start && node.field === field);
    const isChanged = found && this.#changed.some(({ startIndex, endIndex }) => startIndex <= end && endIndex >= start);
    return isChanged ? undefined : found;
  }
}

function copyChain(cursor: Cursor, anchor: Anchor, depth: number): CopiedNode | undefined {
  const { nodeType: type, fieldName: field } = cursor;
  const links = readChain(cursor, (at) => copy(at, anchor, depth + chainLevels));
  if (!links) return undefined;
  if (oneOperator(links)) return halved(links, type, field, 0, links.operands.length);
  return CopiedNode.around(
    chain,
    field,
    links.operands.flatMap((operand, i) => [...(links.between[i - 1] ?? []), operand]),
  );
}

function halved(links: Links<CopiedNode>, type: string, field: string | undefined, from: number, to: number): CopiedNode {
  if (to - from === 1) return field === undefined ? links.operands[from]! : links.operands[from]!.as(field);
  const middle = (from + to) >> 1;
  return CopiedNode.around(type, field, [
    halved(links, type, 'left', from, middle),
    ...links.between[middle - 1]!,
    halved(links, type, 'right', middle, to),
  ]);
}

/** Most nodes are leaves. */
const noChildren: CopiedNode[] = [];

function copy(cursor: Cursor, anchor: Anchor, depth: number): CopiedNode {
  const chained = depth >= chainDepth ? copyChain(cursor, anchor, depth) : undefined;
  if (chained) return chained;
  const { typeId, fieldName } = cursor;
  let type = cursor.typeOf(typeId);
  const from = cursor.start - anchor.offset;
  const to = cursor.end - anchor.offset;
  // What is missing takes no place.
  let broken = type === 'ERROR' || (from === to && cursor.isMissing);
  let children = noChildren;
  if (cursor.gotoFirstChild()) {
    if (depth >= maxDepth) {
      broken = true;
      type = tooDeep;
    } else {
      children = [];
      do {
        const child = copy(cursor, anchor, depth + 1);
        broken ||= child.broken;
        children.push(child);
      } while (cursor.gotoNextSibling());
    }
    cursor.gotoParent();
  }
  return new CopiedNode(type, cursor.isNamed(typeId), fieldName, children, broken, anchor, from, to);
}
