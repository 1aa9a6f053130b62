/** The one way out of the engine process: everything closed, exit 0; or, when a driver does not let go in time, killed by itself. */
import process from 'node:process';
import { SHUTDOWN_TIMEOUT_MS } from '../protocol/timeouts';
import { toUserError } from './user-error';

/** Less than SHUTDOWN_TIMEOUT_MS, so that the engine's own end comes before the client's SIGKILL and can still say why. */
const GIVE_UP_MS = SHUTDOWN_TIMEOUT_MS - 500;

/** For the answer to go out. */
const HUNG_ANSWER_MS = 500;

export class Shutdown {
  readonly #close: () => Promise<void>;
  #running = false;

  constructor(close: () => Promise<void>) {
    this.#close = close;
  }

  async run(cause?: Error): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    if (cause && !isHangUp(cause)) report(cause.message);
    setTimeout(giveUp, GIVE_UP_MS);
    try {
      await this.#close();
      process.exit(cause && !isHangUp(cause) ? 1 : 0);
    } catch (error) {
      report(toUserError(error).message);
      process.exit(1);
    }
  }
}

/** One line on stderr and exit code 70 (EX_SOFTWARE); never a stack trace. */
export function exitOnUncaughtErrors(): void {
  const end = (error: unknown) => {
    const { message, nextStep } = toUserError(error);
    report(`${message} ${nextStep}`);
    process.exit(70);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/**
 * A driver call never returns: its thread and what it locks are lost, so this process is. The answer that says so goes out first; the client
 * starts a new engine.
 */
export function endHung({ message }: { message: string }): void {
  report(message);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), HUNG_ANSWER_MS);
}

/** The client went away: nothing to report, nobody to report to. */
function isHangUp(error: Error): boolean {
  return ['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** process.exit would wait for the threads that hang. */
function giveUp(): void {
  report(`A driver did not let go within ${GIVE_UP_MS / 1000} s; the engine ends without it.`);
  process.kill(process.pid, 'SIGKILL');
}

function report(line: string): void {
  try {
    process.stderr.write(`seamscope engine: ${line.split('\n').join(' ')}\n`);
  } catch {
    // stderr is gone as well.
  }
}
