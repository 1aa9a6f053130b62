// The grammar of Python reads all comments of a row again behind each of them: twenty thousand lines take half a minute. Rows that long are blanked
// for the parser, but for lines that are about this linter.

const row = /(?:^[ \t]*#[^\n]*\n){200,}/gm;
const comment = /^([ \t]*)#[^\n\r]*/gm;

export function withoutLongComments(text: string): string {
  return text.replace(row, (lines) => lines.replace(comment, (line) => (line.includes('seamscope') ? line : ' '.repeat(line.length))));
}
