// What the parser gets to read: the text of an arm with macros blanked or rewritten that are no C to it, character for character.
import { blankAttributes } from './attributes';
import { endBareStatements } from './bare-statements';
import { ChunkMemo, endOfPiece } from './chunks';
import { plainDeclaredArguments } from './declared-arguments';
import { plainDialects, renameKeywords } from './dialects';
import { plainExpressions } from './expressions';
import { plainArguments } from './macro-arguments';
import { plainTryBlocks } from './macro-blocks';
import { plainMacroCalls } from './macro-calls';
import { plainMacroLaunches } from './macro-launches';
import { plainStatementArguments } from './statement-arguments';
import { blankStatementMacros } from './statement-macros';
import { blankStringMacros } from './string-macros';

/** Macros do not reach over the end of a function, so pieces are looked at one by one. */
function viewOfPiece(piece: string, isC: boolean): string {
  const named = isC ? renameKeywords(piece) : piece;
  const blocks = plainTryBlocks(plainMacroLaunches(named));
  const plain = plainExpressions(plainDialects(blankStringMacros(blankStatementMacros(blankAttributes(blocks)))));
  return plainMacroCalls(endBareStatements(plainDeclaredArguments(plainArguments(plainStatementArguments(plain)))));
}

/** The view of a text, once, as long as the text. */
export function viewOf(text: string, isC: boolean): string {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfPiece(text, at);
    pieces.push(viewOfPiece(text.slice(at, end), isC));
    at = end;
  }
  return pieces.join('');
}

/** The views of the versions of a text. */
export class ViewMemo {
  readonly #pieces: ChunkMemo<string>;
  #view = '';

  constructor(readonly isC: boolean) {
    this.#pieces = new ChunkMemo((piece) => viewOfPiece(piece, isC));
  }

  of(text: string): string {
    const pieces = this.#pieces.of(text);
    const { from, added, start, oldEnd } = this.#pieces.change;
    this.#view = this.#view.slice(0, start) + pieces.slice(from, from + added).join('') + this.#view.slice(oldEnd);
    return this.#view;
  }
}
