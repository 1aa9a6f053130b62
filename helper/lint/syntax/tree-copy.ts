// Copies a tree piece by piece. Pieces that an edit leaves alone are kept, and with them all that was made of them.
import type { Tree } from 'web-tree-sitter';
import type { TextEdit } from '../text/edit';
import { hasOpenRawString, isBrokenInside, isBrokenOnlyIn, surroundingsOf } from './alone';
import type { Binding } from './binding';
import { CopiedNode, copy, isAlike, maxDepth } from './copied-node';
import { Cursor } from './cursor';
import { Anchor, type Node } from './node';
import { containers, countBefore, type Piece, piecesAround } from './piece';

/** The copy of a whole tree, for once. */
export function copyTree(binding: Binding, tree: Tree): Node {
  return new TreeCopy(binding).update(tree);
}

/** The copies of successive trees of one text. */
export class TreeCopy {
  #root: Piece | undefined;
  /** Pieces that the edit left alone, in order of the text, outer ones first. */
  #kept: Piece[] = [];
  /** How many of them lie before the cursor. */
  #passed = 0;
  #changed: readonly { readonly startIndex: number; readonly endIndex: number }[] = [];

  constructor(private readonly binding: Binding) {}

  /** The copy made last. */
  get root(): Node | undefined {
    return this.#root?.node;
  }

  /** Without `edit` nothing is kept. `before` is the tree copied last, with the edit applied. */
  update(tree: Tree, before?: Tree, edit?: TextEdit): Node {
    this.#kept = [];
    this.#passed = 0;
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
      this.#kept = [];
    }
  }

  /** Moves what lies behind the edit, and notes what it does not touch. */
  #keep(piece: Piece, edit: TextEdit): void {
    const { anchor, size, parts } = piece;
    const isBehind = anchor.offset > edit.oldEnd;
    const isBefore = anchor.offset + size < edit.start;
    if (isBehind) anchor.offset += edit.newEnd - edit.oldEnd;
    if (isBehind || isBefore) this.#kept.push(piece);
    for (const part of parts) this.#keep(part, edit);
  }

  /**
   * Reads the one declaration that an edit lies in without the rest of the text: `parse` gives the tree of a short text, which `free` is for.
   * Undefined when the declaration could be read otherwise in its place, or has errors that are not all inside the body of a function.
   */
  replace(text: string, edit: TextEdit, parse: (text: string) => Tree | null, free: (tree: Tree) => void): Node | undefined {
    const path = this.#root ? piecesAround(this.#root, edit) : [];
    const around = surroundingsOf(path);
    if (!around) return undefined;
    const { anchor, size } = path.at(-1)!;
    const by = edit.newEnd - edit.oldEnd;
    const own = text.slice(anchor.offset, anchor.offset + size + by);
    const tree = hasOpenRawString(own) ? null : parse(around.before + own + around.after);
    if (!tree) return undefined;
    let made: CopiedNode | undefined;
    try {
      made = this.#only(tree, path, around.before.length, own.length);
    } finally {
      free(tree);
    }
    if (!made) return undefined;
    made.anchor.offset = anchor.offset;
    this.#move(this.#root!, edit.oldEnd, by);
    this.#root = withInner(path, { node: made, anchor: made.anchor, size: own.length, parts: [], alone: true }, by);
    return this.#root.node;
  }

  /** The one declaration of a tree, if it lies where it should and is of the kind that the last piece of the path is. */
  #only(tree: Tree, path: readonly Piece[], start: number, size: number): CopiedNode | undefined {
    if (tree.rootNode.hasError && !isBrokenOnlyIn(copyTree(this.binding, tree), start, start + size)) return undefined;
    const cursor = new Cursor(this.binding, tree);
    try {
      for (let depth = 0; depth < path.length; depth++) {
        if (depth > 0 && !descend(cursor, start)) return undefined;
        const { node } = path[depth]!;
        if (cursor.nodeType !== node.type || cursor.fieldName !== node.field) return undefined;
      }
      const isWhole = cursor.start === start && cursor.end === start + size;
      const made = isWhole ? copy(cursor, new Anchor(start), path.length - 1) : undefined;
      return made?.broken && !isBrokenInside(made) ? undefined : made;
    } finally {
      cursor.delete();
    }
  }

  #move(piece: Piece, behind: number, by: number): void {
    const { anchor, parts } = piece;
    if (anchor.offset > behind) anchor.offset += by;
    // They lie one behind the other: only the last that begins before can have parts on both sides.
    for (let i = Math.max(0, countBefore(parts, behind + 1) - 1); i < parts.length; i++) this.#move(parts[i]!, behind, by);
  }

  #piece(cursor: Cursor, depth: number): Piece {
    const { start, typeId } = cursor;
    const type = cursor.typeOf(typeId);
    const known = this.#find(cursor, start, type);
    if (known && !known.alone) return known;
    const made = this.#made(cursor, type, start, depth);
    if (!known) return made;
    return known.parts.length > 0 ? sameParts(known, made) : isAlike(known.node, made.node) ? { ...known, alone: false } : made;
  }

  #made(cursor: Cursor, type: string, start: number, depth: number): Piece {
    const anchor = new Anchor(start);
    const { typeId } = cursor;
    const size = cursor.end - start;
    if (!containers.test(type) || depth >= maxDepth) return { node: copy(cursor, anchor, depth), anchor, size, parts: [], alone: false };
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
    return { node: new CopiedNode(type, cursor.isNamed(typeId), fieldName, children, broken, anchor, 0, size), anchor, size, parts, alone: false };
  }

  /** The cursor goes through the text once, so that nothing that it has passed is asked for again. */
  #find(cursor: Cursor, start: number, type: string): Piece | undefined {
    const kept = this.#kept;
    while (this.#passed < kept.length && kept[this.#passed]!.anchor.offset < start) this.#passed++;
    let at = this.#passed;
    if (at >= kept.length || kept[at]!.anchor.offset > start) return undefined;
    const { end, fieldName: field } = cursor;
    for (; at < kept.length && kept[at]!.anchor.offset === start; at++) {
      const { node, size } = kept[at]!;
      if (node.type !== type || size !== end - start || node.field !== field) continue;
      return this.#changed.some(({ startIndex, endIndex }) => startIndex <= end && endIndex >= start) ? undefined : kept[at];
    }
    return undefined;
  }
}

