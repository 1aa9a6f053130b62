// A macro call that stands as a statement without its semicolon glues two statements together. The semicolon is put where a blank can be
// spared: into the indentation of what follows. In `CHECK(call(););` the inner one goes.

const inner = /^([ \t]+[A-Z][A-Z0-9_]*[ \t]*\([^\n]*\));\)([ \t]*;?[ \t]*\r?)$/gm;
const call = /^[ \t]+([A-Z][A-Z0-9_]{2,})[ \t]*\(/gm;
/** What is followed by a part of the same statement, or by one that runs under a condition. */
const control = /(?:^|_)(?:IF|ELSE|FOR|FOR_?EACH|FOREACH|WHILE|SWITCH|CASE|UNTIL|UNLESS|TRY|CATCH|TEST|TEMPLATE|LAUNCH_BOUNDS|ATTRIBUTE)(?:_|$)/;
/** The end of a line, and the first blank of the next one that has a statement. */
const next = /[ \t]*(?:\/\/[^\n]*)?\r?\n(?:[ \t]*\r?\n)?(?=[ \t]+(?:[A-Za-z_]\w*|\})(?![\w"]))(?!\s*(?:const|noexcept|override|final|and|or)\b)/y;

export function endBareStatements(text: string): string {
  const plain = text.replace(inner, '$1);$2').replace(/\);;/g, '); ');
  let result = '';
  let at = 0;
  for (const match of plain.matchAll(call)) {
    if (match.index + 1 < at || control.test(match[1]!) || !endsStatement(plain, match.index, at)) continue;
    const end = closing(plain, match.index + match[0].length);
    if (end === undefined) continue;
    next.lastIndex = end;
    if (!next.test(plain)) continue;
    result += `${plain.slice(at, next.lastIndex)};`;
    at = next.lastIndex + 1;
  }
  return result + plain.slice(at);
}

/** `known`: behind a semicolon that was put there. */
function endsStatement(text: string, start: number, known: number): boolean {
  const before = text
    .slice(Math.max(known, start - 400), start)
    .replace(/\/\/[^\n]*/g, '')
    .trimEnd();
  return before === '' ? known > 0 : /[;{}]$|\*\/$/.test(before);
}

const longest = 2000;
const skipped = /(?<!\\)"(?:\\.|[^"\\\n])*"|(?<!\\)'(?:\\.|[^'\\\n])*'|\/\/[^\n]*/y;

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
