/** The doctor's report for a terminal: what was found first, each with its evidence and the command that mends it. */
import type { DoctorCheck, DoctorReport } from '../protocol/doctor';

const MARKS = { problem: 'PROBLEM', warning: 'warning', info: 'info   ' } as const;
const REST_MARKS = { found: '', fine: 'ok', 'not-applicable': 'n/a', 'not-asked': 'unknown' } as const;
const ORDER = { problem: 0, warning: 1, info: 2 } as const;
const INDENT = ' '.repeat(MARKS.problem.length + 2);

/** `all` also shows the evidence of what is fine, and what does not apply here. */
export function doctorText({ checks }: DoctorReport, all: boolean): string {
  const found = checks.filter(({ status }) => status === 'found').sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
  const rest = checks.filter(({ status }) => status === 'fine' || status === 'not-asked' || (all && status === 'not-applicable'));
  return [...found.map(foundText), ...rest.map((check) => restText(check, all)), '', summary(checks)].join('\n');
}

function foundText({ severity, title, message, evidence, fixes }: DoctorCheck): string {
  const steps = fixes.flatMap(({ text, command }) => [`Next step: ${text}`, ...(command ? [`    $ ${command}`] : [])]);
  return [`${MARKS[severity]}  ${title}: ${message}`, ...[...evidence, ...steps].map((line) => INDENT + line)].join('\n');
}

function restText({ status, title, message, evidence }: DoctorCheck, all: boolean): string {
  const mark = REST_MARKS[status].padEnd(MARKS.problem.length);
  return [`${mark}  ${title}: ${message}`, ...(all ? evidence : []).map((line) => INDENT + line)].join('\n');
}

function summary(checks: DoctorCheck[]): string {
  const count = (severity: DoctorCheck['severity']) => checks.filter((check) => check.status === 'found' && check.severity === severity).length;
  const unasked = checks.filter(({ status }) => status === 'not-asked').length;
  const rest = unasked > 0 ? `, ${unasked} could not be asked` : '';
  return `${many(checks.length, 'check')}: ${many(count('problem'), 'problem')}, ${many(count('warning'), 'warning')}${rest}.`;
}

function many(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
