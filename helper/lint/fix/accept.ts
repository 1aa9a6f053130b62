// Which fixes of a round are kept: those after which the text is better, judged by what is found in it then.
import type { Fix } from '../rules/rule';
import { compatibleEdits } from './apply';

interface Words {
  readonly ruleId: string;
  readonly message: string;
}

/** What matters of a text and of the findings in it. */
export interface Outcome {
  readonly findings: readonly Words[];
  /** Places that do not parse. */
  readonly parseErrors: number;
  /** Functions that no rule has judged. */
  readonly unjudged: number;
}

/** A fix, with the words of the finding that it mends. */
export type Mending = Fix & Words;

/** Of a round: each checks the file anew, and the next round goes on with what is left. */
const mostTrials = 100;

/**
 * The fixes that are right together, first come first served. All at once are tried first; where they are not right, each half for itself: few
 * are wrong, and each trial checks the file anew. `trial` gets fixes that fit together.
 */
export function acceptedFixes<T extends Mending>(before: Outcome, fixes: readonly T[], trial: (fixes: readonly T[]) => Outcome): readonly T[] {
  let accepted: readonly T[] = [];
  let left = mostTrials;
  const consider = (group: readonly T[]): void => {
    if (group.length === 0 || left-- <= 0) return;
    const all = [...accepted, ...group];
    if (compatibleEdits(all).taken.length === all.length && isBetter(before, trial(all), all)) accepted = all;
    else if (group.length > 1) {
      const half = group.length >> 1;
      consider(group.slice(0, half));
      consider(group.slice(half));
    }
  };
  const { taken } = compatibleEdits(fixes);
  consider(taken);
  consider(fixes.filter((each) => !taken.includes(each)));
  return accepted;
}

/** It parses as well as before, what was to be mended is said less often, and no other rule says more. */
function isBetter(before: Outcome, after: Outcome, mended: readonly Words[]): boolean {
  if (after.parseErrors > before.parseErrors || after.unjudged > before.unjudged) return false;
  const left = countOf(after.findings.map(inWords));
  const had = countOf(before.findings.map(inWords));
  // What is said again has not been mended, and would be written once more each round.
  const isGone = [...countOf(mended.map(inWords))].every(([each, n]) => (left.get(each) ?? 0) <= (had.get(each) ?? 0) - n);
  const own = new Set(mended.map(({ ruleId }) => ruleId));
  const byOthers = ({ findings }: Outcome) => countOf(findings.flatMap(({ ruleId }) => (own.has(ruleId) ? [] : [ruleId])));
  const known = byOthers(before);
  return isGone && [...byOthers(after)].every(([id, n]) => n <= (known.get(id) ?? 0));
}

function inWords({ ruleId, message }: Words): string {
  return `${ruleId} ${message}`;
}

function countOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
