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
