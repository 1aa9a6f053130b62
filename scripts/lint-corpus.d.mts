export interface Verdict {
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  readonly rule: string;
  readonly line: number;
  readonly verdict: 'true' | 'false' | 'taste';
  /** A false finding that the linter does not report any more. */
  readonly mended?: boolean;
}

export function recorded(): Verdict[];
export function placeOf(file: string): { repository: string; path: string } | undefined;
export function compare(
  findings: readonly { file: string; line: number; ruleId: string }[],
  checked: ReadonlySet<string>,
  verdicts: readonly Verdict[],
): { unjudged: string[]; vanished: string[]; known: Verdict[] };
export function precisionTable(judged: readonly Verdict[]): string[];
