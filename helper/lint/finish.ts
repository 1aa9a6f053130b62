// The stage after the rules: what they reported becomes findings with places, scopes and fixes; suppressions are applied.
import { annotationsOf, mayAnnotate } from './config/annotations';
import { levelOf } from './config/levels';
import type { Finding, LintOptions, Range, SuppressedFinding } from './engine';
import type { FileFacts, Language, Span } from './facts/index';
import { rule as malformed } from './rules/annotation/malformed';
import type { Fix, RawFinding } from './rules/rule';
import { Scopes } from './scopes';
import { applySuppressions } from './suppress/apply';
import { tellOfBareNolints } from './suppress/bare-nolint';
import type { Comments } from './suppress/comments';
import { maySuppress } from './suppress/parse';
import { restoreKeywords } from './text/dialects';
import type { LineIndex } from './text/lines';

export interface Finishing {
  readonly path: string;
  readonly text: string;
  /** One per preprocessor arm. */
  readonly facts: readonly FileFacts[];
  readonly language: Language;
  readonly unparsed: string | undefined;
  readonly options: LintOptions;
  /** Rule id to cause; a fix that crashes costs its finding nothing. */
  readonly crashes: Map<string, string>;
  /** Of the text. */
  lines(): LineIndex;
  comments(): Comments;
}

export interface Finished {
  readonly findings: Finding[];
  readonly suppressed: SuppressedFinding[];
}

/** `raw` is sorted by place. */
export function finish(raw: readonly RawFinding[], context: Finishing): Finished {
  const all = [...raw, ...aboutAnnotations(context)];
  const suppresses = maySuppress(context.text);
  if (all.length === 0 && !suppresses) return { findings: [], suppressed: [] };
  const lines = context.lines();
  const places = { lines, scopes: new Scopes(context.facts) };
  if (!suppresses) return { findings: told(all, context, places), suppressed: [] };
  const { kept, suppressed, complaints } = suppress(all, context, lines);
  return {
    findings: told([...kept, ...complaints], context, places),
    suppressed: suppressed.map(({ finding, reason }) => ({ ...located(finding, context, places), reason })),
  };
}

function told(raw: readonly RawFinding[], context: Finishing, places: Places): Finding[] {
  const all = shown(raw, context).sort(byPlace);
  return tellOfBareNolints(all, context.text, places.lines, context.comments).map((finding) => located(finding, context, places));
}

/** Behind the suppressions: a comment about a kind that is not shown is not unused. */
function shown(raw: readonly RawFinding[], { options: { preview, asked } }: Finishing): RawFinding[] {
  return raw.filter(({ isPreview }) => !isPreview || preview || asked);
}

/** Of the whole text: an annotation counts in every arm. */
function aboutAnnotations({ text, language, options, comments }: Finishing): RawFinding[] {
  const isOn = options.rules.some(({ meta }) => meta.id === malformed.meta.id && levelOf(meta, options) !== 'off');
  if (!isOn || !mayAnnotate(text)) return [];
  return annotationsOf(text, language, comments).malformed.map(({ span }) =>
    malformed.finding({ at: span, data: { written: text.slice(span.start, span.end) } }),
  );
}

function suppress(raw: readonly RawFinding[], context: Finishing, lines: LineIndex) {
  const { text, facts, options, unparsed, crashes } = context;
  const active = options.rules.filter(({ meta }) => levelOf(meta, options) !== 'off').map(({ meta }) => meta.id);
  const isOn = new Set(active);
  const ran = new Set(unparsed ? [] : active.filter((id) => !crashes.has(id)));
  const comments = context.comments();
  const outcome = applySuppressions(raw, {
    comments,
    text,
    lines,
    facts,
    known: options.known ?? options.rules.map(({ meta }) => meta.id),
    ran,
  });
  return { ...outcome, complaints: outcome.complaints.filter(({ ruleId }) => isOn.has(ruleId)) };
}

export function byPlace(a: RawFinding, b: RawFinding): number {
  return a.span.start - b.span.start || a.ruleId.localeCompare(b.ruleId);
}

function located(raw: RawFinding, context: Finishing, { lines, scopes }: Places): Finding {
  const { ruleId, message, span } = raw;
  const { path: file, language } = context;
  const related = raw.related.map((each) => ({ ...rangeOf(each.span, lines), message: each.message, file }));
  const severity = severityOf(raw, context.options);
  const finding = { ruleId, severity, message, file, ...rangeOf(span, lines), related, scope: scopes.at(span), fix: fixOf(raw, context) };
  return language === 'c' ? asWritten(finding, context.text) : finding;
}

/** The rules see other names than those of a C text where its names are words of C++. */
function asWritten({ message, related, scope, fix, ...rest }: Finding, text: string): Finding {
  const restored = (said: string) => restoreKeywords(said, text);
  return {
    ...rest,
    message: restored(message),
    related: related.map((each) => ({ ...each, message: restored(each.message) })),
    scope: restored(scope),
    fix: fix && { ...fix, title: restored(fix.title), edits: fix.edits.map((edit) => ({ ...edit, text: restored(edit.text) })) },
  };
}

interface Places {
  readonly lines: LineIndex;
  readonly scopes: Scopes;
}

function severityOf({ ruleId, severity }: RawFinding, options: LintOptions): Finding['severity'] {
  const rule = options.levels ? options.rules.find(({ meta }) => meta.id === ruleId) : undefined;
  const level = rule ? levelOf(rule.meta, options) : 'on';
  return level === 'on' || level === 'off' ? severity : level;
}

function rangeOf({ start, end }: Span, lines: LineIndex): Range {
  const from = lines.at(start);
  const to = lines.at(end);
  return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
}

function fixOf(raw: RawFinding, { crashes, options }: Finishing): Required<Fix> | undefined {
  if (options.fixes === false) return undefined;
  try {
    return raw.fix();
  } catch (error) {
    crashes.set(raw.ruleId, error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
