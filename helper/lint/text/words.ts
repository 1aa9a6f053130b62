// The ends of names and types as they are written. Patterns that look for an end try every beginning, which takes ages in a long text.

/** Longer words no person writes. */
const longestWord = 200;

/** The word that a text ends with, blanks behind it aside; it may begin with the `~` of a destructor. */
export function wordAtEnd(text: string): string | undefined {
  return /(?<!\w)~?\w+$/.exec(text.trimEnd().slice(-longestWord))?.[0];
}

/** `a<b>::c<d>` without `<d>`. */
export function withoutLastTemplate(text: string): string {
  if (!text.endsWith('>')) return text;
  let depth = 0;
  let parentheses = 0;
  for (let i = text.length - 1; i >= 0; i--) {
    const c = text[i];
    if (c === ')') parentheses++;
    if (c === '(') parentheses--;
    if (parentheses !== 0) continue;
    if (c === '>') depth++;
    if (c === '<' && --depth === 0) return text.slice(0, i);
  }
  return text;
}

/** The arguments of a template, nested ones left whole. */
export function splitTemplate(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if (char === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
      continue;
    }
    if (char === '<' || char === '(') depth++;
    if (char === '>' || char === ')') depth--;
    part += char;
  }
  return [...parts, part.trim()];
}
