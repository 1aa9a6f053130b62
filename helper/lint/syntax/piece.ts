// Parts of a tree that are kept each for itself.
import { countWhere } from '../sorted';
import type { TextEdit } from '../text/edit';
import type { CopiedNode } from './copied-node';
import type { Anchor } from './node';

export interface Piece {
  readonly node: CopiedNode;
  readonly anchor: Anchor;
  readonly size: number;
  readonly parts: readonly Piece[];
  /** It was parsed without the rest of the text, or something below was: the tree of the module knows nothing of it. */
  readonly alone: boolean;
}

/** Nodes whose children are pieces of their own. A `block` is one in the body of a Python class; those of functions are inside a piece. */
export const containers =
  /^(translation_unit|module|namespace_definition|declaration_list|linkage_specification|(class|struct|union)_specifier|field_declaration_list|template_declaration|class_definition|decorated_definition|block|ERROR)$/;

/** The pieces that an edit lies in, from the root inwards. Their first and last characters stay. */
export function piecesAround(root: Piece, { start, oldEnd }: TextEdit): Piece[] {
  const path: Piece[] = [];
  for (let next: Piece | undefined = root; next; next = lastBefore(next.parts, start)) {
    const { anchor, size } = next;
    if (anchor.offset >= start || oldEnd >= anchor.offset + size) break;
    path.push(next);
  }
  return path;
}

/** The last of the pieces that begins before an offset. */
function lastBefore(pieces: readonly Piece[], offset: number): Piece | undefined {
  return pieces[countBefore(pieces, offset) - 1];
}

/** How many of the pieces begin before an offset. */
export function countBefore(pieces: readonly Piece[], offset: number): number {
  return countWhere(pieces, ({ anchor }) => anchor.offset < offset);
}
