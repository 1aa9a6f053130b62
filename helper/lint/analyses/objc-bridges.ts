// Raw pointers of objects that only a local variable keeps alive under ARC: `return (__bridge void *)texture;`. A heuristic over tokens.
import type { FileFacts, Token } from '../facts/index';
import { closing } from './brackets';
import { type Body, bodiesOf } from './objc-tokens';

export interface LostBridge {
  /** The word `__bridge`. */
  readonly at: Token;
  readonly name: string;
  /** What creates the object. */
  readonly made: Token;
}

/** Bridges without a retain that outlive the only owner of the object. */
export function lostBridges(file: FileFacts): LostBridge[] {
  return file.tokens.some(({ text }) => text === '__bridge') ? bodiesOf(file).flatMap((body) => inBody(file.tokens, body)) : [];
}

function inBody(tokens: readonly Token[], { from, to }: Body): LostBridge[] {
  const body = tokens.slice(from, to);
  if (body.some(({ text }) => retainers.test(text))) return [];
  return body.flatMap((token, i): LostBridge[] => {
    if (token.text !== '__bridge' || body[i - 1]?.text !== '(' || !isRaw(body, i) || !outlives(body, i)) return [];
    const operand = closing(body, i - 1) + 1;
    if (body[operand]?.text === '[') {
      const made = maker(body.slice(operand, closing(body, operand)));
      return made ? [{ at: token, name: made.text, made }] : [];
    }
    const name = body[operand];
    if (name?.kind !== 'word' || /^(\.|->|\[|\()$/.test(body[operand + 1]?.text ?? '')) return [];
    const made = madeLocally(body, name.text);
    return made && isKeptByNobody(body, name.text) ? [{ at: token, name: name.text, made }] : [];
  });
}

const retainers = /^(__bridge_retained|CFBridgingRetain|CFRetain|objc_retain|objc_setAssociatedObject|NSMapTable|retain)$/;

/** A cast to a plain pointer; to an object it would be the other direction. */
function isRaw(tokens: readonly Token[], bridge: number): boolean {
  const type = tokens.slice(bridge + 1, closing(tokens, bridge - 1)).map(({ text }) => text);
  return type.includes('void') || type.some((text) => /^(u?intptr_t|CFTypeRef|MTL\w+_id|WGPU\w+|\w+Ref)$/.test(text));
}

/** The statement returns the pointer, or stores it behind a pointer, a reference or in a field. */
function outlives(tokens: readonly Token[], bridge: number): boolean {
  const start = tokens.slice(0, bridge).findLastIndex(({ text }, i) => text === ';' || text === '}' || (text === '{' && isBlock(tokens, i))) + 1;
  const before = tokens.slice(start, bridge - 1);
  // An argument of a call is used up there.
  if (before.some(({ text }, i) => text === '(' && before[i - 1]?.kind === 'word' && !/^(return|if|else)$/.test(before[i - 1]!.text))) return false;
  if (before.some(({ text }) => text === 'return')) return !before.some(({ text }) => text === '[');
  const equals = before.findIndex(({ text }) => text === '=');
  return equals > 0 && isOutside(tokens, before.slice(0, equals), start);
}

/** A brace behind `)`, `else`, `do` or another statement, not one of a brace list. */
function isBlock(tokens: readonly Token[], brace: number): boolean {
  return brace === 0 || /^([;{})]|else|do|try|@autoreleasepool|@try|@finally)$/.test(tokens[brace - 1]!.text);
}

/** `*out`, `out->field`, `_field`, `self->field`, and fields of what is no local struct. */
function isOutside(tokens: readonly Token[], target: readonly Token[], until: number): boolean {
  if (target[0]?.text === '*') return true;
  const root = target.find(({ kind, text }) => kind === 'word' && !/^(self|this)$/.test(text));
  const isAccess = target.some(({ text }) => /^(\.|->|\[)$/.test(text));
  if (!root || target.filter(({ kind }) => kind === 'word').length > (isAccess ? 4 : 1)) return false;
  const isLocal = tokens.some(
    (token, i) => i < until && token.text === root.text && i > 0 && tokens[i - 1]!.kind === 'word' && !/^(return|else)$/.test(tokens[i - 1]!.text),
  );
  if (!isAccess) return /^(_\w+|[gms]_\w+|\w+_)$/.test(root.text);
  return !isLocal || isReturned(tokens, root.text);
}

function isReturned(tokens: readonly Token[], name: string): boolean {
  return tokens.some(({ text }, i) => text === 'return' && tokens[i + 1]?.text === name && tokens[i + 2]?.text === ';');
}

/** `id<MTLTexture> name = [device newTexture...]`: where the object of a strong local comes from. */
function madeLocally(tokens: readonly Token[], name: string): Token | undefined {
  const set = tokens.findIndex(
    (token, i) => token.text === name && tokens[i + 1]?.text === '=' && /^([*>]|id|auto)$/.test(tokens[i - 1]?.text ?? ''),
  );
  if (set < 0) return undefined;
  const start = tokens.slice(0, set).findLastIndex(({ text }) => /^[;{})]$/.test(text)) + 1;
  if (tokens.slice(start, set).some(({ text }) => /^(static|__unsafe_unretained|__weak)$/.test(text))) return undefined;
  const end = tokens.findIndex((token, i) => i > set && token.text === ';');
  return maker(tokens.slice(set + 2, end));
}

/** The message or function that makes a new object: nobody else holds it. */
function maker(value: readonly Token[]): Token | undefined {
  return value.find(
    ({ text }, i) =>
      (/^new([A-Z]\w*)?$/.test(text) && value[0]?.text === '[') || text === 'alloc' || (i === 0 && text === 'MTLCreateSystemDefaultDevice'),
  );
}

/** Every use reads the object, asks it something or bridges it: nothing stores it. */
function isKeptByNobody(tokens: readonly Token[], name: string): boolean {
  return tokens.every(({ text }, i) => {
    if (text !== name || /^(\.|->)$/.test(tokens[i - 1]?.text ?? '')) return true;
    const [before, after] = [tokens[i - 1]?.text ?? '', tokens[i + 1]?.text ?? ''];
    const isAsked = before === '[' || after === '.' || after === '=' || /^(!|==|!=|&&|\|\|)$/.test(before) || /^(==|!=|&&|\|\||\?)$/.test(after);
    return isAsked || (before === ')' && isBridge(tokens, i - 1)) || (before === '(' && after === ')' && tokens[i - 2]?.text === 'if');
  });
}

function isBridge(tokens: readonly Token[], close: number): boolean {
  const open = tokens.slice(0, close).findLastIndex(({ text }) => text === '(');
  return tokens[open + 1]?.text === '__bridge';
}
