// Members of classes are lowered again without the rest of the file: after each edit of one the facts are those of the text made afresh.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { factsOf, ParsedDocument } from '../../../helper/lint/engine';
import type { FileFacts } from '../../../helper/lint/facts/index';
import * as file from '../../../helper/lint/lower/c/file';
import { Random } from '../../fuzz/random';
import { grammars } from './harness';

const root = path.resolve(import.meta.dirname, '../../..');
const texts = ['test/fixtures/lint', 'native/src'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(cpp|hpp|cu)$/.test(name))
    .sort()
    .map((name) => readFileSync(path.join(root, folder, name), 'utf8')),
);

afterEach(() => void vi.restoreAllMocks());

/** All that facts say, to be compared: what they point to is named by when it was met. Numbers of events grow with each version. */
function dump(facts: readonly FileFacts[]): unknown {
  const met = new Map<object, number>();
  const walk = (value: unknown): unknown => {
    if (value instanceof Map || value instanceof Set) return [...value].map(walk);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(walk);
    if ('start' in value && 'end' in value) return [value.start, value.end];
    const known = met.get(value);
    if (known !== undefined) return `met ${known}`;
    met.set(value, met.size);
    const isEvent = 'fn' in value && 'id' in value;
    return Object.fromEntries(Object.entries(value).flatMap(([name, each]) => (isEvent && name === 'id' ? [] : [[name, walk(each)]])));
  };
  const parts = ({ name, qualifiedName, params, attributes, span, locals, blocks, degraded }: FileFacts['functions'][number]) =>
    walk({ name, qualifiedName, params, attributes, span, locals, blocks, degraded });
  return facts.map(({ functions, classes, globals, directives }) => ({
    functions: functions.map(parts),
    classes: classes.map(({ name, kind, bases, fields, methods, destructorElsewhere, constructorElsewhere, span, nameSpan }) =>
      walk([name, kind, bases, fields, methods.map((fn) => fn.span), destructorElsewhere, constructorElsewhere, span, nameSpan]),
    ),
    globals: walk(globals),
    directives: walk(directives),
  }));
}

interface Edit {
  readonly at: number;
  readonly removed: number;
  readonly text: string;
}

const typed = [
  'x',
  'v',
  '2',
  ' ',
  '*',
  '[2]',
  ', other_',
  ' = nullptr',
  ' = [] { return 1; }()',
  ' = make(1)',
  '()',
  '(int)',
  ' y',
  '<',
  '{}',
  ' = -1',
  '~',
  '=',
];

/** Somewhere in the line of a declaration in a class. */
function editOf(text: string, random: Random): Edit | undefined {
  const lines = [...text.matchAll(/^ {2,8}[\w:<>*& ,~]+(?:\([\w*& ,]*\))?(?: = [\w-]+)?;$/gm)];
  if (lines.length === 0) return undefined;
  const { index, 0: line } = random.pick(lines);
  const at = random.chance(0.5) ? index + line.length - 1 : index + 2 + random.below(line.length - 2);
  return random.chance(0.2) ? { at, removed: 1, text: '' } : { at, removed: 0, text: random.pick(typed) };
}

function applied(text: string, { at, removed, text: by }: Edit): string {
  return text.slice(0, at) + by + text.slice(at + removed);
}

it('after each edit of a member the facts are those of its text', { timeout: 300_000 }, () => {
  const whole = vi.spyOn(file, 'lowerCFile');
  const random = new Random(11, 0);
  const withClasses = texts.filter((text) => /^(struct|class) \w+.*\{$/m.test(text));
  let [edits, wholes] = [0, 0];
  for (const original of withClasses) {
    const document = new ParsedDocument(grammars);
    let text = original;
    factsOf('a.cpp', text, document);
    for (let i = 0; i < 2; i++) {
      const edit = editOf(text, random);
      if (!edit) break;
      text = applied(text, edit);
      whole.mockClear();
      const kept = factsOf('a.cpp', text, document).facts;
      edits++;
      if (whole.mock.calls.length > 0) wholes++;
      const afresh = new ParsedDocument(grammars);
      const fresh = factsOf('a.cpp', text, afresh).facts;
      afresh.dispose();
      // The recovery from errors depends on what was parsed before.
      if (document.isDoubtful) break;
      expect(dump(kept), text).toEqual(dump(fresh));
    }
    document.dispose();
  }
  expect(edits).toBeGreaterThan(300);
  expect(wholes).toBeLessThan(edits / 4);
});
