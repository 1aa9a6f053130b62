/** Text that does nothing to a terminal but being read. */

/** Control characters but tab and line end; marks that turn the direction of writing, which make a text look like another one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Line ends and tabs stay. */
export function visible(text: string): string {
  return text.replace(hidden, escaped);
}

/** For a name within a line: line ends and tabs are escaped too. */
export function visibleName(name: string): string {
  return name.replace(/[\t\n]/g, escaped).replace(hidden, escaped);
}

/** The same with one character for each, so that columns stay. */
export function pictured(line: string): string {
  return line.replace(hidden, (c) => (c < ' ' ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : '\ufffd'));
}

function escaped(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
}
