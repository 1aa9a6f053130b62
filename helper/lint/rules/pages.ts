/** Where the page of a rule is on the web. */
export function rulePage(ruleId: string): string {
  return `https://github.com/seamscope/seamscope/blob/main/docs/rules/${ruleId}.md`;
}
