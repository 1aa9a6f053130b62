// A rule is on by default only with evidence: findings in public code that were judged, or corrected situations in which it is silent.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bodiesOf } from '../../../helper/lint/analyses/objc-tokens';
import type { FileFacts, FunctionFacts } from '../../../helper/lint/facts/index';
import { rules } from '../../../helper/lint/rules/registry';
import { compare, placeOf, precisionTable, recorded } from '../../../scripts/lint-corpus.mjs';
import { facts, fixturesOf } from './harness';

const stable = rules.filter(({ meta }) => meta.group === 'stable').map(({ meta }) => [meta.id, meta.evidence] as const);

/** Functions of their own and classes: each is one situation of a fixture. Empty ones and forward declarations are none. */
function situationsIn(file: FileFacts): number {
  if (file.language === 'objc') return bodiesOf(file).length;
  const isTop = (fn: FunctionFacts) => !fn.parent || fn.parent.kind === 'module';
  const own = file.functions.filter((fn) => fn.kind !== 'module' && isTop(fn) && fn.events.length > 0);
  const classes = new Set(own.flatMap((fn) => fn.className ?? []));
  return own.filter((fn) => !fn.className).length + classes.size;
}

function twinsOf(ruleId: string): number {
  const good = fixturesOf(ruleId).filter((file) => path.basename(file).startsWith('good'));
  const all = good.map((file) => facts(file, readFileSync(file, 'utf8'))).filter((file) => file !== undefined);
  return all.reduce((sum, file) => sum + situationsIn(file), 0);
}

describe('rules that are on by default', () => {
  it.each(stable)('%s has evidence', (id, evidence) => {
    const judged = recorded().filter(({ rule, mended, verdict }) => rule === id && !mended && verdict !== 'taste');
    const right = judged.filter(({ verdict }) => verdict === 'true').length;
    if (evidence === 'the text itself') expect(id).toMatch(/^(suppression|annotation)\//);
    else if (evidence === 'findings') {
      expect(judged.length).toBeGreaterThanOrEqual(5);
      expect(right / judged.length).toBeGreaterThanOrEqual(0.9);
    } else {
      expect(evidence).toBe('twins');
      expect(twinsOf(id), 'corrected situations in the fixtures').toBeGreaterThanOrEqual(20);
      expect(judged.length - right, 'false findings in the corpus').toBe(0);
    }
  });
});

describe('the record of verdicts', () => {
  it('names known rules, full commits and one verdict a place', () => {
    const ids = new Set(rules.map(({ meta }) => meta.id));
    for (const each of recorded()) {
      expect(ids).toContain(each.rule);
      expect(each).toMatchObject({ repository: expect.stringMatching(/^[\w.-]+\/[\w.-]+$/), commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
      expect(each.verdict).toMatch(/^(true|false|taste)$/);
    }
    const places = recorded().map(({ repository, path: file, line, rule }) => `${repository} ${file} ${line} ${rule}`);
    expect(new Set(places).size).toBe(places.length);
  });

  it('covers at least fifteen repositories', () => {
    expect(new Set(recorded().map(({ repository }) => repository)).size).toBeGreaterThanOrEqual(15);
  });

  it('tells new findings from known ones and notices those that are gone', () => {
    const verdicts = [
      { repository: 'a/b', commit: '', path: 'x.cpp', rule: 'fd/leak', line: 3, verdict: 'true' as const },
      { repository: 'a/b', commit: '', path: 'x.cpp', rule: 'fd/leak', line: 9, verdict: 'true' as const },
    ];
    const found = [3, 5].map((line) => ({ file: '/somewhere/a+b/x.cpp', line, ruleId: 'fd/leak' }));
    const { unjudged, vanished, known } = compare(found, new Set(['a/b']), verdicts);
    expect([unjudged, vanished, known.length]).toEqual([['a/b x.cpp:5 fd/leak'], ['a/b x.cpp:9 fd/leak'], 1]);
    expect(precisionTable(known)).toEqual([expect.stringMatching(/^fd\/leak +1 of +1 +100 %$/), expect.stringMatching(/^all/)]);
    expect(placeOf('/somewhere/plain/x.cpp')).toBeUndefined();
  });
});
