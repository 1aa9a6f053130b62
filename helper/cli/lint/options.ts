import { parseArgs } from 'node:util';
import { names } from '../../lint/config/levels';
import { didYouMean, meantRules } from '../../lint/nearest';
import { rules } from '../../lint/rules/registry';
import { UsageError } from '../usage-error';

export const formats = ['text', 'json', 'sarif', 'github'] as const;
export type Format = (typeof formats)[number];

/** Plain data: workers get it as it is. */
export interface LintArguments {
  readonly paths: readonly string[];
  readonly format: Format;
  readonly preview: boolean;
  /** Only these rules; empty: those that are on. */
  readonly only: readonly string[];
  /** Fixes up to this safety are written into the files. */
  readonly fix: 'safe' | 'suggestion' | undefined;
  readonly baseline: string | undefined;
  readonly writeBaseline: boolean;
  /** What could not be checked fails the run, wherever it is. */
  readonly strict: boolean;
  /** Threads; undefined: as many as are worth it. */
  readonly jobs: number | undefined;
  /** Print the page of this rule, or a list of these, and do nothing else. */
  readonly explain: readonly string[] | undefined;
}

export function parseLintArguments(args: readonly string[]): LintArguments {
  const { values, positionals } = parseArgs({
    // A bare --fix means the safe ones.
    args: args.map((arg) => (arg === '--fix' ? '--fix=safe' : arg)),
    allowPositionals: true,
    options: {
      format: { type: 'string', default: 'text' },
      preview: { type: 'boolean', default: false },
      rule: { type: 'string', multiple: true, default: [] },
      fix: { type: 'string' },
      baseline: { type: 'string' },
      'write-baseline': { type: 'boolean', default: false },
      explain: { type: 'string' },
      strict: { type: 'boolean', default: false },
      jobs: { type: 'string' },
    },
  });
  const { format, rule, fix, baseline, strict } = values;
  const only = rule.flatMap((names) => rulesOf(names, false));
  const explain = values.explain === undefined ? undefined : rulesOf(values.explain, true);
  if (positionals.length === 0 && explain === undefined) throw new UsageError('lint needs at least one file or folder.');
  const known = formats.find((each) => each === format);
  if (!known) throw new UsageError(`There is no format "${format}": use ${formats.join(', ')}.`);
  if (fix !== undefined && fix !== 'safe' && fix !== 'suggestion')
    throw new UsageError(`There is no fix "${fix}": use --fix for the safe ones or --fix=suggestion for all.`);
  if (baseline === '') throw new UsageError('--baseline needs the name of a file.');
  const writeBaseline = values['write-baseline'];
  if (writeBaseline && baseline === undefined) throw new UsageError('--write-baseline needs --baseline FILE.');
  const jobs = values.jobs === undefined ? undefined : Number(values.jobs);
  if (jobs !== undefined && !(Number.isInteger(jobs) && jobs >= 1 && jobs <= 64)) throw new UsageError('--jobs takes a number from 1 to 64.');
  return { paths: positionals, format: known, preview: values.preview, only, fix, baseline, writeBaseline, strict, jobs, explain };
}

/** By their ids or families, several with commas between. `whole`: with those of a family that only run when they are named. */
function rulesOf(written: string, whole: boolean): string[] {
  return written.split(',').flatMap((each) => {
    const name = each.trim();
    const found = rules.filter(({ meta: { id, group } }) => id === name || (names(name, id) && (whole || group !== 'optional')));
    if (found.length === 0) throw new UsageError(noRule(name));
    return found.map(({ meta }) => meta.id);
  });
}

function noRule(name: string): string {
  const meant = meantRules(
    name,
    rules.map(({ meta }) => meta.id),
  ).map((each) => (each.includes('*') ? `'${each}'` : each));
  return `There is no rule "${name}".${didYouMean(meant) || ' "seamscope lint --explain \'*\'" lists them.'}`;
}
