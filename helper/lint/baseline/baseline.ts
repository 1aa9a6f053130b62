// The baseline: known findings, counted by (file, rule, function), so that moved lines change nothing. It only shrinks.
import type { Finding } from '../engine';

/** file -> rule -> scope -> count. Files are relative to the baseline's folder, with `/`. */
export type Counts = ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, number>>>;

/** The text of a baseline file, or what is wrong with it. */
export function parseBaseline(text: string): { readonly counts: Counts } | { readonly problem: string } {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    return { problem: `it is not JSON (${error instanceof Error ? error.message : String(error)})` };
  }
  if (!isRecord(root) || root.version !== 1 || !isRecord(root.findings)) return { problem: 'it is not a baseline of version 1' };
  const entries = rowsOf(root.findings);
  const wrong = entries.find(({ count }) => !Number.isInteger(count) || (count as number) < 1);
  if (wrong) return { problem: `the count of ${wrong.rule} in ${wrong.file} is no positive number` };
  const counts = new Map<string, Map<string, Map<string, number>>>();
  for (const { file, rule, scope, count } of entries) add(counts, file, rule, scope, count as number);
  return { counts };
}

function rowsOf(findings: Record<string, unknown>) {
  const entries = (value: unknown) => Object.entries(isRecord(value) ? value : {});
  return entries(findings).flatMap(([file, rules]) =>
    entries(rules).flatMap(([rule, scopes]) => entries(scopes).map(([scope, count]) => ({ file, rule, scope, count }))),
  );
}

export function baselineText(counts: Counts): string {
  const findings = object(counts, (rules) => object(rules, (scopes) => object(scopes, (count) => count)));
  return `${JSON.stringify({ version: 1, findings }, null, 2)}\n`;
}

/** `findings` of one file. Where a function has more than the baseline knows, all of them count as new: which one is, nobody can tell. */
export function splitByBaseline(
  findings: readonly Finding[],
  file: string,
  counts: Counts,
): { readonly fresh: Finding[]; readonly known: Finding[] } {
  const present = countsOf(new Map([[file, findings]])).get(file);
  const isKnown = ({ ruleId, scope }: Finding) => present!.get(ruleId)!.get(scope)! <= (counts.get(file)?.get(ruleId)?.get(scope) ?? 0);
  return { fresh: findings.filter((finding) => !isKnown(finding)), known: findings.filter(isKnown) };
}

/** The counts of findings by file. */
export function countsOf(findings: ReadonlyMap<string, readonly Finding[]>): Counts {
  const counts = new Map<string, Map<string, Map<string, number>>>();
  for (const [file, found] of findings) for (const { ruleId, scope } of found) add(counts, file, ruleId, scope, 1);
  return counts;
}

/**
 * The old counts lowered to what is still there. `isJudged` says whether a file and rule were looked at in this run, or are gone for good;
 * others keep their counts.
 */
export function shrink(old: Counts, present: Counts, isJudged: (file: string, rule: string) => boolean): Counts {
  const counts = new Map<string, Map<string, Map<string, number>>>();
  for (const [file, rules] of old) {
    for (const [rule, scopes] of rules) {
      for (const [scope, count] of scopes) {
        const now = isJudged(file, rule) ? Math.min(count, present.get(file)?.get(rule)?.get(scope) ?? 0) : count;
        if (now > 0) add(counts, file, rule, scope, now);
      }
    }
  }
  return counts;
}

export function total(counts: Counts): number {
  return [...counts.values()].flatMap((rules) => [...rules.values()].flatMap((scopes) => [...scopes.values()])).reduce((sum, each) => sum + each, 0);
}

function add(counts: Map<string, Map<string, Map<string, number>>>, file: string, rule: string, scope: string, count: number): void {
  const rules = counts.get(file) ?? new Map<string, Map<string, number>>();
  const scopes = rules.get(rule) ?? new Map<string, number>();
  counts.set(file, rules);
  rules.set(rule, scopes);
  scopes.set(scope, (scopes.get(scope) ?? 0) + count);
}

/** Sorted by name, so that a baseline changes in one place when one finding goes. */
function object<T, R>(map: ReadonlyMap<string, T>, of: (value: T) => R): Record<string, R> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, of(value)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
