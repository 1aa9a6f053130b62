// What only macros take as an argument: a type, an operator, a designated initialiser. Each is rewritten in place, character for character,
// to something that the grammar takes and that means nothing to a rule.
import { blank } from './arms';
import { comment, literal } from './literals';

const operator = /(,\s*)(==|!=|<=|>=|<|>)(?=\s*,)/g;
/** `container_of(item, struct entry, link)`, and `member(p, offset, uint8_t)`, where the grammar has a word for the type. */
const types = /\b(?:(struct|union|enum)(\s+\w+)([\s*]*)(?=[,)])|(?:u?int\d+|s?size|u?intptr|ptrdiff)_t(?=\s*\)))/g;
/** One of them is in each. */
const typeWords = ['_t', 'struct', 'enum', 'union'];
/** By name, or with a number among the arguments, which no prototype has. Parentheses are looked for, since there are fewer of them than words. */
const takesTypes =
  /\((?:(?<=\b(?:[A-Z][A-Z0-9_]{2,}|container_of|va_arg|g_newa?0?|talloc_\w+|\w+_entry|\w*for_?each\w*)\s*\()|(?<=\b[a-z_]\w*\s*\()(?=(?:[^();{}]*,)?\s*\d+\s*,))((?:[^();{}]|\([^();{}]*\))*)\)/g;
const primitive =
  /((?:^|,)\s*)((?:const\s+)?(?:unsigned\s+|signed\s+)?(?:char|short|int|long(?:\s+long)?|float|double|bool|unsigned|size_t|ssize_t|ptrdiff_t|u?int(?:8|16|32|64|ptr)_t|void(?=\s*\*))\b[\s*]*)(?=,|$)/g;
const pointer = /((?:^|,)\s*(?:const\s+)?[A-Za-z_]\w*)(\s*\*[\s*]*)(?=,|$)/g;
/** `offsetof(struct Job, kernel.stats[n])`: the grammar takes a name only. */
const memberPath = /(\boffsetof\s*\(\s*[\w:\s]+,\s*)(\w+(?:\s*(?:\.\s*\w+|\[[^\][;{}]*\]))+)(?=\s*\))/g;
const designated = /[(,]\s*\.[A-Za-z_]\w*\s*=/;

export function plainArguments(text: string): string {
  let named = text.replace(operator, (_, head: string, written: string) => head + '0'.padEnd(written.length));
  if (named.includes('offsetof')) named = named.replace(memberPath, (_, head: string, path: string) => head + path.replace(/[^\w\n\r]/g, '_'));
  named = named.replace(takesTypes, withoutTypes);
  return positional(typeWords.some((word) => named.includes(word)) ? named.replace(types, plainType) : named);
}

/** A type behind a comma, or alone in the parentheses of what is no cast, size or keyword. Prototypes get types that nobody reads. */
function plainType(written: string, tag: string | undefined, name: string, stars: string, at: number, text: string): string {
  const before = text.slice(Math.max(0, at - 60), at);
  const follows = /,\s*$/.test(before);
  if (!tag) return follows ? `${written.slice(0, -1)}T` : written;
  if (!follows && (stars.includes('*') || !opensMacro(before))) return written;
  return blank(tag) + name + blank(stars);
}

function opensMacro(before: string): boolean {
  const called = /(?<!\w)(\w+)\s*\(\s*$/.exec(before)?.[1];
  return called !== undefined && !/^(sizeof|_*typeof_*|_*alignof_*|_Alignof|(__builtin_)?offsetof|return|if|while|switch|for|case)$/.test(called);
}

function withoutTypes(call: string, written: string): string {
  if (!written.includes('*') && !/\b(?:int|char|short|long|float|double|bool|unsigned|signed|s?size_t|u?int\w+_t)\b/.test(written)) return call;
  const values = written
    .replace(primitive, (_, head: string, type: string) => head + type.replace(/[^\s]/g, (_c, i: number) => (i === 0 ? '0' : ' ')))
    .replace(pointer, (_, head: string, stars: string) => head + blank(stars));
  return `${call.slice(0, call.length - 1 - written.length)}${values})`;
}

/** `params(.size = n, .mapped = true)` is read as `params(n, true)`. */
function positional(text: string): string {
  let result = '';
  let at = 0;
  for (const [start, end] of designators(text)) {
    result += text.slice(at, start) + blank(text.slice(start, end));
    at = end;
  }
  return result + text.slice(at);
}

/** Each comment can be read in one way only: with two, a row of slashes takes time without end. */
const name = /\s*(?:\/\/[^\n]*(?:\n\s*|$)|\/\*(?:[^*]|\*(?!\/))*\*\/\s*)*(\.[A-Za-z_][\w.]*(?:\[[^\]\n]*\])?\s*=)(?!=)/y;
const skipped = new RegExp(`${comment}|${literal}`, 'y');
const longest = 8000;

interface Bracket {
  readonly from: number;
  /** Of arguments; undefined for brackets that have no designators of this kind. */
  readonly spans: [number, number][] | undefined;
}

/** The spans of `.name =` at the beginnings of arguments, in order. */
function designators(text: string): [number, number][] {
  const found: [number, number][] = [];
  const open: Bracket[] = [];
  for (let i = designated.test(text) ? 0 : text.length; i < text.length; i++) {
    if (`"'/`.includes(text[i]!)) i = behindSkipped(text, i);
    const c = text[i]!;
    if ('([{'.includes(c)) open.push({ from: i + 1, spans: isDesignated(text, i) ? [] : undefined });
    if (c === '(' || c === ',') i = noteDesignator(text, i, open.at(-1)?.spans);
    if (!')]}'.includes(c)) continue;
    const { from, spans } = open.pop() ?? {};
    if (spans && i - from! < longest) found.push(...spans);
  }
  return found.sort(([a], [b]) => a - b);
}

function behindSkipped(text: string, at: number): number {
  skipped.lastIndex = at;
  return skipped.test(text) ? skipped.lastIndex - 1 : at;
}

const designates = /\(\s*\.[A-Za-z_]/y;
const macro = /(?<!\w)[A-Z][A-Z0-9_]{2,}\s*$/;

/** Arguments that begin with a designator, or those of a macro, of which any may. */
function isDesignated(text: string, at: number): boolean {
  designates.lastIndex = at;
  return designates.test(text) || (text[at] === '(' && macro.test(text.slice(Math.max(0, at - 60), at)));
}

/** @returns the last character of the designator behind a place, or the place */
function noteDesignator(text: string, at: number, spans: [number, number][] | undefined): number {
  name.lastIndex = at + 1;
  const written = spans && name.exec(text)?.[1];
  if (!spans || written === undefined) return at;
  spans.push([name.lastIndex - written.length, name.lastIndex]);
  return name.lastIndex - 1;
}
