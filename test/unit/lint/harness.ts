// Runs the rules over annotated fixtures. An expectation is a comment in the fixture:
//
//   close(fd);  // LINT fd/use-after-transfer        a finding of that rule starts on this line
//   close(fd);
//   //    ^^ fd/use-after-transfer                   ... and covers exactly these columns of the line above
//   destroy(tex); // LINT-PREVIEW teardown/order     a finding that only shows together with the preview rules
//
// Python uses `#`. In a fixture with expectations, the named rules must report exactly what is marked; other rules are not looked at.
// In a fixture without any, no rule at all may report anything. `fixed*` is `bad*` without its expectations after all fixes of its rule,
// suggestions too; `npx vitest run -u` writes it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type Finding, factsOf, lint } from '../../../helper/lint/engine';
import { applyEdits, compatibleEdits, isApplicable } from '../../../helper/lint/fix/apply';
import { rules } from '../../../helper/lint/rules/registry';
import type { Rule } from '../../../helper/lint/rules/rule';
import { Grammars } from '../../../helper/lint/syntax/grammars';

const root = path.resolve(import.meta.dirname, '../../..');
const wasm = (file: string) => readFileSync(path.join(root, 'node_modules', file));

export const grammars = await Grammars.load({
  runtime: wasm('web-tree-sitter/web-tree-sitter.wasm'),
  cuda: wasm('tree-sitter-cuda/tree-sitter-cuda.wasm'),
  python: wasm('tree-sitter-python/tree-sitter-python.wasm'),
});

/** Findings of all rules, preview ones too, in a text under a name. A rule that crashes fails the test. */
export function lintText(name: string, text: string, only: readonly Rule[] = rules, preview = true): readonly Finding[] {
  // Optional rules run where they are meant: alone, and on their own fixtures.
  const optional = only.filter(({ meta }) => meta.group === 'optional' && (only.length === 1 || name.includes(meta.id)));
  const levels = new Map(optional.map(({ meta }) => [meta.id, 'on' as const]));
  const { findings, crashes } = lint(name, text, grammars, { rules: only, preview, levels });
  expect(crashes, `crashed rules on ${name}`).toEqual([]);
  return findings;
}

/** Facts of the first preprocessor arm. */
export function facts(name: string, text: string) {
  return factsOf(name, text, { parse: (grammar, _arm, view) => grammars.parse(grammar, view) }).facts[0]!;
}

interface Expected {
  readonly ruleId: string;
  readonly line: number;
  readonly columns: readonly [number, number] | undefined;
}

function expectations(text: string): Expected[] {
  return text.split(/\r?\n/).flatMap((line, i): Expected[] => {
    const marked = [...line.matchAll(/(?:\/\/|#) ?LINT(?:-PREVIEW)? ((?:[\w-]+\/[\w-]+[ ,]*)+)/g)].flatMap((match) =>
      match[1]!.trim().split(/[ ,]+/),
    );
    const caret = /^\s*(?:\/\/|#)\s*(\^+) ([\w-]+\/[\w-]+)\s*$/.exec(line);
    const column = caret ? line.indexOf(caret[1]!) + 1 : 0;
    const exact: Expected[] = caret ? [{ ruleId: caret[2]!, line: i, columns: [column, column + caret[1]!.length] }] : [];
    return [...marked.map((ruleId) => ({ ruleId, line: i + 1, columns: undefined })), ...exact];
  });
}

/** Checks one fixture text against its own annotations. */
export function checkText(name: string, text: string): void {
  const expected = expectations(text);
  const ids = new Set(expected.map((each) => each.ruleId));
  for (const id of ids)
    expect(
      rules.map((rule) => rule.meta.id),
      `rule named in ${name}`,
    ).toContain(id);
  const found = lintText(name, text).filter((finding) => ids.size === 0 || ids.has(finding.ruleId));
  const shown = (each: { ruleId: string; line: number }) => `${each.line} ${each.ruleId}`;
  const detail = found.map((each) => `${name}:${shown(each)} ${each.message}`).join('\n');
  expect(found.map(shown).sort(), detail).toEqual(expected.map(shown).sort());
  if (text.includes('LINT-PREVIEW')) checkStable(name, text, ids);
  for (const each of expected)
    if (each.columns)
      expect(
        found.some((finding) => covers(finding, each)),
        `columns of ${shown(each)} in ${name}`,
      ).toBe(true);
}

/** Without the preview rules the marked ones are gone, the others are not. */
function checkStable(name: string, text: string, ids: ReadonlySet<string>): void {
  const found = lintText(name, text, rules, false).filter(({ ruleId }) => ids.has(ruleId));
  const wanted = expectations(text.replace(/LINT-PREVIEW/g, ''));
  expect(found.map(({ line }) => line).sort(), `${name} without preview rules`).toEqual(wanted.map(({ line }) => line).sort());
}

function covers(finding: Finding, { ruleId, line, columns }: Expected): boolean {
  return finding.ruleId === ruleId && finding.line === line && finding.column === columns![0] && finding.endColumn === columns![1];
}

const fixtures = path.join(root, 'test/fixtures/lint');

/** Fixture files of a rule: `bad*` have expectations, `good*` have none. */
export function fixturesOf(ruleId: string): string[] {
  const folder = path.join(fixtures, ruleId);
  return readdirSync(folder).map((file) => path.join(folder, file));
}

/** Checks one fixture file. */
export async function check(file: string): Promise<void> {
  const text = readFileSync(file, 'utf8');
  const name = path.basename(file);
  if (name.startsWith('fixed')) return;
  const isBad = name.startsWith('bad');
  expect(expectations(text).length > 0, `${file}: bad* needs expectations, good* must have none`).toBe(isBad);
  checkText(file, text);
  if (isBad) await checkFixes(file, text);
}

/** The rule that the folder of a fixture is about. */
function ruleOf(file: string): string {
  return path.relative(fixtures, path.dirname(file)).split(path.sep).join('/');
}

async function checkFixes(file: string, text: string): Promise<void> {
  const ruleId = ruleOf(file);
  const bare = withoutExpectations(text);
  const before = lintText(file, bare);
  const fixed = fixAll(file, bare, ruleId);
  if (fixed === bare) return;
  await expect(fixed).toMatchFileSnapshot(path.join(path.dirname(file), path.basename(file).replace(/^bad/, 'fixed')));
  const after = lintText(file, fixed);
  expect(after.filter((finding) => finding.ruleId === ruleId && isApplicable(finding.fix, 'suggestion'))).toEqual([]);
  const counted = (findings: readonly Finding[]) => findings.filter((finding) => finding.ruleId !== ruleId).length;
  expect(counted(after), 'findings of other rules after the fixes').toBeLessThanOrEqual(counted(before));
}

/** The text after all fixes of one rule, suggestions too; one fix may make way for another. */
export function fixAll(name: string, text: string, ruleId: string): string {
  let fixed = text;
  for (let round = 0; round < 5; round++) {
    const fixes = lintText(name, fixed).flatMap(({ ruleId: id, fix }) => (id === ruleId && isApplicable(fix, 'suggestion') ? [fix] : []));
    fixed = applyEdits(fixed, compatibleEdits(fixes).edits);
    if (fixes.length === 0) break;
  }
  return fixed;
}

function withoutExpectations(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|#)\s*\^+ [\w-]+\/[\w-]+\s*$/.test(line))
    .map((line) => line.replace(/[ \t]*(?:\/\/|#) ?LINT(?:-PREVIEW)? (?:[\w-]+\/[\w-]+[ ,]*)+/g, ''))
    .join('\n');
}