/** To the child that an offset lies in. */
function descend(cursor: Cursor, offset: number): boolean {
  if (!cursor.gotoFirstChild()) return false;
  while (cursor.end <= offset) if (!cursor.gotoNextSibling()) return false;
  return true;
}

/** The piece at the beginning of a path, with another one at its end that is longer by some characters. */
function withInner(path: readonly Piece[], inner: Piece, by: number): Piece {
  let made = inner;
  for (let i = path.length - 2; i >= 0; i--) {
    const { node, anchor: before, size: length, parts } = path[i]!;
    const anchor = new Anchor(before.offset);
    const at = parts.indexOf(path[i + 1]!);
    const size = length + by;
    const children = node.children.with(at, made.node);
    const broken = node.type === 'ERROR' || children.some((child) => child.broken);
    const outer = new CopiedNode(node.type, node.named, node.field, children, broken, anchor, 0, size);
    made = { node: outer, anchor, size, parts: parts.with(at, made), alone: true };
  }
  return made;
}

/** What is known of a node whose parts have turned out to be what they were. */
function sameParts(known: Piece, made: Piece): Piece {
  const { node, parts } = known;
  const isSame =
    node.broken === made.node.broken && parts.length === made.parts.length && made.parts.every((part, i) => part.node === parts[i]!.node);
  return isSame ? { ...known, parts: made.parts, alone: false } : made;
}
