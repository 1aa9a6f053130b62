// Declarations as arguments, which only macros take: `PROFILE(CUresult error = query(), AREA)`, `ASSIGN_OR_RETURN(auto buffer, make())`. What is
// declared stays, its type goes.
import { blank } from './arms';

const type = String.raw`(?:const\s+)?[A-Za-z_][\w:]*(?:<(?:[^<>();{}]|<[^<>();{}]*>)*>)?`;
const gap = String.raw`(?:\s+[*&]*|[*&]+\s*)`;
const name = String.raw`[A-Za-z_]\w*`;
const before = (macro: string) => String.raw`^([ \t]+${macro}[ \t]*\(\s*)`;
const any = '[A-Z][A-Z0-9_]{2,}';

/** With a word that each needs: most texts have none. */
const declarations = [
  // With a value that is no default of a parameter: a call or a cast.
  [
    '=',
    String.raw`${before(String.raw`(?:${any}|(?:GL|CU|VK|gl|cu|vk|cuda|hip|egl)_?(?:[cC]all|[cC]heck)\w*)`)}(${type}${gap})(?=${name}\s*=(?!=)[^;,]*\()`,
  ],
  ['auto', String.raw`${before(any)}((?:const\s+)?auto${gap})(?=${name}\s*,)`],
  ['ASSIGN_OR_', String.raw`${before(String.raw`[A-Z_]*ASSIGN_OR_\w+`)}(${type}${gap})(?=${name}\s*,)`],
  ['THROW', String.raw`${before(String.raw`(?:EXPECT|ASSERT)_\w*THROW`)}(${type}\s+)(?=${name}\s*[({])`],
].map(([needed, pattern]) => ({ needed: needed!, pattern: new RegExp(pattern!, 'gm') }));

const keyword = /^(?:return|new|delete|throw|sizeof|not|co_await|const|typename|struct|unsigned|signed)\b/;

export function plainDeclaredArguments(text: string): string {
  let plain = text;
  for (const { needed, pattern } of declarations) if (plain.includes(needed)) plain = plain.replace(pattern, withoutType);
  return plain;
}

function withoutType(written: string, head: string, declared: string): string {
  return keyword.test(declared.replace(/^const\s+/, '')) ? written : head + blank(declared);
}
