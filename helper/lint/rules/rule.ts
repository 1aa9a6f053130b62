// The form of a rule. One rule is one file: doc block, metadata, message, detector. See docs/adding-a-rule.md.
import type { FileFacts, Language, Span } from '../facts/index';
import { oneLine } from '../text/one-line';

export type Severity = 'error' | 'warning' | 'info';

/** `safe` keeps the meaning or mends it for certain; `suggestion` needs a look; `display-only` is told, never applied. */
export type FixSafety = 'safe' | 'suggestion' | 'display-only';

export interface RuleMeta {
  /** `family/name`, the name of what is wrong; stable for ever. */
  readonly id: string;
  /** One line for the table of rules. */
  readonly summary: string;
  readonly severity: Severity;
  /** A: syntactic facts of one place. B: paths through a function. C: classes, order of members, whole files. */
  readonly tier: 'A' | 'B' | 'C';
  /** How sure a finding is: `certain` breaks a documented contract, `likely` needs an assumption that the page names. */
  readonly precision: 'certain' | 'likely';
  /** Safety of the quick fix; a rule that says other than `none` has `fix`. */
  readonly fix: 'none' | FixSafety;
  readonly languages: readonly Language[];
  /** Preview rules are off unless asked for all together; an optional one only runs when it is named. */
  readonly group: 'stable' | 'preview' | 'optional';
  readonly since: string;
  /**
   * Why the rule may be on by default: at least five findings in public code that were judged by reading, 90 % of them true
   * (`test/corpus/verdicts.json`), or at least twenty different correct situations in its fixtures in which it is silent, without any
   * false finding in the corpus. `the text itself`: about the linter's own comments, nothing is guessed. Held by a test.
   */
  readonly evidence?: 'findings' | 'twins' | 'the text itself';
}

/** Something with a place: an event, an expression, a variable, a class (its `nameSpan` or `span`) or a span. */
export type Located = Span | { readonly span: Span };

export interface Related {
  readonly at: Located;
  readonly message: string;
}

/** One violation as a detector sees it. `data` is what the message needs; wording is not the detector's business. */
export interface Problem<D> {
  readonly at: Located;
  readonly data: D;
  /** The other places, oldest first: at least the one that makes this a fault. */
  readonly related?: readonly Related[];
  /** Where one kind of finding weighs less than the rule as a whole. */
  readonly severity?: Severity;
  /** A kind whose precision is not yet proven: shown with the preview rules, or when the rule is asked for by name. */
  readonly isPreview?: boolean;
}

/** One replacement in the linted text; an empty span inserts. `rules/edits.ts` makes them. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

export interface Fix {
  /** What happens, as a command: "Remove the second close". */
  readonly title: string;
  /** In any order, not overlapping; empty where only the title is to be told. */
  readonly edits: readonly Edit[];
  /** Where one fix is less safe than `meta.fix` says. */
  readonly safety?: FixSafety;
}

export interface RuleDefinition<D> {
  readonly meta: RuleMeta;
  /** What is wrong, why, what to do, with the actual names: two or three sentences. */
  message(data: D): string;
  detect(file: FileFacts, report: (problem: Problem<D>) => void): void;
  /** The edits that mend one problem, or undefined where this one needs thought. Afterwards the rule must be silent there. */
  fix?(problem: Problem<D>, file: FileFacts): Fix | undefined;
}

export interface RawFinding {
  readonly ruleId: string;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  readonly related: readonly { readonly span: Span; readonly message: string }[];
  readonly isPreview: boolean;
  /** Asked only for findings that are shown. */
  fix(): Required<Fix> | undefined;
}

/** A rule ready to run; what its message needs is nobody else's business. */
export interface Rule {
  readonly meta: RuleMeta;
  run(file: FileFacts): RawFinding[];
}

export function defineRule<D>(definition: RuleDefinition<D>): Rule {
  const { meta } = definition;
  return {
    meta,
    run(file) {
      const findings: RawFinding[] = [];
      definition.detect(file, (problem) => findings.push(rawFinding(definition, problem, file)));
      return findings;
    },
  };
}

/** What a rule of the stage after all others is made of: that stage finds, the rule words and mends. */
export type StageRuleDefinition<D> = Pick<RuleDefinition<D>, 'meta' | 'message'> & { fix?(problem: Problem<D>): Fix | undefined };

export interface StageRule<D> extends Rule {
  finding(problem: Problem<D>): RawFinding;
}

export function defineStageRule<D>(definition: StageRuleDefinition<D>): StageRule<D> {
  return { meta: definition.meta, run: () => [], finding: (problem) => rawFinding(definition, problem) };
}

type Wording<D, F extends [] | [FileFacts]> = Pick<RuleDefinition<D>, 'meta' | 'message'> & {
  fix?(problem: Problem<D>, ...file: F): Fix | undefined;
};

function rawFinding<D, F extends [] | [FileFacts]>({ meta, message, fix }: Wording<D, F>, problem: Problem<D>, ...file: F): RawFinding {
  const { at, data, related = [], severity = meta.severity, isPreview = false } = problem;
  const said = (text: string) => oneLine(text, file[0]?.language);
  return {
    ruleId: meta.id,
    severity,
    message: said(message(data)),
    span: spanOf(at),
    related: related.map((each) => ({ span: spanOf(each.at), message: said(each.message) })),
    isPreview,
    fix() {
      const found = meta.fix === 'none' ? undefined : fix?.(problem, ...file);
      return found && { safety: meta.fix as FixSafety, ...found, title: said(found.title) };
    },
  };
}

export function spanOf(at: Located): Span {
  return 'span' in at ? at.span : at;
}

export const cFamily: readonly Language[] = ['c', 'cpp', 'cuda'];
