/** `seamscope lint --explain`: the page of one rule, or what the rules of a family are about. */
import path from 'node:path';
import { UserError } from '../../engine/user-error';
import { rules } from '../../lint/rules/registry';
import { rulePageText } from '../../lint/server/rule-pages';
import { print } from '../output';
import { table } from '../table';

export function explain(ids: readonly string[], dir: string): number {
  print(ids.length === 1 ? pageOf(ids[0]!, dir) : list(ids));
  return 0;
}

function pageOf(ruleId: string, dir: string): string {
  const page = rulePageText(dir, ruleId);
  if (page !== undefined) return page;
  throw new UserError(`The page of ${ruleId} is missing in ${path.join(dir, 'rules')}.`, 'Run "npm run build", or install the extension again.');
}

function list(ids: readonly string[]): string {
  const rows = rules.filter(({ meta }) => ids.includes(meta.id)).map(({ meta: { id, group, summary } }) => [id, group, summary]);
  return table(['rule', 'group', 'reports'], rows, '');
}
