/** What to do when the engine of a command has ended before its time: that depends on who ended it. */
import { type SessionEnd, UserError } from '../engine/client';

export const LEAVE_OUT_GPU = 'Try --device host to leave the GPU out.';
const AGAIN = 'Run the command again.';
const SEE_DRIVERS = 'Run the command again with SEAMSCOPE_LOG=1 to see what the drivers say.';

/** From outside; what is not here a process gets for what it did itself. */
const fromOutside: Partial<Record<NodeJS.Signals, string>> = {
  SIGKILL: `It was killed from outside: by somebody, or by the system for want of memory ("dmesg" says so). ${AGAIN}`,
  SIGTERM: `It was ended from outside. ${AGAIN}`,
  SIGINT: `It was ended from outside. ${AGAIN}`,
  SIGHUP: `It was ended from outside. ${AGAIN}`,
};

/** `isShared`: the engine is one that ran already. `usesDevice`: it renders by itself, on a device that can be chosen. */
export function engineEnded(end: SessionEnd, { isShared, usesDevice }: { isShared: boolean; usesDevice: boolean }): UserError {
  const message = [end.message, ...end.lastWords.slice(-3)].join(' ');
  if (isShared && !end.signal)
    return new UserError(
      'The engine that ran already, "seamscope engine", has ended.',
      'Start it again; programs that publish connect to it by themselves.',
    );
  const outside = end.signal && fromOutside[end.signal];
  return new UserError(message, outside ?? (usesDevice ? LEAVE_OUT_GPU : SEE_DRIVERS));
}
