/** The pages of the rules, which lie beside the bundles. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The Markdown of a rule's page without its heading comment, or undefined when it is missing. */
export function rulePageText(dir: string, ruleId: string): string | undefined {
  try {
    return readFileSync(path.join(dir, 'rules', `${ruleId}.md`), 'utf8').replace(/^<!--.*?-->\s*/s, '');
  } catch {
    return undefined;
  }
}
