/** Checks one file: reads, decodes, lints, fixes. Used by the command's own thread and by its workers. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Finding, type LintOptions, lint, type SuppressedFinding } from '../../lint/engine';
import { applyEdits, compatibleEdits, isApplicable } from '../../lint/fix/apply';
import { combineExtra, wordsOf } from '../../lint/knowledge/extra';
import type { Skipped } from '../../lint/report/json';
import { visibleName } from '../../lint/report/visible';
import { rules } from '../../lint/rules/registry';
import { ConfigFiles } from '../../lint/server/config-files';
import { IncludeAnnotations } from '../../lint/server/include-annotations';
import type { Grammars } from '../../lint/syntax/grammars';
import { decode, encoderLike, maxBytes, tooLarge } from '../../lint/text/decode';
import { bytesMayTouchSeam } from '../../lint/text/prefilter';
import type { FoundFile } from './files';
import type { LintArguments } from './options';

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
}

type Choice = Pick<LintArguments, 'preview' | 'only' | 'fix'>;

const knownIds = rules.map((rule) => rule.meta.id);
/** Some fixes make others possible; more rounds than this would mean that two rules disagree. */
const maxRounds = 10;

export class FileLinter {
  readonly #configs = new ConfigFiles();
  readonly #annotations = new IncludeAnnotations();

  constructor(
    private readonly grammars: Grammars,
    private readonly choice: Choice,
  ) {}

  async check({ file, size }: FoundFile): Promise<FileResult> {
    if (size > maxBytes) return refused(file, tooLarge(size));
    let bytes: Buffer;
    try {
      bytes = await readFile(file);
    } catch (error) {
      return refused(file, `it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
    }
    const decoded = decode(bytes);
    if ('refused' in decoded) return refused(file, decoded.refused);
    const options = this.#optionsFor(file, decoded.text);
    if (!bytesMayTouchSeam(bytes, wordsOf(options.extra))) return untouched(file);
    if (!this.choice.fix) return this.#lint(file, decoded.text, options);
    return await this.#fix(file, decoded.text, options, encoderLike(bytes, decoded));
  }

  #optionsFor(file: string, text: string): LintOptions {
    const absolute = path.resolve(file);
    const config = this.#configs.nearest(absolute)?.config;
    const { only, preview } = this.choice;
    return {
      rules: only.length > 0 ? rules.filter((rule) => only.includes(rule.meta.id)) : rules,
      known: knownIds,
      preview: preview || config?.preview === true,
      levels: config?.levels,
      asked: only.length > 0,
      extra: combineExtra(this.#annotations.of(absolute, text), config?.extra),
    };
  }

  /** A failure in one file must not cost the others. */
  #lint(file: string, text: string, options: LintOptions): FileResult {
    try {
      const { findings, suppressed, crashes, unparsed, skipped: functions } = lint(file, text, this.grammars, options);
      if (unparsed) return refused(file, 'parsing it took too long');
      const isSilent = findings.length + suppressed.length === 0;
      const skipped = functions.map(({ name, line, reason }) => ({ file, function: name, line, reason }));
      return { ...untouched(file), skipped, crashes, findings, suppressed, text: isSilent ? '' : text };
    } catch (error) {
      if (error instanceof Error && error.name === 'RuntimeError') throw error;
      return refused(file, `Seamscope failed on it (${error instanceof Error ? error.message : String(error)}). Please report this`);
    }
  }

  async #fix(file: string, original: string, options: LintOptions, encode: ((text: string) => Uint8Array) | undefined): Promise<FileResult> {
    let text = original;
    let fixed = 0;
    let result = this.#lint(file, text, options);
    for (let round = 0; round < maxRounds; round++) {
      const fixes = result.findings.flatMap(({ fix }) => (isApplicable(fix, this.choice.fix!) ? [fix] : []));
      const { edits, taken } = compatibleEdits(fixes);
      if (taken === 0) break;
      text = applyEdits(text, edits);
      fixed += taken;
      result = this.#lint(file, text, options);
    }
    if (fixed === 0) return result;
    const cause = await write(file, encode?.(text));
    if (cause === undefined) return { ...result, fixed };
    const unfixed = this.#lint(file, original, options);
    return { ...unfixed, notes: [...unfixed.notes, `${visibleName(file)} is not fixed: ${cause}.`] };
  }
}

function refused(file: string, reason: string): FileResult {
  return { ...untouched(file), checked: false, skipped: [{ file, reason }] };
}

/** A file without findings. */
function untouched(file: string): FileResult {
  return { file, checked: true, skipped: [], notes: [], crashes: [], findings: [], suppressed: [], text: '', fixed: 0 };
}

/** Undefined when written, else why not. */
async function write(file: string, bytes: Uint8Array | undefined): Promise<string | undefined> {
  if (!bytes) return 'its encoding cannot be written back unchanged';
  try {
    await writeFile(file, bytes);
    return undefined;
  } catch (error) {
    return `it cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
  }
}
