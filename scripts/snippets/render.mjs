// Turns a region into a VS Code snippet: tabs for indentation, escapes, placeholders, a description that says what else is needed.
import path from 'node:path';
import { languages, readRegions, word } from './regions.mjs';

/** @returns {prefix, description, body} as VS Code wants it; body is an array of lines. */
export function toSnippet(region, language) {
  return { prefix: region.prefix, description: describe(region), body: body(region, languages[language]) };
}

function body({ lines, placeholders }, indent) {
  const seen = new Set();
  const marked = lines.map((line) => placeholders.reduce((text, name, at) => mark(text, name, at + 1, seen), escapeText(tabs(line, indent))));
  return [...marked, '$0'];
}

/** VS Code turns a leading tab into the user's own indentation. */
function tabs(line, indent) {
  const spaces = /^ */.exec(line)[0].length;
  return '\t'.repeat(Math.floor(spaces / indent)) + ' '.repeat(spaces % indent) + line.slice(spaces);
}

const escapeText = (line) => line.replace(/[\\$]/g, '\\$&');

/** The first occurrence carries the default text, the others mirror it. */
function mark(line, name, number, seen) {
  return line.replace(new RegExp(word(name), 'g'), () => {
    const first = !seen.has(name);
    seen.add(name);
    return first ? `\${${number}:${name}}` : `\${${number}}`;
  });
}

function describe({ description, headers, lines, file, includes }) {
  const uses = includes.flatMap((include) => readRegions(path.join(path.dirname(file), include))).filter((other) => isUsed(other, lines));
  const needs = headers.length > 0 ? ` Needs ${headers.map((header) => header.replace(/^import |^from (\S+) import .*/, '$1')).join(', ')}.` : '';
  return `${description}.${needs}${uses.length > 0 ? ` Uses ${uses.map((other) => other.prefix).join(', ')}.` : ''}`;
}

const declaration = /^(?:template .*|(?:inline|static|constexpr) .*?|class |struct |enum class |using )\b(\w+)(?=\(| [{=]| \{|;|$)/;

function isUsed(other, lines) {
  const names = other.lines.map((line) => declaration.exec(line)?.[1]).filter(Boolean);
  return names.some((name) => lines.some((line) => word(name).test(line)));
}

/** The JSON of one language in the form that Biome's formatter leaves alone. */
export function toJson(regions, language) {
  const entries = regions.map((region) => {
    const { prefix, description, body } = toSnippet(region, language);
    return `  ${JSON.stringify(prefix)}: {\n    "prefix": ${JSON.stringify(prefix)},\n    "description": ${JSON.stringify(description)},\n    "body": ${array(body)}\n  }`;
  });
  return `{\n${entries.join(',\n')}\n}\n`;
}

function array(lines) {
  const flat = `[${lines.map((line) => JSON.stringify(line)).join(', ')}]`;
  return `    "body": ${flat}`.length <= 150 ? flat : `[\n${lines.map((line) => `      ${JSON.stringify(line)}`).join(',\n')}\n    ]`;
}
