import type { Token } from '../facts/file';

const token =
  /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(@?"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|([A-Za-z_@$][\w$]*)|(\d[\w.']*)|(->|::|<<|>>|[=!<>+\-*/|&]=|&&|\|\||\+\+|--|\S)/g;
const kinds = ['', '', 'string', 'word', 'number', 'punctuation'] as const;

/** Tokens without comments and blanks. Works on any text. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(token)) {
    const group = [2, 3, 4, 5].find((i) => match[i] !== undefined);
    if (group === undefined) continue;
    tokens.push({ kind: kinds[group] as Token['kind'], text: match[0], span: { start: match.index, end: match.index + match[0].length } });
  }
  return tokens;
}

/** The different words and strings of a text. */
export interface Vocabulary {
  readonly word: ReadonlySet<string>;
  readonly string: ReadonlySet<string>;
}

interface PieceVocabulary extends Vocabulary {
  /** A comment goes on behind the end. */
  readonly isOpen: boolean;
}

/** Of a piece of a text; it has to begin outside of comments. */
export function vocabularyOf(piece: string): PieceVocabulary {
  const found = { word: new Set<string>(), string: new Set<string>() };
  let isOpen = false;
  for (const match of piece.matchAll(token)) {
    const comment = match[1];
    if (comment?.startsWith('/*')) isOpen = comment.length < 4 || !comment.endsWith('*/');
    else if (match[2] !== undefined) found.string.add(match[2]);
    else if (match[3] !== undefined) found.word.add(match[3]);
  }
  return { ...found, isOpen };
}

export function combineVocabularies(parts: readonly Vocabulary[]): Vocabulary {
  const all = { word: new Set<string>(), string: new Set<string>() };
  for (const { word, string } of parts) {
    for (const each of word) all.word.add(each);
    for (const each of string) all.string.add(each);
  }
  return all;
}
