// Spellings that a compiler takes and the grammar does not. Each is rewritten in place, character for character, so that every span stays.

const rewrites: readonly { readonly gate: RegExp; readonly pattern: RegExp; readonly by: (match: string, ...parts: string[]) => string }[] = [
  // `"%" PRIu64 "\n"`, `"%"PRId32`: the literals around the macro stay.
  { gate: /\b(?:PRI|SCN)[diouxX]/, pattern: /("[ \t]*)\b((?:PRI|SCN)[diouxX]\w*)\b/g, by: (_, quote, macro) => quote! + ' '.repeat(macro!.length) },
  // `TYPED_CALLOC(struct buffer)`, `container_of(p, struct buffer, link)`: types as arguments of a macro.
  {
    gate: /[(,]\s*(?:struct|union|enum)\s/,
    pattern: /(\b(?!(?:sizeof|typeof|return|if|while|switch|for|alignof|offsetof|case)\b)\w+\s*\(|,)(\s*)(struct|union|enum)(?=\s+\w+\s*[,)])/g,
    by: (_, before, blank, word) => before! + blank + ' '.repeat(word!.length),
  },
  // `member(p, offset, uint8_t)`: a type that the grammar has a word for. Prototypes get a type of another name, which nobody reads.
  { gate: /,\s*\w+_t\s*\)/, pattern: /(,\s*)(u?int\d+_t|s?size_t|u?intptr_t)(?=\s*\))/g, by: (_, before, type) => `${before}${type!.slice(0, -1)}T` },
  // `.limits{...}` of C++20 is `limits:{...}` in the old style that the grammar knows.
  { gate: /\.\w+\s*\{/, pattern: /(?<=[\s{,])\.([A-Za-z_]\w*)(?=\s*\{)/g, by: (_, name) => `${name}:` },
];

/** Words of C++ that C programs use as names. */
const names =
  /\b(new|delete|class|this|template|private|public|protected|namespace|operator|try|catch|typename|explicit|friend|virtual|export|mutable)\b/;
const allNames = new RegExp(names, 'g');

export function plainSpellings(text: string, isC: boolean): string {
  let result = text;
  for (const { gate, pattern, by } of rewrites) if (gate.test(result)) result = result.replace(pattern, by);
  return isC && names.test(result) ? result.replace(allNames, (word) => word.slice(0, -1) + word.at(-1)!.toUpperCase()) : result;
}
