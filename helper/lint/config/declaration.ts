// The function or macro that an annotation is about, read from the text around the comment.
import type { Language, Span } from '../facts/index';

export interface Declared {
  readonly name: string;
  readonly returns: string;
  readonly params: readonly { readonly name: string; readonly type: string }[];
}

/** How far behind a comment its declaration may end. */
const reach = 2000;

/** What is declared behind a comment; further comments may stand between. */
export function declarationAfter(text: string, { end }: Span, language: Language): Declared | undefined {
  const behind = text.slice(end, end + reach);
  const code = language === 'python' ? behind.replace(/#[^\n]*/g, ' ') : behind.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  return language === 'python' ? pythonDeclaration(code) : cDeclaration(code);
}

/** What is declared on the line that the comment trails. */
export function declarationOnLine(text: string, { start }: Span, language: Language): Declared | undefined {
  const line = text.slice(Math.max(start - reach, text.lastIndexOf('\n', start - 1) + 1), start);
  if (line.trim() === '') return undefined;
  return language === 'python' ? pythonDeclaration(line) : cDeclaration(line);
}

function pythonDeclaration(code: string): Declared | undefined {
  const match = /^\s*(?:@[^\n]*\n\s*)*(?:async\s+)?def\s+(\w+)\s*\(/.exec(code);
  if (!match) return undefined;
  const list = balanced(code, match[0].length - 1);
  if (list === undefined) return undefined;
  const params = splitTop(list).map((each) => ({ name: /^\**(\w+)/.exec(each)?.[1] ?? '', type: /:\s*([^=]*)/.exec(each)?.[1]?.trim() ?? '' }));
  return { name: match[1]!, returns: '', params: params.filter(({ name }) => name !== '' && name !== 'self' && name !== 'cls') };
}

const noFunction = /^(decltype|alignas|noexcept|__attribute__|__declspec|explicit|if|while|for|switch|return|sizeof|static_assert)$/;

function cDeclaration(code: string): Declared | undefined {
  const macro = /^\s*#\s*define\s+(\w+)(?:\(([^)]*)\))?/.exec(code);
  if (macro) return { name: macro[1]!, returns: '', params: splitTop(macro[2] ?? '').map((name) => ({ name, type: '' })) };
  const head = code.slice(0, /[;{}]/.exec(code)?.index ?? code.length);
  for (const match of head.matchAll(/(?<![~\w])([~\w]+)\s*\(/g)) {
    if (noFunction.test(match[1]!)) continue;
    const list = balanced(head, match.index + match[0].length - 1);
    if (list === undefined) return undefined;
    const before = head.slice(0, match.index).replace(/(?<![\w:])[\w:]*::$/, '');
    return {
      name: match[1]!,
      returns: before.replace(/\[\[[^\]]*\]\]/g, '').trim(),
      params: splitTop(list)
        .map(cParam)
        .filter(({ name }) => name !== ''),
    };
  }
  return undefined;
}

function cParam(text: string): { name: string; type: string } {
  const bare = text
    .replace(/=[\s\S]*$/, '')
    .replace(/\[[^\]]*\]\s*$/, '')
    .trim();
  const match = /^([\s\S]*?[\s*&>])(\w+)$/.exec(bare);
  return match ? { name: match[2]!, type: match[1]!.trim() } : { name: '', type: bare };
}

/** What stands between the parenthesis at `open` and its partner. */
function balanced(text: string, open: number): string | undefined {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')' && --depth === 0) return text.slice(open + 1, i);
  }
  return undefined;
}

/** Parts between commas outside of brackets. */
function splitTop(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i <= list.length; i++) {
    const c = list[i];
    if (c === undefined || (c === ',' && depth === 0)) {
      parts.push(list.slice(from, i).trim());
      from = i + 1;
    } else if (/[([{<]/.test(c)) depth++;
    else if (/[)\]}>]/.test(c)) depth--;
  }
  return parts.filter(Boolean);
}
