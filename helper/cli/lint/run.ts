/** One run over many files: results in the order of the files, the baseline, the report, the exit code. */
import { isApplicable } from '../../lint/fix/apply';
import type { Skipped } from '../../lint/report/json';
import { visibleName } from '../../lint/report/visible';
import type { Rule } from '../../lint/rules/rule';
import type { FoundFile, LeftOut } from '../../lint/server/files';
import { complain, isOutputClosed } from '../output';
import { type Checked, lookAcrossFiles } from './across-files';
import { BaselineFile } from './baseline-file';
import type { FileResult } from './file-linter';
import type { LintArguments } from './options';
import { Progress } from './progress';
import { type Judged, type Reporter, reporterFor } from './reporters';

type FileChecker = Parameters<typeof lookAcrossFiles>[1];

export class LintRun {
  readonly #notes: string[] = [];
  readonly #skipped: Skipped[] = [];
  readonly #crashed = new Set<Rule['meta']['id']>();
  #files = 0;
  #fresh = 0;
  #known = 0;
  #suppressed = 0;
  #fixed = 0;
  /** A file that the command line names could not be checked. */
  #failed = false;
  /** Some file or function could not be checked. */
  #isIncomplete = false;
  #functions = 0;

  private constructor(
    private readonly options: LintArguments,
    private readonly reporter: Reporter,
    private readonly baseline: BaselineFile | undefined,
  ) {}

  /** Fails before any work is done when the baseline cannot be read. */
  static async prepare(options: LintArguments, dir: string): Promise<LintRun> {
    const baseline = options.baseline === undefined ? undefined : await BaselineFile.read(options.baseline, options.writeBaseline);
    return new LintRun(options, reporterFor(options, dir), baseline);
  }

  /** `leftOut`: paths that finding the files came upon. */
  async run(files: readonly FoundFile[], leftOut: readonly LeftOut[], checker: FileChecker): Promise<number> {
    for (const { file, reason, why, isNamed } of leftOut) {
      // Below a folder what is ignored is no news.
      if (why === 'ignored' && !isNamed) continue;
      this.#note(skippedNote({ file, reason }));
      this.#skipped.push({ file, reason });
      // Among other files one of another language is nothing bad; alone it is a mistake.
      this.#isIncomplete ||= why === 'unreadable';
      this.#failed ||= isNamed && (why === 'unreadable' || (why === 'language' && files.length === 0));
    }
    if (files.length === 0) this.#noteAllIgnored(leftOut);
    for (const { found, result } of await this.#check(files, checker)) {
      this.#failed ||= found.isNamed && !result.checked;
      this.#take(result);
      if (this.#isDecided()) break;
    }
    await this.#finishBaseline();
    const last = this.reporter.end({ summary: this.#summary(), notes: this.#notes, skipped: this.#skipped });
    if (last !== '') this.reporter.print(last);
    const failed = this.#failed || (this.options.strict && this.#isIncomplete) || (files.length > 0 && this.#files === 0);
    return failed ? 2 : this.#fresh === 0 ? 0 : 1;
  }

  /** Else a pattern that takes everything would look like clean code. */
  #noteAllIgnored(leftOut: readonly LeftOut[]): void {
    const [first] = leftOut;
    if (!first || leftOut.some(({ why, isNamed }) => why !== 'ignored' || isNamed)) return;
    const all = leftOut.length === 1 ? 'the only source file is' : `all ${leftOut.length} source files are`;
    this.#note(`Nothing is checked: ${all} ignored. ${skippedNote(first)}`);
  }

  /** Nobody reads on, and neither the exit code nor a file depends on the rest. */
  #isDecided(): boolean {
    return isOutputClosed() && this.#fresh > 0 && this.options.fix === undefined && !this.options.writeBaseline;
  }

  /** Nothing is told before all is known: what one file does may be a fault in another. */
  async #check(files: readonly FoundFile[], checker: FileChecker): Promise<Checked[]> {
    const progress = new Progress(files.length);
    const checked: Checked[] = [];
    let findings = 0;
    for await (const each of inOrder(files, checker)) {
      checked.push(each);
      findings += each.result.findings.length;
      progress.step(findings);
    }
    await lookAcrossFiles(checked, checker);
    const { fix } = this.options;
    for (const each of checked)
      if (fix && each.result.findings.some((finding) => isApplicable(finding.fix, fix))) each.result = await checker.check(each.found, true);
    progress.clear();
    return checked;
  }

