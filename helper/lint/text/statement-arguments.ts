// Statements as arguments, which only macros take: `CHECK(call(), "text", return NULL)`, `CHECK("text", release(a); goto out)`. They run when
// something failed, so nothing in them is certain. They are read as a number.
import { blank } from './arms';
import { comment, literal } from './literals';

const jump = String.raw`([(,;])(\s*)(?:return|goto|break|continue|throw)\b`;
const any = new RegExp(jump);
const jumps = new RegExp(`${comment}|${literal}|${jump}`, 'g');
const skipped = new RegExp(`${comment}|${literal}`, 'y');
const longest = 1000;

export function plainStatementArguments(text: string): string {
  if (!any.test(text)) return text;
  let result = '';
  let at = 0;
  for (const match of text.matchAll(jumps)) {
    const [, opening, space] = match;
    if (opening === undefined || match.index < at) continue;
    const end = endOfArgument(text, match.index + match[0].length);
    if (end === undefined || (opening === ';' && text[end] === ',')) continue;
    const start = opening === ';' ? startOfArgument(text, match.index, at) : match.index + 1 + space!.length;
    if (start === undefined) continue;
    result += `${text.slice(at, start)}0${blank(text.slice(start + 1, end))}`;
    at = end;
  }
  return result + text.slice(at);
}

/** A semicolon ends it only before the parenthesis; anywhere else this is no argument. */
function endOfArgument(text: string, from: number): number | undefined {
  let depth = 0;
  for (let i = from; i < text.length && i < from + longest; i++) {
    skipped.lastIndex = i;
    if (skipped.test(text)) i = skipped.lastIndex - 1;
    const c = text[i]!;
    if (depth === 0 && (c === ')' || c === ',')) return i;
    if (depth === 0 && c === ';' && !/^\s*\)/.test(text.slice(i + 1, i + 40))) return undefined;
    if ('([{'.includes(c)) depth++;
    if (')]}'.includes(c) && --depth < 0) return undefined;
  }
  return undefined;
}

/** Behind the comma or the parenthesis before the statements that end at a place. */
function startOfArgument(text: string, end: number, from: number): number | undefined {
  let depth = 0;
  for (let i = end - 1; i >= from && i > end - longest; i--) {
    const c = text[i]!;
    if (c === '"') i = text.lastIndexOf('"', i - 1);
    if (c === '\n') i = behindCode(text, i);
    if (depth === 0 && (c === '(' || c === ',')) return i + 1 + /^\s*/.exec(text.slice(i + 1, end))![0].length;
    if (')]}'.includes(c)) depth++;
    if ('([{'.includes(c) && --depth < 0) return undefined;
  }
  return undefined;
}

/** Where the comment of the line that ends at a place begins, or that place. */
function behindCode(text: string, end: number): number {
  const start = text.lastIndexOf('\n', end - 1) + 1;
  const at = text.slice(start, end).indexOf('//');
  return at < 0 ? end : start + at;
}
