// A macro that stands alone on a line, without semicolon, glues two statements together: `START_TIMER` and the call below it read as a
// declaration, and so does `TRACE(SETUP, device)`. It means nothing to any rule, so it is blanked; a check of a variable is left alone, and so is
// what by its name leaves the block.
import { blank } from './arms';

const alone = /^[ \t]+([A-Z][A-Z0-9_]{2,})[ \t]*(?:\/\/[^\n]*|\/\*[^*\n]*\*\/[ \t]*)?\r?$/gm;

const called = /^[ \t]+(?:([A-Z][A-Z0-9_]{2,})[ \t]*\(([^()\n;{}"]*)\)|(?:[a-z]\w*)?[cC]heck\w*\(\))[ \t]*(?:\/\/[^\n]*)?\r?$/gm;

/** `if (pushed) { POP_CONTEXT }` */
const aloneInBlock = /\{(?<=(?:\)|\belse)\s*\{)([ \t]*)([A-Z][A-Z0-9_]{2,})(?=[ \t]*\})/g;
/** `BEGIN_CHECK {` */
const beforeBlock = /^([ \t]+)((?:BEGIN_[A-Z0-9_]+|[A-Z][A-Z0-9_]*_BEGIN)(?:[ \t]*\([^()\n;{}]*\))?)(?=[ \t]*\{[ \t]*\r?$)/gm;

export function blankStatementMacros(text: string): string {
  const inBlocks = text.replace(aloneInBlock, (written, space: string, name: string) =>
    jumps.test(name) || !brackets.test(name) ? written : `{${space}${blank(name)}`,
  );
  const blocks = inBlocks.includes('BEGIN') ? inBlocks.replace(beforeBlock, (_, head: string, macro: string) => head + blank(macro)) : inBlocks;
  const plain = blankWhere(blocks, alone, (all, end, before, [, name]) => !jumps.test(name!) && beginsStatement(all, end, before, name!));
  return blankWhere(plain, called, (all, end, _, [, name = '', args = '']) => !isCheck(name, args) && followsStatement(all, end));
}

/** `before`: the last character of what stands before. */
type Follows = (text: string, end: number, before: string, match: RegExpMatchArray) => boolean;

function blankWhere(text: string, pattern: RegExp, follows: Follows): string {
  let result = '';
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    const before = endBefore(text, match.index);
    if (before === undefined || !follows(text, end, before, match)) continue;
    result += text.slice(at, match.index) + blank(match[0]);
    at = end;
  }
  return result + text.slice(at);
}

/** By name it leaves the block, or is a part of a statement. */
const jumps =
  /RETURN|EXIT|BAIL|ABORT|THROW|BREAK|CONTINUE|GOTO|LEAVE|QUIT|(?:^|_)(?:DIE|FAIL|RET|IF|ELSE|DO|TRY|CATCH|FINALLY|FOR|FOREVER|WHILE|SWITCH|CASE|DEFAULT|LOOP)(?:_|$)/;

/** At the end of a block nearly anything may be what leaves it, so only these are sure not to. */
const brackets =
  /(?:^|_)(?:POP|PUSH|BEGIN|END|START|STOP|ENTER|TRACE|PROFILE|TIMER?|TICK?|TOC|MARK|RANGE|SCOPE|LOG|LOCK|UNLOCK|SYNC|CHECK|ASSERT|VERIFY|CUERR)(?:_|$)/;

function isCheck(name: string, args: string): boolean {
  return /CHECK|TRY|VERIFY|ENSURE|ASSERT|RETURN|THROW|EXPECT|REQUIRE/.test(name) && /(^|,)\s*[a-z_]\w*\s*(,|$)/.test(args);
}

/** What lies between statements; each part can be read in one way only. */
const between = /\s+|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/|#(?:\\\r?\n|[^\r\n])*/y;
const word = /[A-Za-z_]\w*|\}/y;
const reach = 1000;

/** The first word behind a place, or the bracket that ends the block. */
function nextWord(text: string, from: number): { readonly word: string; readonly end: number } | undefined {
  let at = from;
  for (between.lastIndex = at; at < from + reach && between.test(text); at = between.lastIndex);
  word.lastIndex = at;
  const found = word.exec(text)?.[0];
  return found === undefined ? undefined : { word: found, end: word.lastIndex };
}

const qualifier = /^(const|noexcept|override|final|try|requires|throw|volatile|__attribute__|else|while|and|or)$/;

/** A word that begins a statement, not one that ends the head of a function. */
function followsStatement(text: string, end: number): boolean {
  const next = nextWord(text, end)?.word;
  return next !== undefined && next !== '}' && !qualifier.test(next);
}

/** What stands before, comments and directives aside, ends a statement or begins a block; its last character. */
function endBefore(text: string, start: number): string | undefined {
  for (let end = start; end > 0; ) {
    // A negative position means 0, and would find a line break at the very beginning for ever.
    const from = end < 2 ? 0 : text.lastIndexOf('\n', end - 2) + 1;
    const line = text
      .slice(from, end)
      .replace(/\/\/.*/, '')
      .trimEnd();
    if (line.trim() !== '' && !/^\s*#/.test(line)) return /[;{}]$|\*\/$|^\s*(?:case\b[^?]*|default\s*):$/.exec(line)?.[0].at(-1);
    end = from;
  }
  return undefined;
}

const control = /^(?:if|for|while|switch|return|do|case|default|goto|break|continue|delete)$/;
const headOfCall = /\s*(?:(?:\.|->|::)\s*~?\w+\s*)*\(/y;
const longest = 4000;

/** What follows is a statement, a declaration or the end of the block, and no function's head. */
function beginsStatement(text: string, end: number, before: string, name: string): boolean {
  const next = nextWord(text, end);
  if (!next || qualifier.test(next.word)) return false;
  if (next.word === '}') return before !== '{' && brackets.test(name);
  headOfCall.lastIndex = next.end;
  if (control.test(next.word) || !headOfCall.test(text)) return true;
  let depth = 1;
  const from = headOfCall.lastIndex;
  for (let i = from; i < text.length && i < from + longest; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')' && --depth === 0) return /^\s*(?:[;.[=(<]|->)/.test(text.slice(i + 1, i + 80));
  }
  return false;
}
