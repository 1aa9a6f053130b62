// Which struct the bytes belong to that a C memory function works on, in Objective-C(++).
import type { Token } from '../facts/index';
import { closing } from './brackets';
import { argumentsAt, declaredType, lastWord, type ObjcRecord } from './objc-tokens';

/** Type names that the arguments of a call size or name: `sizeof(T)`, `sizeof(*p)`, `sizeof x`, `sizeof(r.pass)`. */
export function sizedTypes(tokens: readonly Token[], open: number, records: readonly ObjcRecord[] = []): string[] {
  const found: string[] = [];
  for (let i = open; i < closing(tokens, open); i++) {
    if (tokens[i]!.text !== 'sizeof') continue;
    const inner = tokens[i + 1]?.text === '(' ? argumentsAt(tokens, i + 1)[0]! : tokens.slice(i + 1, i + 4);
    if (isAccess(inner)) {
      const type = accessed(tokens, inner, i, records);
      if (type?.isWhole) found.push(type.name);
      continue;
    }
    const word = inner.find((token) => token.kind === 'word' && !/^(struct|const)$/.test(token.text))?.text;
    if (!word) continue;
    const isPointer = inner.at(-1)?.text === '*';
    if (!isPointer) found.push(word, ...[declaredType(tokens, word, i) ?? []].flat());
  }
  return found;
}

/** The type that the first argument points to: `&x` and `x` by the declaration of `x`, `&r.pass` and `r.passes` by the field. */
export function pointedType(tokens: readonly Token[], open: number, records: readonly ObjcRecord[] = []): string | undefined {
  const first = argumentsAt(tokens, open)[0]!;
  const isAddress = first.some((token) => token.text === '&');
  const type = accessed(tokens, first, open - 1, records);
  if (type || isAccess(first)) return type && (isAddress ? type.isWhole : type.isPointer || type.isArray) ? type.name : undefined;
  const name = lastWord(first);
  return name && declaredType(tokens, name, open - 1);
}

/** More than a name: a field, an element, `*p`, `*this`. */
function isAccess(tokens: readonly Token[]): boolean {
  return tokens[0]?.text === '*' || tokens.some((token) => /^(->|\.|\[|this)$/.test(token.text));
}

interface Accessed {
  readonly name: string;
  /** The struct itself, or an array of it. */
  readonly isWhole: boolean;
  readonly isArray: boolean;
  /** One `*`, `[]` or `data()` more gets at the struct. */
  readonly isPointer: boolean;
}

/** The type of `r.pass`, `self->_frame`, `*r->pass`, `all[i].pass`, `*this`, step by step through the structs of the file. */
function accessed(tokens: readonly Token[], written: readonly Token[], index: number, records: readonly ObjcRecord[]): Accessed | undefined {
  const { path, levels } = steps(written);
  const [root, ...fields] = path;
  const type = root
    ? fields.reduce<Declared | undefined>((holder, field) => holder && fieldType(records, holder.name, field), rootType(tokens, root, index))
    : thisType(records, written);
  if (!type) return undefined;
  const left = type.pointers + (type.isArray ? 1 : 0) - levels;
  const isArray = type.isArray && type.pointers === 0 && left === 1;
  return { name: type.name, isWhole: left === 0 || isArray, isArray, isPointer: left === 1 && !isArray };
}

/** The names of an access without `self`, `this` and what is called on it, and how many `*` and `[]` apply to the last of them. */
function steps(written: readonly Token[]): { path: string[]; levels: number } {
  const path: string[] = [];
  let levels = 0;
  for (let i = 0; i < written.length; i++) {
    const { text, kind } = written[i]!;
    if (text === '[') {
      levels++;
      i = closing(written, i);
    } else if (kind === 'word' && written[i + 1]?.text !== '(' && !/^(self|this|const)$/.test(text)) {
      levels = 0;
      path.push(text);
    }
  }
  return { path, levels: levels + (path.length > 0 && written[0]?.text === '*' ? 1 : 0) };
}

interface Declared {
  readonly name: string;
  /** How many `*` and containers are around the struct. */
  readonly pointers: number;
  readonly isArray: boolean;
}

function thisType(records: readonly ObjcRecord[], written: readonly Token[]): Declared | undefined {
  if (written.length === 0) return undefined;
  const start = written.at(-1)!.span.start;
  const record = records.findLast(({ span }) => span.start <= start && start < span.end);
  return record && { name: record.name, pointers: written[0]!.text === '*' ? 0 : 1, isArray: false };
}

/** By the nearest declaration above; a property also declares its field. */
function rootType(tokens: readonly Token[], name: string, index: number): Declared | undefined {
  const names = [name, name.replace(/^_/, '')];
  for (let i = index; i > 0; i--) {
    if (tokens[i]!.kind !== 'word' || !names.includes(tokens[i]!.text)) continue;
    const start = tokens.slice(Math.max(0, i - 24), i).findLastIndex((token) => /^[;{}(,]$/.test(token.text)) + 1 + Math.max(0, i - 24);
    const type = declaredAs(tokens.slice(start, i), tokens[i + 1]?.text === '[');
    if (type) return type;
  }
  return undefined;
}

function fieldType(records: readonly ObjcRecord[], record: string, name: string): Declared | undefined {
  const field = records.find((each) => each.name === record)?.fields.find((each) => each.name === name);
  return field && declaredAs(field.tokens.slice(0, -1), field.isArray);
}

/** `Frame`, `const Frame&`, `std::vector<Frame>`, `Frame *`, `@property(assign) Frame`: the words in front of a declared name. */
function declaredAs(words: readonly Token[], isArray: boolean): Declared | undefined {
  // A parameter of a method: its type stands in parentheses, of which the first is already gone.
  const type = words.at(-1)?.text === ')' ? words.slice(0, -1) : words.slice(words.findLastIndex((token) => token.text === ')') + 1);
  const name = type.findLast((token) => token.kind === 'word')?.text;
  const isOther = type.some(({ text }) => /^(return|=|\.|->|\[|\]|\+|-|!|\?|:|new|delete|sizeof|case|else|goto|in|using)$/.test(text));
  if (!name || isOther || /^(const|struct)$/.test(name)) return undefined;
  const isContainer = type.some(({ text }) => text === '<');
  return { name, pointers: type.filter(({ text }) => text === '*').length + (isContainer ? 1 : 0), isArray };
}
