import type { LintInitialization } from '../../protocol/lint';
import { rulePage } from '../rules/pages';

/** The address of a rule's page: a command of the client where it has one, else the web. */
export type RuleLink = (ruleId: string) => string;

export function ruleLink({ openRuleCommand }: LintInitialization): RuleLink {
  return (ruleId) => (openRuleCommand ? `command:${openRuleCommand}?${encodeURIComponent(JSON.stringify([ruleId]))}` : rulePage(ruleId));
}
