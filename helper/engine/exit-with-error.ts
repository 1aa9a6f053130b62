import process from 'node:process';
import { toUserError } from './user-error';

/** For an engine that could not even start: cause and next step on stderr, exit code 2. */
export function exitWithError(error: unknown): never {
  const { message, nextStep } = toUserError(error);
  process.stderr.write(`seamscope engine: ${message} ${nextStep}\n`);
  process.exit(2);
}
