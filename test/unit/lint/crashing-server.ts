// The lint server with one rule that fails on every file, in its background thread too.
import { rules } from '../../../helper/lint/rules/registry';

for (const rule of rules)
  if (rule.meta.id === 'memory/handle-enum')
    Object.assign(rule, {
      run: () => {
        throw new Error('boom');
      },
    });

void import('../../../helper/lint/server/main');
