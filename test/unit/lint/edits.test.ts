// Whatever was kept while a document was edited, the findings are those of its text. Texts that do not parse are passed through, not compared:
// there tree-sitter's recovery from errors depends on what it parsed before.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lint, ParsedDocument } from '../../../helper/lint/engine';
import { rules } from '../../../helper/lint/rules/registry';
import { grammars } from './harness';

const folder = path.resolve(import.meta.dirname, '../../fixtures/lint');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(cpp|c|cu|py)$/.test(file))
  .sort();

/** What people type, and what turns the structure of a file over. */
const pieces = [
  '{',
  '}',
  '(',
  ')',
  ';',
  '"',
  '#if 0\n',
  '#endif\n',
  '/*',
  '*/',
  '\n',
  'x',
  'return',
  'int q;',
  'close(fd);',
  'struct Q { int fd_; };\n',
];

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  removed: fc.constantFrom(0, 0, 1, 3, 120),
  inserted: fc.constantFrom('', ...pieces),
});

it('a document that is edited and mended again gives the findings of its text', { timeout: 120_000 }, () => {
  // As the server asks while somebody types: fixes come from the text alone.
  const options = { rules, preview: true, fixes: false };
  fc.assert(
    fc.property(fc.constantFrom(...files), fc.array(edit, { minLength: 1, maxLength: 8 }), fc.nat(40), (file, edits, lines) => {
      const original = readFileSync(path.join(folder, file), 'utf8');
      const document = new ParsedDocument(grammars);
      lint(file, original, grammars, options, document);
      let text = original;
      for (const { at, removed, inserted } of edits) {
        const start = Math.floor(at * text.length);
        text = text.slice(0, start) + inserted + text.slice(start + removed);
        expect(lint(file, text, grammars, options, document).crashes).toEqual([]);
      }
      // Mended further down than before, so that every kept place has to move.
      const mended = '\n'.repeat(lines) + original;
      expect(lint(file, mended, grammars, options, document)).toEqual(lint(file, mended, grammars, options));
      document.dispose();
    }),
    { numRuns: 200, seed: 7 },
  );
});
