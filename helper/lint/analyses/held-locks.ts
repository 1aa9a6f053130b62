// Whether a function holds a lock when it makes a call.
import type { Call, FunctionFacts } from '../facts/index';

const guards = /lock_guard|unique_lock|scoped_lock|shared_lock|Lock\b|Guard\b/;
const locks = /^(lock|lock_shared|pthread_mutex_lock|mtx_lock|Lock)$/;
const unlocks = /^(unlock|unlock_shared|pthread_mutex_unlock|mtx_unlock|Unlock)$/;

/** A guard that is alive, or a lock that has been taken and not given back in between. */
export function holdsLock({ fn, id }: Call): boolean {
  const before = fn.calls.filter((call) => call.id < id);
  const given = before.findLast((call) => unlocks.test(call.name));
  if (before.some((call) => locks.test(call.name) && call.id > (given?.id ?? -1))) return true;
  return given === undefined && fn.locals.some((local) => guards.test(local.type) && !diesBefore(fn, local.name, id));
}

function diesBefore(fn: FunctionFacts, name: string, id: number): boolean {
  return fn.events.some((event) => event.kind === 'scopeEnd' && event.id < id && event.variables.some((each) => each.name === name));
}
