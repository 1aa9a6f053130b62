// What a suppression comment says: `seamscope-disable-next-line fd/leak -- reason` and the NOLINT spelling that C++ users have. Also what was
// meant to be one and is not: its author must learn of it.
import { nearestOf } from '../nearest';

type Form = 'next-line' | 'line' | 'file' | 'begin' | 'end';

export interface Directive {
  readonly form: Form;
  /** As written: `fd/leak`, `fd/*` or `*`. */
  readonly ids: readonly string[];
  /** The same as a NOLINT writes them (`seamscope-fd-leak`), and what it names of other tools; undefined for the other comments. */
  readonly checks: readonly string[] | undefined;
  readonly reason: string;
  /** What stands behind the rules where a reason would, without ` -- `. */
  readonly loose: string;
  /** The comment is none that suppresses. */
  readonly mistake: Mistake | undefined;
}

export interface Mistake {
  readonly written: string;
  readonly meant: string | undefined;
}

export function directiveOf(body: string): Directive | undefined {
  return ownDirective(body) ?? nolint(body);
}

const forms: readonly Form[] = ['next-line', 'line', 'file', 'begin', 'end'];
const own = /^(seamscope[-_]disable([a-z]*(?:[-_][a-z]+)*)):?([\s\S]*)$/i;
const start = 'seamscope-disable-';

function ownDirective(body: string): Directive | undefined {
  const [, written, tail, rest] = own.exec(body) ?? [];
  if (written === undefined) return undefined;
  // No rule has two dashes in its name: a reason may stand right behind them, and they behind the rule.
  const [, names, reason] = /^([\s\S]*?)(?:--([\s\S]*))?$/.exec(rest!)!;
  const said = { ...idsOf(names!, reason !== undefined), checks: undefined, reason: reasonOf(reason ?? '') };
  const form = forms.find((each) => written === start + each);
  if (form) return { ...said, form, mistake: undefined };
  if (!/^[a-z]+\/|^\*$/.test(said.ids[0] ?? '')) return undefined;
  const near = nearestOf(tail!.replace(/^[-_]/, ''), forms) as Form | undefined;
  return { ...said, form: near ?? 'line', mistake: { written, meant: near && start + near } };
}

/** Rules with commas or blanks between. Where no reason is marked, a word behind a blank that is none begins one. */
function idsOf(names: string, hasReason: boolean): Pick<Directive, 'ids' | 'loose'> {
  const words = [...names.matchAll(/[^\s,]+/g)];
  const isLoose = ({ 0: word, index }: RegExpMatchArray, i: number) => i > 0 && !/[/*]/.test(word) && !/,\s*$/.test(names.slice(0, index));
  const first = hasReason ? -1 : words.findIndex(isLoose);
  const ids = (first < 0 ? words : words.slice(0, first)).map(([word]) => word.replace(/:$/, ''));
  return { ids, loose: first < 0 ? '' : names.slice(words[first]!.index).trim() };
}

const nolintForms: Readonly<Record<string, Form>> = { NOLINT: 'line', NOLINTNEXTLINE: 'next-line', NOLINTBEGIN: 'begin', NOLINTEND: 'end' };

function nolint(body: string): Directive | undefined {
  const [, written, list, rest] = /\b(NOLINT[A-Z]*)\(([^)]*)\)[ \t]*:?[ \t]*(?:--)?([\s\S]*)$/i.exec(body) ?? [];
  const checks = list?.split(',').map((check) => check.trim()) ?? [];
  const ids = checks.flatMap((check) => aliasOf(check) ?? []);
  if (written === undefined || ids.length === 0) return undefined;
  const said = { ids, checks, reason: reasonOf(rest!), loose: '' };
  const form = nolintForms[written];
  if (form) return { ...said, form, mistake: undefined };
  const meant = nearestOf(written, nolintWords);
  return { ...said, form: nolintForms[meant ?? 'NOLINT']!, mistake: { written, meant } };
}

const nolintWords = Object.keys(nolintForms);

/** `seamscope-fd-leak`, `seamscope-fd/leak`, `seamscope-fd-*` and `seamscope-*`; families have no dash in their name. */
export function aliasOf(check: string): string | undefined {
  const name = /^seamscope-(.+)$/.exec(check)?.[1];
  return name === '*' || check === 'seamscope*' ? '*' : name?.includes('/') ? name : name?.replace('-', '/');
}

/** How a NOLINT names a rule. */
export function checkOf(id: string): string {
  return `seamscope-${id.replace('/', '-')}`;
}

/** What stands in angle brackets waits to be written. */
function reasonOf(text: string): string {
  const trimmed = text.trim();
  return /^<[^>]*>$/.test(trimmed) ? '' : trimmed;
}
