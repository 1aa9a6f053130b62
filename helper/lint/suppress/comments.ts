// Comments of a text with their places. Works on any text; strings are skipped.
import type { Language, Span } from '../facts/index';
import { ChunkMemo } from '../text/chunks';

export interface Comment {
  readonly span: Span;
  /** Without its marks, trimmed. */
  readonly body: string;
}

const cTokens =
  /R"([^()\\\s]{0,16})\([\s\S]*?(?:\)\1"|$)|(?<!\\)"(?:\\[\s\S]|[^"\\\n])*"|\b\d[\w.']*|(?<!\\)'(?:\\[\s\S]|[^'\\\n])*'|(\/\/(?:\\\r?\n|[^\n\r])*|\/\*[\s\S]*?(?:\*\/|$))/g;
const pythonTokens = /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|(?<!\\)"(?:\\[\s\S]|[^"\\\n])*"|(?<!\\)'(?:\\[\s\S]|[^'\\\n])*'|(#[^\n\r]*)/g;

export function* commentsOf(text: string, language: Language): Generator<Comment> {
  const isPython = language === 'python';
  for (const match of text.matchAll(isPython ? pythonTokens : cTokens)) {
    const comment = match[isPython ? 1 : 2];
    if (comment === undefined) continue;
    const body = comment.replace(/^(#+|\/\/[/!]?|\/\*[*!]?)/, '').replace(/\*\/$/, '');
    yield { span: { start: match.index, end: match.index + comment.length }, body: body.trim() };
  }
}

/** The comments of one text. */
export interface Comments {
  /** Those that could tell the linter something. */
  readonly marked: readonly Comment[];
  /** Those that begin from one offset up to another. */
  between(start: number, end: number): readonly Comment[];
}

const mark = /seamscope|NOLINT/i;

export function allComments(text: string, language: Language): Comments {
  const all = [...commentsOf(text, language)];
  return {
    marked: all.filter(({ body }) => mark.test(body)),
    between: (start, end) => all.filter(({ span }) => span.start >= start && span.start < end),
  };
}

interface Piece {
  readonly comments: readonly Comment[];
  readonly marked: readonly Comment[];
  /** Its end could be inside of a comment or literal. */
  readonly isOpen: boolean;
}

/** The comments of successive versions of a C-family text. */
export class CommentMemo {
  readonly #pieces = new ChunkMemo(commentsOfPiece, ({ isOpen }) => isOpen);

  of(text: string): Comments {
    const pieces = this.#pieces.of(text);
    const marked: Comment[] = [];
    pieces.forEach((piece, i) => {
      if (piece.marked.length > 0) marked.push(...moved(piece.marked, this.#pieces.startOf(i)));
    });
    return { marked, between: (start, end) => this.#between(pieces, start, end) };
  }

  #between(pieces: readonly Piece[], start: number, end: number): Comment[] {
    const found: Comment[] = [];
    const [from, to] = this.#pieces.piecesAt(start, end);
    for (let i = from; i < to; i++) {
      const near = moved(pieces[i]!.comments, this.#pieces.startOf(i));
      found.push(...near.filter(({ span }) => span.start >= start && span.start < end));
    }
    return found;
  }
}

function moved(comments: readonly Comment[], by: number): Comment[] {
  return comments.map(({ span, body }) => ({ span: { start: span.start + by, end: span.end + by }, body }));
}

function commentsOfPiece(piece: string): Piece {
  const comments = [...commentsOf(piece, 'cpp')];
  const marked = comments.filter(({ body }) => mark.test(body));
  return { comments, marked: marked.length > 0 ? marked : none, isOpen: endsInside(piece) };
}

const none: readonly Comment[] = [];

function endsInside(piece: string): boolean {
  if (/\\\r?\n?$/.test(piece)) return true;
  for (const [found] of piece.matchAll(cTokens)) {
    if (found.startsWith('/*') && (found.length < 4 || !found.endsWith('*/'))) return true;
    if (found.startsWith('R"') && !wholeRawString.test(found)) return true;
  }
  return false;
}

const wholeRawString = /^R"([^()\\\s]{0,16})\([\s\S]*\)\1"$/;
