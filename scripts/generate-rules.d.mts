/** `family/name` of every rule file, sorted. */
export function ruleIds(): Promise<string[]>;
/** The doc block of a rule file as Markdown. */
export function docOf(source: string): string;
/** Absolute path to text of everything generated. */
export function generated(): Promise<Map<string, string>>;
