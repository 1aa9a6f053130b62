// A macro that stands alone on a line, without semicolon, glues two statements together: `START_TIMER` and the call below it read as a
// declaration, and so does `TRACE(SETUP, device)`. It means nothing to any rule, so it is blanked; a check of a variable is left alone.
import { blank } from './arms';

const alone = /^[ \t]+([A-Z][A-Z0-9_]{2,})[ \t]*(?:\/\/[^\n]*)?\r?$/gm;

const called = /^[ \t]+(?:([A-Z][A-Z0-9_]{2,})[ \t]*\(([^()\n;{}"]*)\)|(?:[a-z]\w*)?[cC]heck\w*\(\))[ \t]*(?:\/\/[^\n]*)?\r?$/gm;

export function blankStatementMacros(text: string): string {
  const plain = blankWhere(text, alone, beginsStatement);
  return blankWhere(plain, called, (all, end, [, name, args]) => !isCheck(name ?? '', args ?? '') && followsStatement(all, end));
}

type Follows = (text: string, end: number, match: RegExpMatchArray) => boolean;

function blankWhere(text: string, pattern: RegExp, follows: Follows): string {
  let result = '';
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (!endsStatement(text, match.index) || !follows(text, end, match)) continue;
    result += text.slice(at, match.index) + blank(match[0]);
    at = end;
  }
  return result + text.slice(at);
}

function isCheck(name: string, args: string): boolean {
  return /CHECK|TRY|VERIFY|ENSURE|ASSERT|RETURN|THROW|EXPECT|REQUIRE/.test(name) && /(^|,)\s*[a-z_]\w*\s*(,|$)/.test(args);
}

/** A comment ends with its line, so that a row of slashes can be read in one way only. */
const wordBehindComments = /^\s*(?:\/\/[^\n]*(?:\n\s*|$))*([A-Za-z_]\w*)/;

/** A word that begins a statement, not one that ends the head of a function. */
function followsStatement(text: string, end: number): boolean {
  const next = wordBehindComments.exec(text.slice(end, end + 400))?.[1];
  return next !== undefined && !/^(const|noexcept|override|final|try|requires|throw|volatile|__attribute__|else|while)$/.test(next);
}

/** What stands before, comments and directives aside, ends a statement or begins a block. */
function endsStatement(text: string, start: number): boolean {
  for (let end = start; end > 0; ) {
    // A negative position means 0, and would find a line break at the very beginning for ever.
    const from = end < 2 ? 0 : text.lastIndexOf('\n', end - 2) + 1;
    const line = text
      .slice(from, end)
      .replace(/\/\/.*/, '')
      .trimEnd();
    if (line.trim() !== '' && !/^\s*#/.test(line)) return /[;{}]$|\*\/$/.test(line);
    end = from;
  }
  return false;
}

const longest = 4000;

/** What follows is a call that ends with a semicolon, and so no function's head. */
function beginsStatement(text: string, end: number): boolean {
  const call = /^\s*(?:[\w:]+(?:\.|->))*[\w:]+\s*\(/.exec(text.slice(end, end + 200));
  if (!call || /^\s*(if|for|while|switch|return)\b/.test(call[0])) return false;
  let depth = 1;
  const from = end + call[0].length;
  for (let i = from; i < text.length && i < from + longest; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')' && --depth === 0) return /^\s*;/.test(text.slice(i + 1, i + 80));
  }
  return false;
}
