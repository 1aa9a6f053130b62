/** Every check over one set of facts, in the order in which a cause would hide the next. */
import type { DoctorReport } from '../../protocol/doctor';
import { checks } from './checks';
import type { DoctorFacts } from './facts';

export function diagnose(facts: DoctorFacts): DoctorReport {
  return {
    version: 1,
    takenAt: new Date().toISOString(),
    checks: checks.map(({ id, title, run }) => ({ id, title, ...run(facts) })),
  };
}
