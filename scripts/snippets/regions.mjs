// Reads the snippet regions out of snippets/src. A region is what lies between `snippet: begin PREFIX | description` and
// `snippet: end` comments; a `snippet: placeholders a, b` line after the first names the identifiers that a user renames.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** VS Code language id, which is also the folder below snippets/src, with the source's indentation in spaces. */
export const languages = { cpp: 2, 'cuda-cpp': 2, python: 4, 'objective-cpp': 2 };

export const maxLines = 39;

const marker = (line) => /^(?:\/\/|#) snippet: (begin|placeholders|end)\b ?(.*)$/.exec(line);

/** Regions of one file: {prefix, description, placeholders, lines, file, headers, includes}. Throws on a malformed one. */
export function readRegions(file) {
  const source = readFileSync(file, 'utf8').split('\n');
  const regions = [];
  let open;
  const fail = (at, problem) => {
    throw new Error(`${file}:${at + 1}: ${problem}`);
  };
  source.forEach((line, at) => {
    const [, kind, text] = marker(line) ?? [];
    if (kind === 'begin') {
      if (open) fail(at, `${open.prefix} has no end`);
      open = { ...beginning(text, (problem) => fail(at, problem)), placeholders: [], lines: [], file };
    } else if (kind && !open) {
      fail(at, `"${kind}" outside of a region`);
    } else if (kind === 'placeholders') {
      open.placeholders = text.split(/, */);
    } else if (kind === 'end') {
      finish(open, (problem) => fail(at, problem));
      regions.push(open);
      open = undefined;
    } else if (open) {
      open.lines.push(line);
    }
  });
  if (open) fail(source.length - 1, `${open.prefix} has no end`);
  const outside = source.filter((line) => !regions.some((region) => region.lines.includes(line)));
  return regions.map((region) => ({ ...region, ...dependencies(outside) }));
}

function beginning(text, fail) {
  const [, prefix, description] = /^(seam-[a-z0-9-]+) \| (\S.*)$/.exec(text) ?? fail('expected: snippet: begin seam-NAME | description');
  return { prefix, description };
}

function finish({ prefix, lines, placeholders }, fail) {
  if (lines.length === 0) fail(`${prefix} is empty`);
  if (lines.length > maxLines) fail(`${prefix} has ${lines.length} lines; more than ${maxLines} do not fit an editor pop-up`);
  for (const name of placeholders) {
    if (!lines.some((line) => word(name).test(line))) fail(`${prefix} does not contain its placeholder ${name}`);
  }
}

export const word = (name) => new RegExp(`\\b${name}\\b`);

/** What a file needs from outside: headers or imports for the description, local includes for other snippets. */
function dependencies(lines) {
  const all = (pattern) => lines.map((line) => pattern.exec(line)?.[1]).filter(Boolean);
  return { headers: [...all(/^#(?:include|import) (<.+>)$/), ...all(/^((?:from \S+ )?import .+)$/)], includes: all(/^#include "(.+)"$/) };
}

/** Map from language id to its regions, in the order of file names. */
export function readLanguages(sourceFolder) {
  return Object.fromEntries(Object.keys(languages).map((language) => [language, readFolder(path.join(sourceFolder, language))]));
}

function readFolder(folder) {
  if (!existsSync(folder)) throw new Error(`${folder} is missing`);
  const files = readdirSync(folder).filter((name) => /\.(hpp|cu|py|mm)$/.test(name));
  const regions = files.sort().flatMap((name) => readRegions(path.join(folder, name)));
  const twice = regions.find((region, at) => regions.findIndex((other) => other.prefix === region.prefix) !== at);
  if (twice) throw new Error(`${twice.file}: the prefix ${twice.prefix} is used twice in one language`);
  return regions;
}
