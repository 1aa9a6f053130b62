// `XYZ_TRY { } XYZ_CATCH(const Error& error) { }`, and `XYZ_CATCH(const Error& error, { })` with the block inside: what they stand for is written
// in their place, character for character.
import { blank } from './arms';
import { comment, literal } from './literals';

const tried = /\b([A-Z][A-Z0-9]*)_TRY(?=\s*\{)/g;
const caught = /(\}\s*)([A-Z][A-Z0-9]*_CATCH)(?=\s*\()/g;
const withBlock = /(\bcatch[ \t]*\([^(){};]*?),(?=\s*\{)/g;
const ended = /^([ \t]*\}?[ \t]*)[A-Z][A-Z0-9]*_(?:CATCH_END|TRY_END|END_TRY|END_CATCH)\b/gm;

export function plainTryBlocks(text: string): string {
  if (!text.includes('_CATCH') || text.match(tried)?.length !== text.match(caught)?.length) return text;
  const plain = text
    .replace(tried, (written) => 'try'.padEnd(written.length))
    .replace(caught, (_, head: string, macro: string) => head + 'catch'.padEnd(macro.length))
    .replace(ended, (written, head: string) => head + blank(written.slice(head.length)));
  return blocksOutside(plain);
}

/** `catch(E& e, { });` is read as `catch(E& e) { } ;`. */
function blocksOutside(text: string): string {
  let result = '';
  let at = 0;
  for (const match of text.matchAll(withBlock)) {
    const comma = match.index + match[1]!.length;
    const end = match.index < at ? undefined : parenthesisBehindBlock(text, comma + 1);
    if (end === undefined) continue;
    result += `${text.slice(at, comma)})${text.slice(comma + 1, end)} `;
    at = end + 1;
  }
  return result + text.slice(at);
}

const skipped = new RegExp(`${comment}|${literal}`, 'y');

/** The parenthesis that closes behind the block that begins at a place. */
function parenthesisBehindBlock(text: string, from: number): number | undefined {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    skipped.lastIndex = i;
    if (skipped.test(text)) i = skipped.lastIndex - 1;
    if (text[i] === '{') depth++;
    if (text[i] !== '}' || --depth > 0) continue;
    const behind = /^\s*\)/.exec(text.slice(i + 1, i + 200))?.[0];
    return behind === undefined ? undefined : i + behind.length;
  }
  return undefined;
}
