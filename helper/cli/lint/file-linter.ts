/** Checks one file: reads, decodes, lints, fixes. Used by the command's own thread and by its workers. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type FileEffects, opaqueEffects } from '../../lint/effects/file-effects';
import { EffectIndex } from '../../lint/effects/index';
import { type Finding, type LintOptions, languageOf, lint, type SuppressedFinding } from '../../lint/engine';
import { acceptedFixes, type Mending, type Outcome } from '../../lint/fix/accept';
import { applyEdits, compatibleEdits, isApplicable } from '../../lint/fix/apply';
import { CountingParser } from '../../lint/fix/parse-errors';
import type { Skipped } from '../../lint/report/json';
import { visibleName } from '../../lint/report/visible';
import { rules } from '../../lint/rules/registry';
import type { FoundFile } from '../../lint/server/files';
import { type SourceFile, SourceFiles } from '../../lint/server/source-files';
import type { Grammars } from '../../lint/syntax/grammars';
import { thorough } from '../../lint/syntax/patience';
import { encoderLike } from '../../lint/text/decode';
import type { LintArguments } from './options';
import type { FileEntry } from './worker';

/** Plain data: workers send it. */
export interface FileResult {
  readonly file: string;
  /** False when the file could not be read as source text; `skipped` says why. */
  readonly checked: boolean;
  /** The whole file when it was not checked, or functions of it. */
  readonly skipped: readonly Skipped[];
  /** What else could not be done, in sentences. */
  readonly notes: readonly string[];
  readonly crashes: readonly { readonly ruleId: string; readonly cause: string }[];
  readonly findings: readonly Finding[];
  readonly suppressed: readonly SuppressedFinding[];
  /** The text after fixes, where there are findings. */
  readonly text: string;
  /** Number of fixes written. */
  readonly fixed: number;
  /** What other files have to know of it; undefined when it names nothing of the seam. */
  readonly effects: FileEffects | undefined;
}

type Choice = Pick<LintArguments, 'preview' | 'only' | 'fix'>;

const knownIds = rules.map((rule) => rule.meta.id);
/** Some fixes make others possible; more rounds than this would mean that two rules disagree. */
const maxRounds = 10;

export class FileLinter {
  readonly #sources = new SourceFiles();
  /** Functions of all the files, as far as they are known. */
  readonly #elsewhere = new EffectIndex();

  constructor(
    private readonly grammars: Grammars,
    private readonly choice: Choice,
  ) {}

  learn(entries: readonly FileEntry[]): void {
    for (const [file, effects] of entries) this.#elsewhere.set(file, effects);
  }

  /** `fix` false: nothing is written, whatever the user chose. */
  async check({ file, size }: FoundFile, fix = true): Promise<FileResult> {
    const source = await this.#sources.read(path.resolve(file), size);
    if ('refused' in source) return refused(file, source.refused);
    if (!source.touchesSeam) return untouched(file);
    const options = this.#optionsFor(file, source);
    if (!this.choice.fix || !fix) return this.#lint(file, source.text, options);
    return await this.#fix(file, source.text, options, encoderLike(source.bytes, source));
  }

  /** Of the wanted functions that a file defines which names nothing of the seam, only that they are there. */
  async others({ file, size }: FoundFile, names: ReadonlySet<string>): Promise<FileEffects | undefined> {
    const source = await this.#sources.read(path.resolve(file), size);
    if ('refused' in source || source.touchesSeam) return undefined;
    return opaqueEffects(source.text, languageOf(file) ?? 'cpp', (name) => names.has(name));
  }

  #optionsFor(file: string, { config: found, extra }: SourceFile): LintOptions {
    const config = found?.config;
    const { only, preview } = this.choice;
    return {
      rules: only.length > 0 ? rules.filter((rule) => only.includes(rule.meta.id)) : rules,
      known: knownIds,
      preview: preview || config?.preview === true,
      levels: config?.levels,
      asked: only.length > 0,
      extra,
      elsewhere: this.#elsewhere.seenFrom(path.resolve(file)),
      effects: true,
      patience: thorough,
    };
  }

  /** A failure in one file must not cost the others. */
  #lint(file: string, text: string, options: LintOptions, parser: Pick<Grammars, 'parse'> = this.grammars): FileResult {
    try {
      const { findings, suppressed, crashes, unparsed, skipped: functions, effects } = lint(file, text, parser, options);
      if (unparsed !== undefined) return refused(file, unparsed);
      const isSilent = findings.length + suppressed.length === 0;
      const skipped = functions.map(({ name, line, reason }) => ({ file, function: name, line, reason }));
      return { ...untouched(file), skipped, crashes, findings, suppressed, text: isSilent ? '' : text, effects };
    } catch (error) {
      return refused(file, `Seamscope failed on it (${error instanceof Error ? error.message : String(error)}). Please report this`);
    }
  }

  async #fix(file: string, original: string, options: LintOptions, encode: ((text: string) => Uint8Array) | undefined): Promise<FileResult> {
    let fixed = 0;
    let now = this.#try(file, original, options);
    for (let round = 0; round < maxRounds; round++) {
      const { next, taken } = this.#round(file, now, options);
      if (taken === 0) break;
      fixed += taken;
      now = next;
    }
    if (fixed === 0) return now.result;
    const cause = await write(file, encode?.(now.text));
    if (cause === undefined) return { ...now.result, fixed };
    const unfixed = this.#lint(file, original, options);
    return { ...unfixed, notes: [...unfixed.notes, `${visibleName(file)} is not fixed: ${cause}.`] };
  }

  /** As many fixes as are right together. */
  #round(file: string, now: Tried, options: LintOptions): { readonly next: Tried; readonly taken: number } {
    const fixes = now.result.findings.flatMap(({ ruleId, message, fix }) =>
      isApplicable(fix, this.choice.fix!) ? [{ ...fix, ruleId, message }] : [],
    );
    const textOf = (some: readonly Mending[]) => applyEdits(now.text, compatibleEdits(some).edits);
    const tried = new Map<string, Tried>();
    const trial = (some: readonly Mending[]) => {
      const next = this.#try(file, textOf(some), options);
      tried.set(next.text, next);
      return next;
    };
    const accepted = acceptedFixes(now, fixes, trial);
    return { next: tried.get(textOf(accepted)) ?? now, taken: accepted.length };
  }

  #try(file: string, text: string, options: LintOptions): Tried {
    const parser = new CountingParser(this.grammars);
    const result = this.#lint(file, text, options, parser);
    // A text on which the linter fails has fewer findings too.
    const unjudged = result.checked ? result.skipped.length + result.crashes.length : Number.POSITIVE_INFINITY;
    return { text, result, findings: result.findings, parseErrors: parser.errors, unjudged };
  }
}

/** A text and what is found in it. */
interface Tried extends Outcome {
  readonly text: string;
  readonly result: FileResult;
}

function refused(file: string, reason: string): FileResult {
  return { ...untouched(file), checked: false, skipped: [{ file, reason }] };
}

/** A file without findings. */
function untouched(file: string): FileResult {
  return { file, checked: true, skipped: [], notes: [], crashes: [], findings: [], suppressed: [], text: '', fixed: 0, effects: undefined };
}

/** Undefined when written, else why not. */
async function write(file: string, bytes: Uint8Array | undefined): Promise<string | undefined> {
  if (!bytes) return 'its encoding cannot be written back unchanged: save it as UTF-8';
  try {
    await writeFile(file, bytes);
    return undefined;
  } catch (error) {
    return `it cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}): check its permissions`;
  }
}
