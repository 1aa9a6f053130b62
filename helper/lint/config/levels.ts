// Which rules run, and how heavy their findings weigh.
import type { RuleMeta, Severity } from '../rules/rule';

/** `on`: with the rule's own severity, whatever its group. */
export type RuleLevel = 'off' | 'on' | Severity;

export interface Selection {
  readonly preview: boolean;
  /** By id, `family/*` or `*`; the closest name wins. */
  readonly levels?: ReadonlyMap<string, RuleLevel> | undefined;
  /** The rules were asked for by name: nothing switches them off. */
  readonly asked?: boolean | undefined;
}

export function levelOf({ id, group }: RuleMeta, { preview, levels, asked }: Selection): RuleLevel {
  const level = levels?.get(id) ?? levels?.get(`${id.split('/')[0]}/*`) ?? levels?.get('*');
  if (asked) return level === undefined || level === 'off' ? 'on' : level;
  if (group === 'optional') return levels?.get(id) ?? 'off';
  return level ?? (group === 'stable' || preview ? 'on' : 'off');
}

/** True when `pattern` (`fd/leak`, `fd/*`, `*`) names the rule. */
export function names(pattern: string, ruleId: string): boolean {
  return pattern === ruleId || pattern === '*' || (pattern.endsWith('/*') && ruleId.startsWith(pattern.slice(0, -1)));
}
