import { parseArgs } from 'node:util';
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
  /** Print the page of a rule and do nothing else. */
  readonly explain: string | undefined;
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
  const { format, rule, fix, baseline, explain, strict } = values;
  for (const id of [...rule, ...(explain === undefined ? [] : [explain])]) checkRule(id);
  if (positionals.length === 0 && explain === undefined) throw new UsageError('lint needs at least one file or folder.');
  const known = formats.find((each) => each === format);
  if (!known) throw new UsageError(`There is no format "${format}": use ${formats.join(', ')}.`);
  if (fix !== undefined && fix !== 'safe' && fix !== 'suggestion') throw new UsageError(`There is no fix "${fix}": use --fix or --fix=suggestion.`);
  const writeBaseline = values['write-baseline'];
  if (writeBaseline && baseline === undefined) throw new UsageError('--write-baseline needs --baseline FILE.');
  const jobs = values.jobs === undefined ? undefined : Number(values.jobs);
  if (jobs !== undefined && !(Number.isInteger(jobs) && jobs >= 1 && jobs <= 64)) throw new UsageError('--jobs takes a number from 1 to 64.');
  return { paths: positionals, format: known, preview: values.preview, only: rule, fix, baseline, writeBaseline, strict, jobs, explain };
}

function checkRule(id: string): void {
  if (rules.some((rule) => rule.meta.id === id)) return;
  const similar = rules.map((rule) => rule.meta.id).filter((each) => each.endsWith(`/${id.split('/').at(-1)}`) || each.startsWith(`${id}/`));
  const advice = similar.length > 0 ? ` Did you mean ${similar.slice(0, 3).join(' or ')}?` : '';
  throw new UsageError(`There is no rule "${id}".${advice}`);
}
