/** A sacrificial process's end in words for a report. */
import type { SeamFailure } from '../protocol/seamtest';
import type { SeamEnd } from './seamtest-process';

const NEXT_STEP = 'Look for Xid messages of the driver in the kernel log (dmesg), and run the test again with --device for this device alone.';

export function describeEnd(end: SeamEnd, who: string): SeamFailure {
  const detail = end.words.join('\n');
  return { message: `${who} ${howItEnded(end)}.`, nextStep: NEXT_STEP, ...(detail ? { detail } : {}) };
}

export function howItEnded(end: SeamEnd): string {
  switch (end.how) {
    case 'signal':
      return `was ended by ${end.signal}: a driver crashed`;
    case 'hung':
      return 'stopped answering and was killed: a driver call did not return';
    case 'cancelled':
      return 'was cancelled';
    case 'not-started':
      return `could not be started: ${end.reason}`;
    default:
      return `ended with exit code ${end.code}${lastWords(end.words)}`;
  }
}

/** What a process said before it gave up is the cause as a rule. */
function lastWords(words: string[]): string {
  const text = words.slice(-2).join(' ').replace(/\.$/, '');
  return text === '' ? '' : `, saying: ${text.slice(0, 400)}`;
}

/** AddressSanitizer and its kin leave a line that names them. */
export function sanitizerLine(words: string[]): string | undefined {
  return words.find((line) => /(Address|Leak|Memory|Thread|UndefinedBehavior)Sanitizer|runtime error:/.test(line));
}
