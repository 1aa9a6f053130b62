// Which storage the Metal resources of a file are created with, told by tokens.
import type { FileFacts, Token } from '../facts/index';
import { fileQuery } from '../memo/query';
import { lastWord } from './objc-tokens';

const isShared = (token: Token) => /^(MTL)?(Resource)?StorageModeShared$/.test(token.text);
const managed = /^(MTL)?(Resource)?StorageModeManaged$/;
const isMode = (token: Token) => /^(MTL)?(Resource)?StorageMode(Shared|Managed|Private|Memoryless)$/.test(token.text);

/**
 * The token that chooses Shared storage for the resource: by its name, or because the file knows nothing else. Of several resources by one
 * name, which may be fields of several structs, some may be Private as long as the file has nothing Managed.
 */
export function sharedCreation(file: FileFacts, resource: string): Token | undefined {
  const creations = creationsIn(file);
  const own = creations.filter((each) => each.targets.includes(resource));
  if (own.length > 0) {
    const isSure = own.every((each) => (knowsManaged(file) ? each.shared : each.isKnown));
    return isSure ? own.find((each) => each.shared)?.shared : undefined;
  }
  if (knowsManaged(file) || creations.length === 0 || !creations.every((each) => each.shared)) return undefined;
  return creations[0]!.shared;
}

const knowsManaged = fileQuery((file) => file.hasToken('word', managed));

interface Creation {
  /** What the new resource is put into, and what that is handed on to. */
  readonly targets: readonly string[];
  /** The token `...StorageModeShared` when the statement or its descriptor names it and nothing else. */
  readonly shared: Token | undefined;
  readonly isKnown: boolean;
}

const creationsIn = fileQuery(({ tokens }): readonly Creation[] =>
  tokens.flatMap((token, i): Creation[] => {
    if (!/^new(Buffer|Texture|Heap)(With\w*)?$/.test(token.text) || !/^[:(]$/.test(tokens[i + 1]?.text ?? '')) return [];
    const start = tokens.slice(0, i).findLastIndex((each) => /^[;{}]$/.test(each.text)) + 1;
    const end = tokens.findIndex((each, at) => at > i && (each.text === ';' || each.text === '}'));
    const statement = tokens.slice(start, end < 0 ? tokens.length : end);
    const descriptor = /Descriptor$/.test(token.text) ? tokens[i + 2]?.text : undefined;
    const named = statement.find(isMode) ?? optionNamed(tokens, i, tokens.slice(i + 1, end < 0 ? tokens.length : end));
    const chosen = named ?? (descriptor ? modeOf(tokens, descriptor) : defaultMode(token, statement));
    const isSole = chosen !== undefined && !statement.some((each) => each.text === '?');
    return [{ targets: targetsOf(tokens, statement, end), shared: isSole && !isOther(chosen) ? chosen : undefined, isKnown: isSole }];
  }),
);

/** Named, and not Shared; the default is. */
function isOther(token: Token): boolean {
  return isMode(token) && !isShared(token);
}

/** The one mode in `options = A | B;` where the creation at `at` is given `options`. */
function optionNamed(tokens: readonly Token[], at: number, given: readonly Token[]): Token | undefined {
  const names = new Set(given.filter(({ kind }) => kind === 'word').map(({ text }) => text));
  const set = tokens.flatMap((token, i) => (names.has(token.text) && tokens[i + 1]?.text === '=' && isSeenFrom(tokens, i, at) ? [i] : []));
  const modes = set.flatMap((i) => {
    const end = tokens.findIndex((each, to) => to > i && each.text === ';');
    return tokens.slice(i + 2, end < 0 ? tokens.length : end).filter(isMode);
  });
  return modes.length > 0 && modes.every((each) => each.text === modes[0]!.text) ? modes[0] : undefined;
}

/** In the same block or one around it, or a constant. */
function isSeenFrom(tokens: readonly Token[], index: number, at: number): boolean {
  const start = tokens.slice(0, index).findLastIndex((each) => /^[;{}]$/.test(each.text)) + 1;
  if (tokens.slice(start, index).some(({ text }) => text === 'static' || text === 'constexpr')) return true;
  let depth = 0;
  for (let i = index; i < at && depth >= 0; i++) depth += tokens[i]!.text === '{' ? 1 : tokens[i]!.text === '}' ? -1 : 0;
  return index < at && depth >= 0;
}

function targetsOf(tokens: readonly Token[], statement: readonly Token[], end: number): string[] {
  const first = targetOf(statement);
  if (first === undefined) return [];
  // `for (auto& each : slots) each = ...`
  const of = statement.findIndex((token, i) => token.text === first && statement[i + 1]?.text === ':' && statement[i + 2]?.kind === 'word');
  const array = of >= 0 ? [statement[of + 2]!.text] : [];
  return [first, ...array, ...handedOn(tokens, first, end)];
}

/** `out->buffer = buffer;`, `out->buffer = NS::TransferPtr(buffer);` a few lines on. */
function handedOn(tokens: readonly Token[], name: string, from: number): string[] {
  const next = from < 0 ? [] : tokens.slice(from, from + 60);
  return next.flatMap((token, i) => {
    if (token.text !== '=' || next[i - 1]?.kind !== 'word') return [];
    const end = next.findIndex((each, at) => at > i && each.text === ';');
    const value = next.slice(i + 1, Math.max(end, i + 1));
    const isHanded = value.at(-1)?.text === name || (value.at(-2)?.text === name && value.at(-1)?.text === ')');
    return isHanded && value.length <= 7 ? [next[i - 1]!.text] : [];
  });
}

/** What the new resource is put into: `x = `, `self.x = `, `x[i] = `, `x.push_back(`, `[x addObject:`. */
function targetOf(statement: readonly Token[]): string | undefined {
  const equals = statement.findIndex((each) => each.text === '=');
  if (equals > 0) return lastWord(withoutIndex(statement.slice(0, equals)));
  const put = statement.findIndex((each) => /^(push_back|emplace_back|emplace|push|addObject|addPointer)$/.test(each.text));
  return put > 0 ? lastWord(statement.slice(0, put)) : undefined;
}

function withoutIndex(tokens: readonly Token[]): readonly Token[] {
  const open = tokens.findIndex((token, i) => i > 0 && token.text === '[' && tokens[i - 1]!.kind === 'word');
  return open < 0 ? tokens : tokens.slice(0, open);
}

/** Buffers have Shared storage when their options name no mode: `options:0`. */
function defaultMode({ text }: Token, statement: readonly Token[]): Token | undefined {
  const at = statement.findIndex((each) => each.text === 'options');
  const option = /^newBufferWith/.test(text) && at > 0 && statement[at + 3]?.text === ']' ? statement[at + 2] : undefined;
  return option && /^(0|MTL(Resource)?(OptionCPUCacheMode|CPUCacheMode)\w+)$/.test(option.text) ? option : undefined;
}

/** `descriptor.storageMode = MTLStorageModeShared`, everywhere it is set. */
function modeOf(tokens: readonly Token[], descriptor: string): Token | undefined {
  const set = tokens.flatMap((token, i) =>
    token.text === 'storageMode' && tokens[i - 2]?.text === descriptor && tokens[i + 1]?.text === '=' ? [tokens[i + 2]!] : [],
  );
  return set.length > 0 && set.every(isShared) ? set[0] : undefined;
}
