/** The command line itself is wrong: the answer points to --help. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
