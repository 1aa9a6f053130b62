// A macro call that stands as a statement without its semicolon glues two statements together. The semicolon is put where a blank can be
// spared: before a bracket behind it, into the indentation of what follows, or instead of the line break before the bracket of a function. In
// `CHECK(call(););` the inner one goes.

import { literal } from './literals';

const inner = /^([ \t]+[A-Z][A-Z0-9_]*[ \t]*\([^\n]*\));\)([ \t]*;?[ \t]*\r?)$/gm;
const call = /(?:^|(?<=\{))[ \t]+([A-Z][A-Z0-9_]{2,}|(?:[a-z]\w*)?[cC]h(?:ec)?k\w*)[ \t]*\(/gm;
/** What is followed by a part of the same statement, or by one that runs under a condition. */
const control = /(?:^|_)(?:IF|ELSE|FOR|FOR_?EACH|FOREACH|WHILE|SWITCH|CASE|UNTIL|UNLESS|TRY|CATCH|TEST|TEMPLATE|LAUNCH_BOUNDS|ATTRIBUTE)(?:_|$)/;
/** Up to the place: what ends the line, comments and empty lines. Each can be read in one way only. */
const lines = String.raw`[ \t]*(?://[^\n]*)?\r?\n(?:[ \t]*(?://[^\n]*|\r)?\n)*`;
const beforeWord = new RegExp(String.raw`${lines}(?=[ \t]+[A-Za-z_]\w*(?![\w"]))(?!\s*(?:const|noexcept|override|final|and|or)\b)`, 'y');
const beforeBracket = new RegExp(String.raw`(?:${lines})?(?=[ \t]+\})|[ \t]*(?=\r?\n\})`, 'y');

export function endBareStatements(text: string): string {
  const plain = (text.includes(');)') ? text.replace(inner, '$1);$2') : text).replace(/\);;/g, '); ');
  let result = '';
  let at = 0;
  for (const match of plain.matchAll(call)) {
    if (match.index + 1 < at || control.test(match[1]!)) continue;
    const before = textBefore(plain, match.index, at);
    if (!endsStatement(before, at > 0)) continue;
    const end = closing(plain, match.index + match[0].length);
    const place = end && placeBehind(plain, end, before, plain[match.index - 1] === '{' ? inLine : block);
    if (!place) continue;
    result += `${plain.slice(at, place)};`;
    at = place + 1;
  }
  return result + plain.slice(at);
}

/** What stands before, without comments and directives. `known`: behind a semicolon that was put there. */
function textBefore(text: string, start: number, known: number): string {
  return text
    .slice(Math.max(known, start - 400), start)
    .replace(/\/\/[^\n]*|^[ \t]*#(?:\\\r?\n|[^\n])*/gm, '')
    .trimEnd();
}

const statement = /[;{}]$|\*\/$|(?:^|\n)\s*(?:case\b[^?\n]*|default\s*):$|\belse$|(?:^|\n)[ \t]*(?:\}?[ \t]*else[ \t]+)?(?:if|for|while)\b[^\n]*\)$/;

function endsStatement(before: string, isKnown: boolean): boolean {
  return before === '' ? isKnown : statement.test(before);
}

/** Brackets of functions and blocks, not of values, at the end of a line and within one. */
const block = /(?:[;{})]|\b(?:else|do|try|const|noexcept|override))\s*\{$/;
const inLine = /(?:\b(?:if|for|while|switch|catch)\s*\([^\n]*\)|\b(?:else|do|try))\s*\{$/;

/** Where a blank can be spared, or a line break. */
function placeBehind(text: string, end: number, before: string, opening: RegExp): number | undefined {
  beforeWord.lastIndex = end;
  if (beforeWord.test(text)) return beforeWord.lastIndex;
  beforeBracket.lastIndex = end;
  return beforeBracket.test(text) && (!before.endsWith('{') || opening.test(before)) ? beforeBracket.lastIndex : undefined;
}

const longest = 2000;
const skipped = new RegExp(String.raw`${literal}|//[^\n]*`, 'y');

/** Behind the closing parenthesis. */
function closing(text: string, from: number): number | undefined {
  let depth = 1;
  for (let i = from; i < text.length && i < from + longest; i++) {
    skipped.lastIndex = i;
    if (skipped.test(text)) i = skipped.lastIndex - 1;
    if (text[i] === '(') depth++;
    if (text[i] === ')' && --depth === 0) return i + 1;
  }
  return undefined;
}
