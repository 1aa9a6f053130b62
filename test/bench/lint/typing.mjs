// What somebody types: a word at the end of a statement, letter by letter, and its removal; then on to another place.

const word = 'value';

/** LSP content changes for a text, the same in every run. */
export function* keystrokes(text, places) {
  const lines = text.split('\n');
  const statements = lines.flatMap((line, i) => (/^\s.*;$/.test(line) ? [i] : []));
  for (let place = 0; place < places; place++) {
    const line = statements[Math.floor(((place * 0.618034) % 1) * statements.length)];
    const start = lines[line].length - 1;
    const at = (offset) => ({ line, character: start + offset });
    for (let i = 0; i < word.length; i++) yield { range: { start: at(i), end: at(i) }, text: word[i] };
    for (let i = word.length; i > 0; i--) yield { range: { start: at(i - 1), end: at(i) }, text: '' };
  }
}

export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
