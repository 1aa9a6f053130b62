// Spellings that a compiler takes and the grammar does not. Each is rewritten in place, character for character, so that every span stays.

/** `"%" PRIu64 "\n"`, `"%"PRId32`: the literals around the macro stay. */
function formats(text: string): string {
  if (!/(?:PRI|SCN)[diouxX]/.test(text)) return text;
  return text.replace(/("[ \t]*)\b((?:PRI|SCN)[diouxX]\w*)\b/g, (_, quote: string, macro: string) => quote + ' '.repeat(macro.length));
}

const types = /\b(?:(?:struct|union|enum)(?=\s+\w+\s*[,)])|(?:u?int\d+|s?size|u?intptr)_t(?=\s*\)))/g;

/**
 * `TYPED_CALLOC(struct buffer)`, `container_of(p, struct buffer, link)`: types as arguments of a macro. So is `member(p, offset, uint8_t)`,
 * where the grammar has a word for the type. Prototypes get a type of another name, which nobody reads.
 */
function typeArguments(text: string): string {
  return text.replace(types, (word, at: number) => {
    const before = text.slice(Math.max(0, at - 60), at);
    if (word.endsWith('_t')) return /,\s*$/.test(before) ? `${word.slice(0, -1)}T` : word;
    return isArgument(before) ? ' '.repeat(word.length) : word;
  });
}

function isArgument(before: string): boolean {
  if (/,\s*$/.test(before)) return true;
  const called = /(\w+)\s*\(\s*$/.exec(before)?.[1];
  return called !== undefined && !/^(sizeof|typeof|__typeof__|return|if|while|switch|for|alignof|_Alignof|offsetof|case)$/.test(called);
}

/** `.limits{...}` of C++20 is `limits:{...}` in the old style that the grammar knows. */
function designators(text: string): string {
  return /[\s{,]\.[A-Za-z_]\w*\s*\{/.test(text) ? text.replace(/(?<=[\s{,])\.([A-Za-z_]\w*)(?=\s*\{)/g, '$1:') : text;
}

/** Words of C++ that C programs use as names. */
const names =
  /\b(new|delete|class|this|template|private|public|protected|namespace|operator|try|catch|typename|explicit|friend|virtual|export|mutable)\b/;
const allNames = new RegExp(names, 'g');

export function plainSpellings(text: string, isC: boolean): string {
  const result = designators(typeArguments(formats(text)));
  return isC && names.test(result) ? result.replace(allNames, (word) => word.slice(0, -1) + word.at(-1)!.toUpperCase()) : result;
}
