// Whatever was kept while a document was edited, the findings are those of its text. Texts that do not parse are passed through, not compared:
// there tree-sitter's recovery from errors depends on what it parsed before.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EffectIndex } from '../../../helper/lint/effects/index';
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

/** A share of a text, each as likely as any other: of `fc.double` nearly all would be near 0. */
const anywhere = fc.nat(9999).map((n) => n / 10_000);

const edit = fc.record({
  at: anywhere,
  removed: fc.constantFrom(0, 0, 1, 3, 120),
  inserted: fc.constantFrom('', ...pieces),
});

it('what a test expects to fail moves with its text', () => {
  const text = 'import pytest\nimport torch\n\ndef test_refused(array):\n    with pytest.raises(ValueError):\n        array.__dlpack__(stream=0)\n';
  const document = new ParsedDocument(grammars);
  for (const each of [text, text, `\n\n${text}`]) expect(lint('a.py', each, grammars, { rules, preview: true }, document).findings).toEqual([]);
  document.dispose();
});

it('a method that an edit makes one of another class, and the next one of its own again, is found again', () => {
  const text = readFileSync(path.join(folder, 'fd/ipc-free-before-close/bad-ranks.cpp'), 'utf8');
  const from = text.indexOf('private:');
  const to = text.indexOf('    CUresult close() {');
  const torn = text.slice(0, text.lastIndexOf('    }', from)) + text.slice(text.lastIndexOf('    }', to), to) + text.slice(to);
  const document = new ParsedDocument(grammars);
  const found = (each: string) => lint('a.cpp', each, grammars, { rules, preview: true }, document).findings.map(({ scope }) => scope);
  expect(found(text)).toEqual(['Windows::~Windows', 'Pair::close']);
  expect(found(torn)).toEqual(lint('a.cpp', torn, grammars, { rules, preview: true }).findings.map(({ scope }) => scope));
  expect(found(`\n${text}`)).toEqual(['Windows::~Windows', 'Pair::close']);
  document.dispose();
});

it('a document that is edited and mended again gives the findings of its text', { timeout: 300_000 }, () => {
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

/** Lines that may follow any statement, and lines that may stand at the end of a file. */
const statements = ['int q = 0;', '// seen', 'close(fd);', 'return;', 'if (q) { log(q); }', 'helper(fd);'];
const definitions = ['void helper(int fd) { close(fd); }', 'static int q = 1;', 'struct Q { int fd_; ~Q() { close(fd_); } };', '#define Q 1'];

interface Step {
  readonly kind: 'statement' | 'definition' | 'removal' | 'elsewhere';
  readonly at: number;
  readonly text: string;
}

const texts = { statement: statements, definition: definitions, removal: [''], elsewhere: ['close(fd);', 'look(fd);'] } as const;
const step: fc.Arbitrary<Step> = fc
  .constantFrom('statement', 'statement', 'definition', 'removal', 'elsewhere')
  .chain((kind) =>
    fc.record({ kind: fc.constant(kind as Step['kind']), at: anywhere, text: fc.constantFrom<string>(...texts[kind as Step['kind']]) }),
  );

/** The lines after a step; what a removal takes away was added by an earlier one. */
function stepped(lines: readonly string[], added: string[], { kind, at, text }: Step): string[] {
  if (kind === 'definition') return [...lines, text];
  if (kind === 'removal') {
    const gone = added.splice(Math.floor(at * added.length), 1)[0];
    const i = gone === undefined ? -1 : lines.lastIndexOf(gone);
    return i < 0 ? [...lines] : lines.toSpliced(i, 1);
  }
  const places = lines.flatMap((line, i) => (/^\s.*;$/.test(line) ? [i + 1] : []));
  const place = places[Math.floor(at * places.length)];
  if (place === undefined) return [...lines];
  const line = `    ${text}`;
  added.push(line);
  return lines.toSpliced(place, 0, line);
}

it('after each edit of a document that parses, and of another file, the findings are those of its text', { timeout: 300_000 }, () => {
  const options = { rules, preview: true, fixes: false };
  const cpp = files.filter((file) => file.endsWith('.cpp'));
  fc.assert(
    fc.property(fc.constantFrom(...cpp), fc.array(step, { minLength: 3, maxLength: 10 }), (file, steps) => {
      const index = new EffectIndex();
      const document = new ParsedDocument(grammars);
      let lines = readFileSync(path.join(folder, file), 'utf8').split('\n');
      const added: string[] = [];
      for (const each of steps) {
        if (each.kind === 'elsewhere') {
          const other = `#include <cuda.h>\nvoid helper(int fd) { ${each.text} }\n`;
          index.set('/other.cpp', lint('/other.cpp', other, grammars, { rules: [], preview: true, effects: true }).effects);
        } else lines = stepped(lines, added, each);
        const text = lines.join('\n');
        const kept = lint(file, text, grammars, { ...options, elsewhere: index }, document);
        if (document.facts.some((facts) => facts.functions.some(({ degraded }) => degraded === 'syntax'))) continue;
        expect(kept, text).toEqual(lint(file, text, grammars, { ...options, elsewhere: index }));
      }
      document.dispose();
    }),
    { numRuns: 60, seed: 11 },
  );
});
