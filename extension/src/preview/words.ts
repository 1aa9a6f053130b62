/** An error for the user: what went wrong and what to do. */
export function explain(error: unknown): string {
  const { message, nextStep = '' } = error as { message?: string; nextStep?: string };
  return `${message ?? String(error)} ${nextStep}`.trim();
}
