// What the tokens of an Objective-C(++) file tell: bodies, records, declared types. A heuristic by design: there is no tree.
import type { FileFacts, Span, Token } from '../facts/index';
import { fileQuery } from '../memo/query';
import { closers, closing } from './brackets';

/** A function or method body, `from` the token behind `{`, `to` the one of `}`. */
export interface Body {
  /** The function's name, or the selector without arguments (`wrap:device:`). */
  readonly name: string;
  readonly isMethod: boolean;
  readonly from: number;
  readonly to: number;
}

export interface RecordField {
  readonly name: string;
  readonly isArray: boolean;
  readonly tokens: readonly Token[];
  readonly span: Span;
}

export interface ObjcRecord {
  readonly name: string;
  readonly span: Span;
  readonly fields: readonly RecordField[];
}

/** The arguments between the parenthesis at `open` and its partner, split at commas of this level. */
export function argumentsAt(tokens: readonly Token[], open: number): Token[][] {
  const end = closing(tokens, open);
  const parts: Token[][] = [[]];
  for (let i = open + 1; i < end; i++) {
    const { text } = tokens[i]!;
    if (text === ',') parts.push([]);
    else if (closers[text]) {
      const close = Math.min(closing(tokens, i), end - 1);
      parts.at(-1)!.push(...tokens.slice(i, close + 1));
      i = close;
    } else parts.at(-1)!.push(tokens[i]!);
  }
  return parts;
}

/** Bodies of functions and methods in source order. */
export const bodiesOf = fileQuery((file): readonly Body[] => findBodies(file.tokens));

function findBodies(tokens: readonly Token[]): Body[] {
  const found: Body[] = [];
  let header = 0;
  for (let i = 0; i < tokens.length; i++) {
    const { text } = tokens[i]!;
    if (text === ';' || text === '}' || /^@(implementation|interface|end|protocol)$/.test(text)) header = i + 1;
    if (text !== '{') continue;
    const head = tokens.slice(header, i);
    const name = headName(head);
    if (name === undefined) {
      if (head.some((token) => token.text === '=')) i = closing(tokens, i);
      header = i + 1;
      continue;
    }
    const to = closing(tokens, i);
    found.push({ name, isMethod: /^[-+]$/.test(firstOfMethod(head)?.text ?? ''), from: i + 1, to });
    i = to;
    header = i + 1;
  }
  return found;
}

function firstOfMethod(head: readonly Token[]): Token | undefined {
  return head.find((token, i) => /^[-+]$/.test(token.text) && head[i + 1]?.text === '(');
}

/** The name in front of a body; undefined for records, namespaces, enumerations and initialisers. */
function headName(head: readonly Token[]): string | undefined {
  const method = firstOfMethod(head);
  if (method) return selector(head.slice(head.indexOf(method) + 1));
  const open = head.findIndex((token) => token.text === '(');
  if (open <= 0 || head.slice(0, open).some((token) => /^(=|namespace|enum|@interface)$/.test(token.text))) return undefined;
  return head[open - 1]!.kind === 'word' ? head[open - 1]!.text : undefined;
}

function selector(tokens: readonly Token[]): string {
  const rest = tokens.slice(closing(tokens, 0) + 1);
  const parts = rest.filter((token, i) => token.kind === 'word' && rest[i + 1]?.text === ':').map((token) => `${token.text}:`);
  return parts.length > 0 ? parts.join('') : (rest[0]?.text ?? '');
}

/** The body that contains a token. */
export function bodyAt(file: FileFacts, index: number): Body | undefined {
  return bodiesOf(file).find((body) => body.from <= index && index < body.to);
}

