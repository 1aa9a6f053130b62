/** An error whose message names the cause and whose `nextStep` says what to do; `code` is one of EngineErrorCode. */
import { EngineErrorCode } from '../protocol/errors';

export class UserError extends Error {
  override readonly name = 'UserError';

  constructor(
    message: string,
    readonly nextStep: string,
    readonly code: number = EngineErrorCode.failed,
  ) {
    super(message);
  }
}

/** Whatever was thrown, by the addon too, as a UserError. */
export function toUserError(error: unknown, nextStep = 'Read the engine log and report this with "Copy Report".'): UserError {
  if (error instanceof UserError) return error;
  const { message, nextStep: own } = (error ?? {}) as { message?: unknown; nextStep?: unknown };
  return new UserError(typeof message === 'string' ? message : String(error), typeof own === 'string' && own !== '' ? own : nextStep);
}
