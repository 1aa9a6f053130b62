// Metal resources with Private storage that the CPU reads or writes. A heuristic over tokens.
import type { FileFacts, Token } from '../facts/index';
import { closing } from './brackets';
import { type Body, bodyAt, lastWord } from './objc-tokens';

export interface PrivateAccess {
  readonly at: Token;
  readonly name: string;
  /** `contents`, `getBytes`, `replaceRegion`, `newBufferWithBytes`. */
  readonly by: string;
  /** The token that chooses Private storage. */
  readonly chosen: Token;
}

const isPrivate = ({ text }: Token) => /^(MTL)?(Resource)?StorageModePrivate$/.test(text);

export function privateAccesses(file: FileFacts): PrivateAccess[] {
  const { tokens } = file;
  if (!tokens.some(isPrivate)) return [];
  const creations = creationsIn(file);
  const filled = creations.flatMap(({ maker, target, chosen }) =>
    /^newBufferWithBytes$/.test(maker.text) && chosen ? [{ at: maker, name: target ?? 'buffer', by: maker.text, chosen }] : [],
  );
  return [...filled, ...tokens.flatMap((_, i) => accessAt(file, i, creations) ?? [])];
}

interface Creation {
  readonly target: string | undefined;
  readonly maker: Token;
  readonly body: Body | undefined;
  readonly chosen: Token | undefined;
}

/** What is made under which name; without a chosen mode where it is another one, or depends. */
function creationsIn(file: FileFacts): Creation[] {
  const { tokens } = file;
  return tokens.flatMap((token, i): Creation[] => {
    if (!/^new(Buffer|Texture)(With\w*)?$/.test(token.text) || !/^[:(]$/.test(tokens[i + 1]?.text ?? '')) return [];
    const start = tokens.slice(0, i).findLastIndex(({ text }) => /^[;{}]$/.test(text)) + 1;
    const end = tokens.findIndex(({ text }, at) => at > i && (text === ';' || text === '}'));
    const statement = tokens.slice(start, end < 0 ? tokens.length : end);
    const body = bodyAt(file, i);
    const descriptor = /Descriptor$|^newTexture$/.test(token.text) ? tokens[i + 2]?.text : undefined;
    const modes = descriptor ? modesOf(file, descriptor, body) : statement.filter(({ text }) => /StorageMode/.test(text));
    const isChoice = statement.some(({ text }) => text === '?') || modes.length === 0 || !modes.every(isPrivate);
    const equals = statement.findIndex(({ text }) => text === '=');
    const target = equals > 0 ? lastWord(statement.slice(0, equals)) : undefined;
    return [{ target, maker: token, body, chosen: isChoice ? undefined : modes[0] }];
  });
}

/** `descriptor.storageMode = ...` or `descriptor->setStorageMode(...)` in the body; a choice by `?:` is two modes. */
function modesOf({ tokens }: FileFacts, descriptor: string, body: Body | undefined): Token[] {
  const inside = body ? tokens.slice(body.from, body.to) : [];
  return inside.flatMap((token, i) => {
    const isSet = /^(storageMode|resourceOptions)$/.test(token.text)
      ? inside[i + 1]?.text === '='
      : /^set(StorageMode|ResourceOptions)$/.test(token.text);
    if (!isSet || inside[i - 2]?.text !== descriptor) return [];
    const length = inside.slice(i).findIndex(({ text }) => text === ';');
    return inside.slice(i + 1, length < 0 ? inside.length : i + length).filter(({ kind, text }) => kind === 'word' && text !== 'MTL');
  });
}

function accessAt(file: FileFacts, i: number, creations: readonly Creation[]): PrivateAccess | undefined {
  const { tokens } = file;
  const by = tokens[i]!.text;
  const name = by === 'contents' ? ownerOfContents(tokens, i) : isTextureAccess(tokens, i) ? (receiver(tokens, i) ?? callee(tokens, i)) : undefined;
  const body = name ? bodyAt(file, i) : undefined;
  if (!name || !body || asksForMode(tokens, body, i)) return undefined;
  const bare = (text: string | undefined) => text?.replace(/^_/, '');
  const named = creations.filter(({ target }) => bare(target) === bare(name));
  const here = named.filter((each) => each.body === body);
  const own = here.length > 0 ? here : isMember(tokens, i, name) ? named : [];
  const kind = by === 'contents' ? 'newBuffer' : 'newTexture';
  const isSure = own.length > 0 && own.every(({ chosen, maker }) => chosen && maker.text.startsWith(kind));
  return isSure ? { at: tokens[i]!, name, by, chosen: own[0]!.chosen! } : undefined;
}

/** `b` of `b.contents`, `self.b->contents` and `[b contents]`; not of `layer.contents`, which is only named in the same way. */
function ownerOfContents(tokens: readonly Token[], i: number): string | undefined {
  const [before, after] = [tokens[i - 1]?.text ?? '', tokens[i + 1]?.text ?? ''];
  if (after === '=' || after === ':') return undefined;
  if (/^(\.|->)$/.test(before)) return tokens[i - 2]?.kind === 'word' ? tokens[i - 2]!.text : undefined;
  return after === ']' ? receiver(tokens, i) : undefined;
}

function isTextureAccess(tokens: readonly Token[], i: number): boolean {
  return /^(getBytes|replaceRegion)$/.test(tokens[i]!.text) && /^[:(]$/.test(tokens[i + 1]?.text ?? '');
}

/** The name that a message goes to: `_t` of `[self->_t getBytes:...]`; nothing for the result of another message. */
function receiver(tokens: readonly Token[], i: number): string | undefined {
  const open = tokens.slice(0, i).findLastIndex(({ text }) => /^[[\](){};,]$/.test(text));
  const parts = tokens.slice(open + 1, i);
  const isName =
    tokens[open]?.text === '[' && closing(tokens, open) > i && parts.every(({ kind, text }) => kind === 'word' || /^(\.|->)$/.test(text));
  return isName ? parts.at(-1)?.text : undefined;
}

/** `t` of `t->getBytes(`. */
function callee(tokens: readonly Token[], i: number): string | undefined {
  return tokens[i - 1]?.text === '->' && tokens[i - 2]?.kind === 'word' ? tokens[i - 2]!.text : undefined;
}

/** A field or property, by how it is reached or called: what another body made. */
function isMember(tokens: readonly Token[], i: number, name: string): boolean {
  const at = tokens.slice(0, i).findLastIndex(({ text }) => text === name);
  return /^(_\w+|[gm]_\w+|\w+_)$/.test(name) || (/^(\.|->)$/.test(tokens[at - 1]?.text ?? '') && /^(self|this)$/.test(tokens[at - 2]?.text ?? ''));
}

function asksForMode(tokens: readonly Token[], body: Body, i: number): boolean {
  return tokens
    .slice(body.from, i)
    .some(({ text }, k, all) => /^(storageMode|resourceOptions|hasUnifiedMemory)$/.test(text) && all[k + 1]?.text !== '=');
}
