// Brackets and their partners among tokens.
import type { Token } from '../facts/index';

export const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The index of the bracket that closes the one at `open`, or the end of the file. */
export function closing(tokens: readonly Token[], open: number): number {
  const [opener, closer] = [tokens[open]!.text, closers[tokens[open]!.text]];
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    if (tokens[i]!.text === opener) depth++;
    if (tokens[i]!.text === closer && --depth === 0) return i;
  }
  return tokens.length;
}
