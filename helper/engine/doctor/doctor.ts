/** Every check over one set of facts, in the order in which a cause would hide the next. */
import type { DoctorReport } from '../../protocol/doctor';
import { type Check, notAsked } from './check';
import { checks } from './checks';
import type { DoctorFacts } from './facts';

export function diagnose(facts: DoctorFacts): DoctorReport {
  return {
    version: 1,
    takenAt: new Date().toISOString(),
    checks: checks.map((check) => {
      const why = whyNotAsked(check, facts);
      return { id: check.id, title: check.title, ...(why ? notAsked(why) : check.run(facts)) };
    }),
  };
}

/** A driver that was not asked is not fine. */
function whyNotAsked({ asks }: Check, { engine, snapshot: { vulkan } }: DoctorFacts): string | undefined {
  if (!asks) return undefined;
  if (engine.addonProblem) return 'the native addon, which asks the drivers, could not be loaded.';
  if (asks === 'addon') return undefined;
  const code = vulkan.reason?.code;
  if (code === 'driver-hangs' || code === 'probe-failed') return 'the process that asks the drivers did not come to an end.';
  if (asks === 'vulkan' && code === 'vulkan-loader-missing') return 'the Vulkan loader could not be opened, so no Vulkan driver was tried.';
  return undefined;
}
