// The form of a rule. One rule is one file: doc block, metadata, message, detector. See docs/adding-a-rule.md.
import type { FileFacts, Language, Span } from '../facts/index';

export type Severity = 'error' | 'warning' | 'info';

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
  /** Safety of the quick fix. */
  readonly fix: 'none' | 'safe' | 'suggestion' | 'display-only';
  readonly languages: readonly Language[];
  /** Preview rules are off unless asked for. */
  readonly group: 'stable' | 'preview';
  readonly since: string;
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
}

export interface RuleDefinition<D> {
  readonly meta: RuleMeta;
  /** What is wrong, why, what to do, with the actual names: two or three sentences. */
  message(data: D): string;
  detect(file: FileFacts, report: (problem: Problem<D>) => void): void;
}

export interface RawFinding {
  readonly ruleId: string;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  readonly related: readonly { readonly span: Span; readonly message: string }[];
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
      definition.detect(file, ({ at, data, related = [], severity = meta.severity }) => {
        const places = related.map((each) => ({ span: spanOf(each.at), message: each.message }));
        findings.push({ ruleId: meta.id, severity, message: definition.message(data), span: spanOf(at), related: places });
      });
      return findings;
    },
  };
}

function spanOf(at: Located): Span {
  return 'span' in at ? at.span : at;
}

export const cFamily: readonly Language[] = ['c', 'cpp', 'cuda'];
