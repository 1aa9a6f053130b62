/** What the lint client tells the server beyond LSP. Every field is optional: other editors tell nothing. */

export interface LintInitialization {
  /** Command of the client that opens the page of the rule whose id is its argument. */
  readonly openRuleCommand?: string;
}

/** Suppressing and fixing everything at once. */
export const FIX_ALL_KIND = 'source.fixAll.seamscope';

/** The nearest file of this name upward of a source file configures the linter. */
export const CONFIG_NAME = 'seamscope.json';

/** Of V8, for the lint server: young objects get half of the usual room, which costs no time and leaves 20 MiB to others. */
export const LINT_SERVER_FLAGS: readonly string[] = ['--max-semi-space-size=8'];
