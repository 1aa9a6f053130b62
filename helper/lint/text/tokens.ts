import type { Token } from '../facts/file';

const token =
  /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(@?(?<!\\)"(?:\\.|[^"\\\n])*"|(?<!\\)'(?:\\.|[^'\\\n])*')|([A-Za-z_@$][\w$]*)|(\d[\w.']*)|(->|::|<<|>>|[=!<>+\-*/|&]=|&&|\|\||\+\+|--|\S)/g;
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

/** The different words and strings of a piece of a text. */
export class Vocabulary {
  readonly #known = new Map<RegExp, boolean>();

  constructor(
    private readonly words: ReadonlySet<string>,
    private readonly strings: ReadonlySet<string>,
    /** A comment goes on behind the end. */
    readonly isOpen: boolean,
  ) {}

  /** Each pattern is tried once. */
  has(kind: 'word' | 'string', pattern: RegExp): boolean {
    let known = this.#known.get(pattern);
    if (known === undefined) {
      known = (kind === 'word' ? [...this.words] : [...this.strings]).some((text) => pattern.test(text));
      this.#known.set(pattern, known);
    }
    return known;
  }
}

/** Of a piece of a text; it has to begin outside of comments. */
export function vocabularyOf(piece: string): Vocabulary {
  const found = { word: new Set<string>(), string: new Set<string>() };
  let isOpen = false;
  for (const match of piece.matchAll(token)) {
    const comment = match[1];
    if (comment?.startsWith('/*')) isOpen = comment.length < 4 || !comment.endsWith('*/');
    else if (match[2] !== undefined) found.string.add(match[2]);
    else if (match[3] !== undefined) found.word.add(match[3]);
  }
  return new Vocabulary(found.word, found.string, isOpen);
}