/** Structs of the file with their fields, unnamed ones under their typedef name. */
export function recordsOf(file: FileFacts): ObjcRecord[] {
  const { tokens } = file;
  const found: ObjcRecord[] = [];
  for (let i = 0; i < tokens.length; i++) {
    if (!/^(struct|class)$/.test(tokens[i]!.text)) continue;
    const open = tokens.slice(i, i + 12).findIndex((token) => /^[{;(=]$/.test(token.text)) + i;
    if (open < i || tokens[open]!.text !== '{') continue;
    const close = closing(tokens, open);
    const tag = tokens[i + 1]!.kind === 'word' ? tokens[i + 1]!.text : '';
    const alias = tokens[close + 1]?.kind === 'word' && tokens[i - 1]?.text === 'typedef' ? tokens[close + 1]!.text : '';
    const fields = fieldsBetween(tokens, open + 1, close);
    const span = { start: tokens[i]!.span.start, end: (tokens[close] ?? tokens.at(-1)!).span.end };
    for (const name of new Set([tag, alias])) if (name) found.push({ name, fields, span });
  }
  return found;
}

function fieldsBetween(tokens: readonly Token[], from: number, to: number): RecordField[] {
  const found: RecordField[] = [];
  let start = from;
  for (let i = from; i < to; i++) {
    const { text } = tokens[i]!;
    if (text === ':' && /^(public|private|protected)$/.test(tokens[i - 1]!.text)) start = i + 1;
    if (text === '{') {
      const isMethod = tokens.slice(start, i).some((token) => token.text === '(');
      i = closing(tokens, i);
      if (isMethod) start = i + 1;
      continue;
    }
    if (text !== ';') continue;
    const declaration = tokens.slice(start, i);
    start = i + 1;
    const field = fieldOf(declaration);
    if (field) found.push(field);
  }
  return found;
}

function fieldOf(declaration: readonly Token[]): RecordField | undefined {
  const end = declaration.findIndex((token) => /^(=|\[|\{)$/.test(token.text));
  const head = end < 0 ? declaration : declaration.slice(0, end);
  const isBlock = head.some((token) => token.text === '^');
  if (head.length < 2 || (head.some((token) => token.text === '(') && !isBlock)) return undefined;
  const name = isBlock ? head[head.findIndex((token) => token.text === '^') + 1] : head.at(-1);
  if (name?.kind !== 'word' || /^(using|typedef|friend|static)$/.test(head[0]!.text)) return undefined;
  return { name: name.text, isArray: declaration[end]?.text === '[', tokens: head, span: { start: head[0]!.span.start, end: head.at(-1)!.span.end } };
}

const classPrefix = /^(NS|CA|MTK|MTL|UI|AV|CI|MPS|SCN|SK|AR)[A-Z]\w+$/;

/** ARC owns the field: an object pointer, `id`, a block or a dispatch object, not `__unsafe_unretained`. */
export function isManaged(field: RecordField, records: readonly ObjcRecord[] = []): boolean {
  const texts = field.tokens.slice(0, -1).map((token) => token.text);
  if (texts.includes('__unsafe_unretained')) return false;
  if (texts[0] === 'id' || texts.includes('id') || texts.includes('^')) return true;
  if (texts.includes('*')) return texts.some((text) => classPrefix.test(text));
  if (texts.some((text) => /^dispatch_\w+_t$/.test(text))) return true;
  const inner = records.find((record) => texts.includes(record.name));
  return (
    inner?.fields.some((each) =>
      isManaged(
        each,
        records.filter((record) => record !== inner),
      ),
    ) ?? false
  );
}

/** Structs with at least one field that ARC owns, by name. */
export function managedRecords(file: FileFacts, records: readonly ObjcRecord[] = recordsOf(file)): ReadonlyMap<string, RecordField> {
  const found = new Map<string, RecordField>();
  for (const record of records) {
    const managed = record.fields.find((field) => isManaged(field, records));
    if (managed) found.set(record.name, managed);
  }
  return found;
}

/** The file counts references by hand, or uses metal-cpp: rules of ARC do not apply. */
export function isManual(file: FileFacts): boolean {
  const { tokens } = file;
  return tokens.some(({ text }, i) => {
    const next = tokens[i + 1]?.text;
    if (/^(release|retain|autorelease|dealloc)$/.test(text) && next === ']') return true;
    return text === 'NSAutoreleasePool' || (/^(MTL|NS|CA)$/.test(text) && next === '::');
  });
}

/** Objective-C, or C++ that calls metal-cpp. */
export const mayUseMetal = fileQuery((file) => file.language === 'objc' || file.hasToken('word', /^MTL$/));

/** The type name in the nearest declaration of a variable before `index`: `T x`, `T *x`, `T& x`, `const T* x`. */
export function declaredType(tokens: readonly Token[], name: string, index: number): string | undefined {
  for (let i = index; i > 0; i--) {
    if (tokens[i]!.text !== name || tokens[i]!.kind !== 'word') continue;
    let at = i - 1;
    while (at >= 0 && /^[*&]$/.test(tokens[at]!.text)) at--;
    const before = tokens[at];
    if (before?.kind === 'word' && !/^(return|else|case|goto|in|new|delete)$/.test(before.text)) return before.text;
  }
  return undefined;
}

/** Word tokens that are called, `name(`, with the index of the parenthesis. */
export function* callsOf(
  tokens: readonly Token[],
  name: RegExp,
): Generator<{ readonly index: number; readonly token: Token; readonly open: number }> {
  for (const [index, token] of tokens.entries())
    if (token.kind === 'word' && tokens[index + 1]?.text === '(' && name.test(token.text)) yield { index, token, open: index + 1 };
}

/** The last name of an expression: `buffer` of `self.frame->buffer`, `x` of `&x[0]`. */
export function lastWord(tokens: readonly Token[]): string | undefined {
  const end = tokens.findIndex((token) => token.text === '[');
  const plain = end > 0 ? tokens.slice(0, end) : tokens;
  return plain.findLast((token) => token.kind === 'word')?.text;
}
