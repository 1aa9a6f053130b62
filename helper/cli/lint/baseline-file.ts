/** Reads and writes the baseline of a run. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../engine/user-error';
import { baselineText, type Counts, countsOf, parseBaseline, shrink, splitByBaseline, total } from '../../lint/baseline/baseline';
import type { Finding } from '../../lint/engine';

export class BaselineFile {
  readonly #present = new Map<string, readonly Finding[]>();

  private constructor(
    private readonly file: string,
    /** Undefined when the file does not exist yet. */
    private readonly counts: Counts | undefined,
  ) {}

  /** `mayBeNew`: a missing file is one that is about to be written. */
  static async read(file: string, mayBeNew: boolean): Promise<BaselineFile> {
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' && mayBeNew) return new BaselineFile(file, undefined);
      const nextStep = code === 'ENOENT' ? 'Make it with --write-baseline.' : code === 'EISDIR' ? 'Name a file.' : 'Check its permissions.';
      throw new UserError(`The baseline ${file} cannot be read (${code ?? 'unknown error'}).`, nextStep);
    }
    const parsed = parseBaseline(text);
    if ('problem' in parsed) throw new UserError(`The baseline ${file} cannot be used: ${parsed.problem}.`, 'Delete it and write it anew.');
    return new BaselineFile(file, parsed.counts);
  }

  split(file: string, findings: readonly Finding[]): { readonly fresh: Finding[]; readonly known: Finding[] } {
    const key = this.#key(file);
    this.#present.set(key, findings);
    if (this.counts) return splitByBaseline(findings, key, this.counts);
    return { fresh: [], known: [...findings] };
  }

  /** Counts of the baseline whose findings are gone; `only` are the rules that ran, empty for all. */
  gone(only: readonly string[]): number {
    return this.counts ? total(this.counts) - total(this.#shrunk(this.counts, only)) : 0;
  }

  /** A new file gets everything, an old one only shrinks. Returns the sum of its counts. */
  async write(only: readonly string[]): Promise<number> {
    const counts = this.counts ? this.#shrunk(this.counts, only) : countsOf(this.#present);
    try {
      await writeFile(this.file, baselineText(counts));
    } catch (error) {
      const cause = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      throw new UserError(`The baseline ${this.file} cannot be written (${cause}).`, 'Check that its folder exists and may be written.');
    }
    return total(counts);
  }

  #shrunk(counts: Counts, only: readonly string[]): Counts {
    const folder = path.dirname(path.resolve(this.file));
    const isJudged = (file: string, rule: string) =>
      !existsSync(path.join(folder, file)) || (this.#present.has(file) && (only.length === 0 || only.includes(rule)));
    return shrink(counts, countsOf(this.#present), isJudged);
  }

  #key(file: string): string {
    return path
      .relative(path.dirname(path.resolve(this.file)), path.resolve(file))
      .split(path.sep)
      .join('/');
  }
}
