// Which struct the bytes belong to that a C memory function works on, in Objective-C(++).
import type { Token } from '../facts/index';
import { argumentsAt, closing, declaredType, lastWord } from './objc-tokens';

/** Type names that the arguments of a call size or name: `sizeof(T)`, `sizeof(*p)`, `sizeof x`, `&x`. */
export function sizedTypes(tokens: readonly Token[], open: number): string[] {
  const found: string[] = [];
  for (let i = open; i < closing(tokens, open); i++) {
    if (tokens[i]!.text !== 'sizeof') continue;
    const inner = tokens[i + 1]?.text === '(' ? argumentsAt(tokens, i + 1)[0]! : tokens.slice(i + 1, i + 4);
    if (inner.some((token) => token.text === '->' || token.text === '.')) continue;
    const word = inner.find((token) => token.kind === 'word' && !/^(struct|const)$/.test(token.text))?.text;
    if (!word) continue;
    const isPointer = inner.at(-1)?.text === '*';
    const isVariable = inner[0]?.text === '*' || declaredType(tokens, word, i) !== undefined;
    if (!isPointer) found.push(word, ...(isVariable ? [declaredType(tokens, word, i)!] : []));
  }
  return found.filter((each) => each !== undefined);
}

/** The type that the first argument points to: `&x` and `x` by the declaration of `x`. */
export function pointedType(tokens: readonly Token[], open: number): string | undefined {
  const first = argumentsAt(tokens, open)[0]!;
  if (first.some((token) => /^(->|\.|\[)$/.test(token.text))) return undefined;
  const name = lastWord(first);
  return name && declaredType(tokens, name, open - 1);
}
