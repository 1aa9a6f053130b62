// Texts to lint, made of the fixtures: repeated, with functions, classes and globals renamed in each copy, up to a wanted size.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Fixture texts of a kind, `.cpp` or `.py`, sorted by name. */
export function fixtureTexts(root, extension) {
  const folder = path.join(root, 'test/fixtures/lint');
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(extension))
    .sort()
    .map((file) => ({ file, text: readFileSync(path.join(folder, file), 'utf8') }));
}

const declared =
  /^(?:struct|class|union|enum(?: class)?) (\w+)|^[A-Za-z_][\w:<>*& ,]*?[ *&](\w+)(?:\([^;]*\) *(?:const )?\{|;| =|\{)|^(?:class|def) (\w+)/gm;

/** The text with what it declares at the left margin renamed, so that copies do not meet. */
function renamed(text, suffix) {
  const names = new Set([...text.matchAll(declared)].map((match) => match[1] ?? match[2] ?? match[3]));
  for (const keyword of ['main', 'if', 'return', 'operator']) names.delete(keyword);
  if (names.size === 0) return text;
  return text.replace(new RegExp(`\\b(${[...names].join('|')})\\b`, 'g'), `$1${suffix}`);
}

/** One text of at least `size` UTF-16 code units. */
export function textOfSize(root, extension, size) {
  const fixtures = fixtureTexts(root, extension);
  const parts = [];
  let length = 0;
  for (let copy = 0; length < size; copy++) {
    for (const { text } of fixtures) {
      if (length >= size) break;
      parts.push(renamed(text, `_${copy}_${parts.length}`));
      length += parts.at(-1).length;
    }
  }
  return parts.join('\n');
}
