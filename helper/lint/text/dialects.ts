// Spellings of compilers, libraries and of C that the grammar, which is one of C++, does not know. Each is rewritten in place, character for
// character.
import { blank } from './arms';
import { comment, literal } from './literals';

const lambdaSpace = /(\][ \t]*)((?:__(?:host|device)__\s*)+)(?=\()/g;
const typeOfType = /(\btypeid\s*\(\s*)decltype\b/g;
const arrayOfPointers = /(\bnew\s+)(const\s+)?([\w:]+\s*)(\*+)(?=\s*\[)/g;
/** `.limits{...}` of C++20 is `limits:{...}` in the old style that the grammar knows. */
const braced = /\.(?<=[\s{,]\.)([A-Za-z_]\w*)(?=\s*\{)/g;
/** `g_autoptr (GError) error`. What cleans up behind itself is read as the type of the variable. */
const cleaned = /^([ \t]*g_auto(?:ptr|list|slist|queue)?)([ \t]*\([ \t]*\w+[ \t]*\))(?=\s*\w+\s*[=;])/gm;
/** `delete[](char*)buffer` */
const deletedCast = /(\bdelete\s*(?:\[\s*\]\s*)?)(\(\s*(?:const\s+)?[A-Za-z_][\w:]*(?:<[^<>();{}]*>)?[\s*]*\*\s*\))(?=\s*[A-Za-z_(])/g;
const cleanedPlain =
  /^([ \t]*(?:_?[a-z]+_auto_?(?:free|fd|close)|_cleanup_\w+_)\b)([ \t]+(?:const[ \t]+)?(?:(?:struct|unsigned)[ \t]+)?\w+[ \t]*\**[ \t]*)(?=\w+\s*[=;])/gm;

export function plainDialects(text: string): string {
  let plain = text.replace(braced, '$1:');
  if (plain.includes('__device__') || plain.includes('__host__'))
    plain = plain.replace(lambdaSpace, (_, head: string, space: string) => head + blank(space));
  if (plain.includes('typeid')) plain = plain.replace(typeOfType, '$1type_of_');
  if (plain.includes('*[') || plain.includes('* ['))
    plain = plain.replace(arrayOfPointers, (_, head: string, constant: string | undefined, type: string, stars: string) =>
      [head, blank(constant ?? ''), type, blank(stars)].join(''),
    );
  if (plain.includes('delete')) plain = plain.replace(deletedCast, (_, head: string, cast: string) => head + blank(cast));
  if (!plain.includes('_auto') && !plain.includes('_cleanup_')) return plain;
  const owner = (_: string, head: string, type: string) => head + blank(type);
  return plain.replace(cleaned, owner).replace(cleanedPlain, owner);
}

/** Words that are names in C. */
const words =
  'new|delete|class|template|this|namespace|private|public|protected|operator|typename|explicit|friend|mutable|virtual|try|catch|throw|using|export|and|or|not|xor';
const keywords = new RegExp(String.raw`${comment}|${literal}|^[ \t]*#[ \t]*\w+|\b(${words})\b`, 'gm');
const renamed = new RegExp(String.raw`\b(?:${words.replace(/\w(?=\||$)/g, (last) => last.toUpperCase())})\b`, 'g');

/** Names of a C text that are keywords elsewhere end with a capital letter then. */
export function renameKeywords(text: string): string {
  return text.replace(keywords, (written: string, word: string | undefined) => (word ? word.slice(0, -1) + word.at(-1)!.toUpperCase() : written));
}

/** What is said of a C text, with its names as they are written there. */
export function restoreKeywords(said: string, text: string): string {
  return said.replace(renamed, (word) => (text.includes(word) ? word : word.slice(0, -1) + word.at(-1)!.toLowerCase()));
}
