import type { DoctorCheck, DoctorCheckId, DoctorFix } from '../../protocol/doctor';
import type { DoctorFacts } from './facts';

/** One cause: what it is called and how it shows. Reads facts only. */
export interface Check {
  id: DoctorCheckId;
  title: string;
  /** What must have worked for the check to mean something: the addon, the process that enumerates the drivers, the Vulkan loader in it. */
  asks?: 'addon' | 'drivers' | 'vulkan';
  run(facts: DoctorFacts): Verdict;
}

export type Verdict = Omit<DoctorCheck, 'id' | 'title'>;

export function found(severity: DoctorCheck['severity'], message: string, evidence: string[], ...fixes: DoctorFix[]): Verdict {
  return { status: 'found', severity, message, evidence: evidence.filter((line) => line !== message), fixes };
}

export function fine(message: string, evidence: string[] = []): Verdict {
  return { status: 'fine', severity: 'info', message, evidence, fixes: [] };
}

export function notApplicable(message: string): Verdict {
  return { status: 'not-applicable', severity: 'info', message, evidence: [], fixes: [] };
}

export function notAsked(why: string): Verdict {
  return { status: 'not-asked', severity: 'info', message: `Not asked: ${why}`, evidence: [], fixes: [] };
}

export function fix(text: string, command?: string): DoctorFix {
  return { text, ...(command ? { command } : {}) };
}
