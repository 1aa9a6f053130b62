/** `seamscope lint`: exit code 0 without findings, 1 with, 2 when it could not run. */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { UserError } from '../engine/user-error';
import { type Finding, type LintResult, lint } from '../lint/engine';
import { jsonReport } from '../lint/report/json';
import { textReport } from '../lint/report/text';
import { rules } from '../lint/rules/registry';
import { loadGrammars } from '../lint/server/grammar-files';
import type { Grammars } from '../lint/syntax/grammars';
import { decode, maxBytes, tooLarge } from '../lint/text/decode';
import { bytesMayTouchSeam } from '../lint/text/prefilter';
import { FileFinder, type FoundFile } from './lint-files';
import { complain, print } from './output';
import { UsageError } from './usage-error';

interface Options {
  readonly paths: readonly string[];
  readonly format: 'text' | 'json';
  readonly preview: boolean;
}

/** `dir` holds the bundles and their grammars. */
export async function runLint(args: string[], dir: string): Promise<number> {
  const options = parse(args);
  const files = await findFiles(options.paths);
  const grammars = await loadGrammars(dir).catch((error: Error) => {
    throw new UserError(error.message, 'Run "npm run build", or install the extension again.');
  });
  const run = new LintRun(grammars, options);
  for (const file of files) await run.check(file);
  return run.finish();
}

function parse(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { format: { type: 'string', default: 'text' }, preview: { type: 'boolean', default: false } },
  });
  if (positionals.length === 0) throw new UsageError('lint needs at least one file or folder.');
  if (values.format !== 'text' && values.format !== 'json') throw new UsageError(`There is no format "${values.format}": use text or json.`);
  return { paths: positionals, format: values.format, preview: values.preview };
}

async function findFiles(paths: readonly string[]): Promise<FoundFile[]> {
  const finder = new FileFinder(complain);
  const found: FoundFile[] = [];
  for (const given of paths) {
    const files = await finder.find(given);
    if (!files) throw new UserError(`${given} does not exist.`, 'Check the path; it is taken relative to the current folder.');
    found.push(...files);
  }
  return found;
}

class LintRun {
  readonly #findings: Finding[] = [];
  readonly #crashed = new Set<string>();
  #files = 0;

  constructor(
    private readonly grammars: Grammars,
    private readonly options: Options,
  ) {}

  async check({ file, size }: FoundFile): Promise<void> {
    if (size > maxBytes) {
      complain(`${file} is not checked: ${tooLarge(size)}.`);
      return;
    }
    const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      complain(`${file} cannot be read (${error.code ?? 'unknown error'}); skipped.`);
    });
    if (!bytes) return;
    const decoded = decode(bytes);
    if ('refused' in decoded) {
      complain(`${file} is not checked: ${decoded.refused}.`);
      return;
    }
    this.#files++;
    if (bytesMayTouchSeam(bytes)) this.#lint(file, decoded.text);
  }

  #lint(file: string, text: string): void {
    const result = this.#run(file, text);
    if (!result) return;
    if (result.unparsed) complain(`${file} is not checked: parsing took too long.`);
    for (const { ruleId, cause } of result.crashes) {
      if (!this.#crashed.has(ruleId)) complain(`The rule ${ruleId} failed on ${file} (${cause}); the other rules went on. Please report this.`);
      this.#crashed.add(ruleId);
    }
    this.#findings.push(...result.findings);
    if (this.options.format === 'text' && result.findings.length > 0) print(textReport(result.findings, text, useColour()));
  }

  /** A failure in one file must not cost the others. */
  #run(file: string, text: string): LintResult | undefined {
    try {
      return lint(file, text, this.grammars, { rules, preview: this.options.preview });
    } catch (error) {
      if (error instanceof Error && error.name === 'RuntimeError') throw error;
      complain(`${file} is not checked: ${error instanceof Error ? error.message : String(error)}. Please report this.`);
      return undefined;
    }
  }

  finish(): number {
    const count = this.#findings.length;
    if (this.options.format === 'json') print(jsonReport(this.#findings));
    else print(`${count} finding${count === 1 ? '' : 's'} in ${this.#files} file${this.#files === 1 ? '' : 's'}.`);
    return count === 0 ? 0 : 1;
  }
}

function useColour(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR;
}
