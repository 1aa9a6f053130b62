// What is tried on a text: all that the command line and the server do with one, bytes to reports, all rules on.
import { readConfig } from '../../helper/lint/config/read';
import { type Finding, type LintResult, lint, ParsedDocument } from '../../helper/lint/engine';
import { applyEdits, compatibleEdits, isApplicable } from '../../helper/lint/fix/apply';
import { fingerprintsOf } from '../../helper/lint/report/fingerprint';
import { githubReport } from '../../helper/lint/report/github';
import { textReport } from '../../helper/lint/report/text';
import { rules } from '../../helper/lint/rules/registry';
import type { Grammars } from '../../helper/lint/syntax/grammars';
import { decode } from '../../helper/lint/text/decode';
import { bytesMayTouchSeam, mayTouchSeam } from '../../helper/lint/text/prefilter';

export interface Fault {
  /** The same for all texts that show the same fault. */
  readonly kind: string;
  readonly detail: string;
}

const ids = rules.map(({ meta }) => meta.id);
const levels = new Map(ids.map((id) => [id, 'on' as const]));
const options = { rules, preview: true, levels } as const;

/** The first fault that linting these bytes shows, if any. */
export function faultOfBytes(path: string, bytes: Uint8Array, grammars: Grammars): Fault | undefined {
  return guarded(() => {
    const decoded = decode(bytes);
    if ('refused' in decoded) return undefined;
    const { text, encoding } = decoded;
    if (!encoding.startsWith('utf-16') && mayTouchSeam(text) !== bytesMayTouchSeam(bytes))
      return { kind: 'pre-filter', detail: 'What it says of the bytes is not what it says of the text.' };
    return faultOfResult(path, text, lint(path, text, grammars, options), grammars);
  });
}

function faultOfResult(path: string, text: string, result: LintResult, grammars: Grammars): Fault | undefined {
  const [crash] = result.crashes;
  if (crash) return { kind: `crash of ${crash.ruleId}: ${crash.cause}`, detail: crash.cause };
  const lost = result.findings.find((finding) => !isInside(finding, text));
  if (lost)
    return { kind: `place of ${lost.ruleId}`, detail: `${lost.line}:${lost.column} to ${lost.endLine}:${lost.endColumn} is not in the text.` };
  textReport(result.findings, text, true);
  githubReport(result.findings, path);
  fingerprintsOf(result.findings, text);
  return faultOfFixes(path, text, result.findings, grammars);
}

function isInside({ line, column, endLine, endColumn }: Finding, text: string): boolean {
  const lines = text.split(/\r\n|\r|\n/);
  const isOrdered = line < endLine || (line === endLine && column <= endColumn);
  return isOrdered && line >= 1 && column >= 1 && endLine <= lines.length && endColumn <= lines[endLine - 1]!.length + 2;
}

function faultOfFixes(path: string, text: string, findings: readonly Finding[], grammars: Grammars): Fault | undefined {
  const { edits, taken } = compatibleEdits(findings.flatMap(({ fix }) => (isApplicable(fix, 'suggestion') ? [fix] : [])));
  if (taken.length === 0) return undefined;
  const [crash] = lint(path, applyEdits(text, edits), grammars, options).crashes;
  return crash && { kind: `crash of ${crash.ruleId} after fixes: ${crash.cause}`, detail: crash.cause };
}

/**
 * The first fault of a document that goes through `versions`. What is found in the last one, which has to parse, must be what is found in it
 * afresh: while a text does not parse, tree-sitter's recovery depends on what it parsed before.
 */
export function faultOfEdits(path: string, versions: readonly string[], grammars: Grammars): Fault | undefined {
  const document = new ParsedDocument(grammars);
  const asked = { ...options, fixes: false };
  const fault = guarded(() => {
    let last: LintResult | undefined;
    for (const text of versions) {
      last = lint(path, text, grammars, asked, document);
      const [crash] = last.crashes;
      if (crash) return { kind: `crash of ${crash.ruleId} while editing: ${crash.cause}`, detail: crash.cause };
    }
    const fresh = lint(path, versions.at(-1)!, grammars, asked);
    const [kept, made] = [last, fresh].map((result) => JSON.stringify(result?.findings));
    return kept === made ? undefined : { kind: 'incremental differs', detail: `after edits: ${kept}\nafresh: ${made}` };
  });
  document.dispose();
  return fault;
}

export function faultOfConfig(text: string): Fault | undefined {
  return guarded(() => {
    readConfig(text, ids);
    return undefined;
  });
}

function guarded(work: () => Fault | undefined): Fault | undefined {
  try {
    return work();
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    const place =
      stack
        .split('\n')
        .find((line) => line.trim().startsWith('at '))
        ?.trim() ?? '';
    return { kind: `crash: ${message} ${place.replace(/[(:].*$/, '')}`, detail: stack };
  }
}