  #note(text: string): void {
    complain(text);
    this.#notes.push(text);
  }

  #take(result: FileResult): void {
    const { fresh, known } = (result.checked ? this.baseline?.split(result.file, result.findings) : undefined) ?? {
      fresh: result.findings,
      known: [],
    };
    const judged: Judged = { ...result, findings: fresh, known };
    this.#files += result.checked ? 1 : 0;
    this.#fresh += fresh.length;
    this.#known += known.length;
    this.#suppressed += result.suppressed.length;
    this.#fixed += result.fixed;
    this.#functions += result.skipped.filter((each) => each.function !== undefined).length;
    this.#isIncomplete ||= result.skipped.length > 0;
    const notes = [...result.skipped.map(skippedNote), ...result.notes, ...this.#crashNotes(result)];
    const text = this.reporter.file(judged);
    for (const note of notes) this.#note(note);
    if (text !== '') this.reporter.print(text);
    this.#skipped.push(...result.skipped);
  }

  /** A rule that crashes is told once. */
  #crashNotes({ file, crashes }: FileResult): string[] {
    const fresh = crashes.filter(({ ruleId }) => !this.#crashed.has(ruleId));
    for (const { ruleId } of fresh) this.#crashed.add(ruleId);
    return fresh.map(
      ({ ruleId, cause }) => `The rule ${ruleId} failed on ${visibleName(file)} (${cause}); the other rules went on. Please report this.`,
    );
  }

  async #finishBaseline(): Promise<void> {
    const { only, writeBaseline, baseline: file } = this.options;
    if (!this.baseline) return;
    if (writeBaseline) {
      const sum = await this.baseline.write(only);
      complain(`${file} now has ${count(sum, 'finding')}.`);
      return;
    }
    const gone = this.baseline.gone(only);
    if (gone > 0) complain(`${count(gone, 'finding')} of ${file} ${gone === 1 ? 'is' : 'are'} gone: shrink it with --write-baseline.`);
  }

  #summary(): string {
    const more = [
      this.#fixed > 0 ? `${count(this.#fixed, 'fix')} written` : '',
      this.#suppressed > 0 ? `${this.#suppressed} suppressed` : '',
      this.#known > 0 ? `${this.#known} in the baseline` : '',
      this.#functions > 0 ? `${count(this.#functions, 'function')} not checked` : '',
    ].filter(Boolean);
    return `${[`${count(this.#fresh, 'finding')} in ${count(this.#files, 'file')}`, ...more].join('; ')}.`;
  }
}

/** Results in the order of the files, whichever is done first. */
async function* inOrder(files: readonly FoundFile[], checker: FileChecker): AsyncGenerator<Checked> {
  const pending: Promise<Checked>[] = [];
  for (const found of files) {
    const entry = checker.check(found, false).then((result) => ({ found, result }));
    // Awaited in its turn; a failure before that must not count as unhandled.
    entry.catch(() => undefined);
    pending.push(entry);
    if (pending.length >= checker.ahead) yield await pending.shift()!;
  }
  for (const entry of pending) yield await entry;
}

function skippedNote({ file, function: name, line, reason }: Skipped): string {
  const shown = visibleName(file);
  if (name === undefined) return `${shown} is not checked: ${reason}.`;
  const what = name === '<module>' ? 'the code outside of functions' : `the function ${name}`;
  return `${shown}:${line}: ${what} is not checked: ${reason}.`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : what.endsWith('x') ? 'es' : 's'}`;
}
