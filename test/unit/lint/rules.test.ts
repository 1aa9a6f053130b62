// Every rule: its fixtures, its documented examples, its page.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { rules } from '../../../helper/lint/rules/registry';
import { docOf, generated } from '../../../scripts/generate-rules.mjs';
import { check, fixAll, fixturesOf, lintText } from './harness';

const root = path.resolve(import.meta.dirname, '../../..');
const extensions: Record<string, string> = { cpp: 'cpp', c: 'c', cuda: 'cu', python: 'py', objc: 'mm', 'objective-cpp': 'mm' };

/** Code blocks of a heading of the doc block. */
function blocks(doc: string, heading: string) {
  const section = new RegExp(`^## ${heading}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(doc)?.[1] ?? '';
  return [...section.matchAll(/^```([\w-]+)\n([\s\S]*?)^```/gm)].map((match) => ({ name: `example.${extensions[match[1]!]}`, code: match[2]! }));
}

describe.each(rules.map((rule) => [rule.meta.id, rule] as const))('%s', (id, rule) => {
  const doc = docOf(readFileSync(path.join(root, 'helper/lint/rules', `${id}.ts`), 'utf8'));

  it('has a page with every heading', () => {
    expect(doc).toContain(`# ${id}\n`);
    for (const heading of ['What it does', 'Why is this bad', 'Example', 'Use instead', 'What it cannot see'])
      expect(doc).toMatch(new RegExp(`^## ${heading}`, 'm'));
    if (rule.meta.fix !== 'none') expect(doc).toMatch(/^## Fix safety/m);
  });

  it('reports its example once and nothing in the corrected one', () => {
    const bad = blocks(doc, 'Example');
    expect(bad.length).toBeGreaterThan(0);
    // What the last stage reports is judged with all rules on.
    const wanted = /^(suppression|annotation)\//.test(id) ? rules : [rule];
    // Of a rule that is on by default, what its page shows is found by default.
    const preview = rule.meta.group !== 'stable';
    for (const { name, code } of bad) expect(lintText(name, code, wanted, preview).filter((finding) => finding.ruleId === id).length, code).toBe(1);
    const good = blocks(doc, 'Use instead');
    expect(good.length).toBeGreaterThan(0);
    for (const { name, code } of good) expect(lintText(name, code), code).toEqual([]);
  });

  it.skipIf(rule.meta.fix === 'none' || rule.meta.fix === 'display-only')('mends its example, and has fixtures that show its fixes', () => {
    for (const { name, code } of blocks(doc, 'Example')) {
      const fixed = fixAll(name, code, id);
      if (fixed !== code) expect(lintText(name, fixed), fixed).toEqual([]);
    }
    expect(fixturesOf(id).some((file) => path.basename(file).startsWith('fixed'))).toBe(true);
  });

  it('has faulty and correct fixtures', () => {
    const names = fixturesOf(id).map((file) => path.basename(file));
    expect(names.some((name) => name.startsWith('bad'))).toBe(true);
    expect(names.some((name) => name.startsWith('good'))).toBe(true);
  });

  it.each(existsSync(path.join(root, 'test/fixtures/lint', id)) ? fixturesOf(id).map((file) => [path.basename(file), file]) : [])(
    '%s',
    async (_name, file) => {
      await check(file);
    },
  );
});

it('registry, pages and table follow from the rule files', async () => {
  for (const [file, text] of await generated())
    expect(existsSync(file) ? readFileSync(file, 'utf8') : '', `${file}: run node scripts/generate-rules.mjs`).toBe(text);
});
