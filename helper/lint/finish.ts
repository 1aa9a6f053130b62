// The stage after the rules: what they reported becomes findings with places, scopes and fixes.
import type { Finding, Range } from './engine';
import type { FileFacts, Span } from './facts/index';
import type { Fix, RawFinding } from './rules/rule';
import { LineIndex } from './text/lines';

export interface Finishing {
  readonly path: string;
  readonly text: string;
  /** One per preprocessor arm. */
  readonly facts: readonly FileFacts[];
  /** Rule id to cause; a fix that crashes costs its finding nothing. */
  readonly crashes: Map<string, string>;
}

/** `raw` is sorted by place. */
export function finish(raw: readonly RawFinding[], context: Finishing): Finding[] {
  if (raw.length === 0) return [];
  const lines = new LineIndex(context.text);
  return raw.map((finding) => located(finding, context, lines));
}

function located(raw: RawFinding, context: Finishing, lines: LineIndex): Finding {
  const { ruleId, severity, message, span } = raw;
  const file = context.path;
  const related = raw.related.map((each) => ({ ...rangeOf(each.span, lines), message: each.message, file }));
  return { ruleId, severity, message, file, ...rangeOf(span, lines), related, scope: scopeOf(span, context.facts), fix: fixOf(raw, context) };
}

function rangeOf({ start, end }: Span, lines: LineIndex): Range {
  const from = lines.at(start);
  const to = lines.at(end);
  return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
}

function fixOf(raw: RawFinding, { crashes }: Finishing): Required<Fix> | undefined {
  try {
    return raw.fix();
  } catch (error) {
    crashes.set(raw.ruleId, error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function scopeOf({ start, end }: Span, facts: readonly FileFacts[]): string {
  let best: { name: string; size: number } | undefined;
  for (const fn of facts.flatMap((file) => file.functions)) {
    const size = fn.span.end - fn.span.start;
    if (fn.kind === 'module' || fn.kind === 'lambda' || fn.span.start > start || fn.span.end < end) continue;
    if (!best || size < best.size) best = { name: fn.qualifiedName, size };
  }
  return best?.name ?? '';
}
