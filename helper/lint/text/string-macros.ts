// Macros between string literals (`"%" PRIu64 " bytes"`) upset the grammar, above all without blanks. They are a part of the literal, whose
// wording matters to no rule, so they are blanked.
import { blank } from './arms';

const literal = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<!\\)'(?:\\.|[^'\\\n])*'|R"(\w*)\([\s\S]*?(?:\)\1"|$)|(?<!\\)"(?:\\.|[^"\\\n])*"/g;
const macro = String.raw`(?:__[A-Z]+__|[A-Z]\w{2,})\b(?:\([\w \t]*\))?`;
const behind = new RegExp(String.raw`\s*(${macro})(?=\s*(?:["),;:\]}]|<<|[A-Z]\w{2,}\b\s*(?:[",);]|\([\w \t]*\)\s*[",);])))`, 'y');
const before = new RegExp(String.raw`(?:^|[(,=?:{<])\s*((?:${macro}\s+)*${macro})\s*$`);
/** How far before a literal its macro is looked for. */
const reach = 120;

export function blankStringMacros(text: string): string {
  let result = '';
  let at = 0;
  const blankUntil = (start: number, end: number) => {
    if (start < at) return;
    result += text.slice(at, start) + blank(text.slice(start, end));
    at = end;
  };
  for (const match of text.matchAll(literal)) {
    const start = match.index;
    if (!match[0].endsWith('"') || start < at || isNoExpression(text, start)) continue;
    const head = before.exec(text.slice(Math.max(at, start - reach), start));
    if (head) blankUntil(start - (head[0].length - head[0].indexOf(head[1]!)), start);
    for (let end = start + match[0].length; ; end = behind.lastIndex) {
      behind.lastIndex = end;
      if (!behind.test(text)) break;
      blankUntil(end, behind.lastIndex);
    }
  }
  return at === 0 ? text : result + text.slice(at);
}

/** In a directive, or behind `extern`. */
function isNoExpression(text: string, start: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  return /^\s*#|\bextern\s*$/.test(line);
}
