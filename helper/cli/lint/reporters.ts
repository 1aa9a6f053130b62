/** What is printed of each file as it is done, and at the end. */
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { ENGINE_VERSION } from '../../engine/version';
import type { Finding } from '../../lint/engine';
import { fingerprintsOf } from '../../lint/report/fingerprint';
import { githubReport } from '../../lint/report/github';
import { jsonReport, type Skipped } from '../../lint/report/json';
import { type SarifFinding, sarifReport } from '../../lint/report/sarif';
import { textReport } from '../../lint/report/text';
import { rulePage } from '../../lint/rules/pages';
import { rules } from '../../lint/rules/registry';
import type { Rule } from '../../lint/rules/rule';
import { rulePageText } from '../../lint/server/rule-pages';
import { escapedJson, print, printAsIs } from '../output';
import type { FileResult } from './file-linter';
import type { LintArguments } from './options';

/** A file with its findings split by the baseline. */
export interface Judged extends FileResult {
  /** Findings that the baseline knows; `findings` are the others. */
  readonly known: readonly Finding[];
}

export interface Ending {
  /** One sentence for people. */
  readonly summary: string;
  /** What could not be done, in sentences. */
  readonly notes: readonly string[];
  readonly skipped: readonly Skipped[];
}

export interface Reporter {
  /** What to print now. */
  file(result: Judged): string;
  /** What to print last. */
  end(run: Ending): string;
  /** How this kind of text goes to standard output. */
  print(text: string): void;
}

/** `dir` holds the bundles. */
export function reporterFor({ format, only }: Pick<LintArguments, 'format' | 'only'>, dir: string): Reporter {
  if (format === 'json') return new JsonReporter();
  if (format === 'sarif') return new SarifReporter(dir, only.length > 0 ? rules.filter(({ meta }) => only.includes(meta.id)) : rules);
  if (format === 'github') return { file: ({ findings, file }) => githubReport(findings, relativePath(file)), end: () => '', print };
  return {
    file: ({ findings, text }) => (findings.length > 0 ? textReport(findings, text, useColour()) : ''),
    end: ({ summary }) => `${summary}\n`,
    print: printAsIs,
  };
}

const printJson = (json: string) => printAsIs(escapedJson(json));

class JsonReporter implements Reporter {
  readonly print = printJson;
  readonly #findings: Finding[] = [];

  file({ findings }: Judged): string {
    this.#findings.push(...findings);
    return '';
  }

  end({ skipped }: Ending): string {
    return jsonReport(this.#findings, skipped);
  }
}

class SarifReporter implements Reporter {
  readonly print = printJson;
  readonly #findings: SarifFinding[] = [];

  /** `ran`: the rules that the run was asked for. */
  constructor(
    private readonly dir: string,
    private readonly ran: readonly Rule[],
  ) {}

  file({ file, findings, known, suppressed, text }: Judged): string {
    const all = [
      ...findings.map((finding) => ({ finding, suppression: undefined })),
      ...known.map((finding) => ({ finding, suppression: { kind: 'external' as const, reason: 'Known: it is in the baseline.' } })),
      ...suppressed.map((finding) => ({ finding, suppression: { kind: 'inSource' as const, reason: finding.reason } })),
    ].sort((a, b) => a.finding.line - b.finding.line || a.finding.column - b.finding.column);
    const prints = fingerprintsOf(
      all.map(({ finding }) => finding),
      text,
    );
    const uri = uriOf(file);
    this.#findings.push(...all.map((each, i) => ({ ...each, uri, fingerprint: prints[i]! })));
    return '';
  }

  end({ notes }: Ending): string {
    const page = (ruleId: string) => rulePageText(this.dir, ruleId);
    return sarifReport({ version: ENGINE_VERSION, rules: this.ran, page, pageUrl: rulePage, findings: this.#findings, notes });
  }
}

/** Relative to the working folder where the file lies in it. */
function relativePath(file: string): string {
  const relative = path.relative(process.cwd(), path.resolve(file));
  return relative.startsWith('..') ? path.resolve(file) : relative.split(path.sep).join('/');
}

function uriOf(file: string): string {
  const relative = relativePath(file);
  return path.isAbsolute(relative) ? pathToFileURL(relative).href : relative.split('/').map(encodeURIComponent).join('/');
}

/** FORCE_COLOR has the last word, as with other programs of Node. */
function useColour(): boolean {
  const { FORCE_COLOR: force, NO_COLOR, TERM } = process.env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return process.stdout.isTTY === true && !NO_COLOR && TERM !== 'dumb';
}
