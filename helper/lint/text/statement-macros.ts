// A macro that stands alone on a line, without semicolon, glues two statements together: `START_TIMER` and the call below it read as a
// declaration. It means nothing to any rule, so it is blanked.
import { blank } from './arms';

const alone = /^[ \t]+([A-Z][A-Z0-9_]{2,})[ \t]*(?:\/\/[^\n]*)?\r?$/gm;

export function blankStatementMacros(text: string): string {
  let result = '';
  let at = 0;
  for (const match of text.matchAll(alone)) {
    const end = match.index + match[0].length;
    if (!endsStatement(text, match.index) || !beginsStatement(text, end)) continue;
    result += text.slice(at, match.index) + blank(match[0]);
    at = end;
  }
  return result + text.slice(at);
}

/** What stands before, comments and directives aside, ends a statement or begins a block. */
function endsStatement(text: string, start: number): boolean {
  for (let end = start; end > 0; ) {
    const from = text.lastIndexOf('\n', end - 2) + 1;
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
