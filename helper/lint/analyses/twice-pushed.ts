// Contexts that are created when they are first needed and then pushed: creating has pushed them already.
import type { Call, FileFacts, FunctionFacts } from '../facts/index';
import { pathOf, samePath } from '../facts/paths';
import { excludeEachOther } from '../flow/exclusive';
import { dominates, reachesWithout, returnsWithout } from '../flow/order';
import { holdsForAny } from '../memo/table';
import { makesContext, stackCall } from './device-context-stack';
import { type Reached, reachedCalls } from './releases';

export interface TwicePushed {
  readonly created: Call;
  readonly pushed: Call;
}

const popping = holdsForAny((_, fn) => fn.calls.some((call) => stackCall(call) === 'pop'));

/** Some ways to the push come by the creation and others do not, so that one pop afterwards cannot be right for both. */
export function pushedTwice(file: FileFacts, fn: FunctionFacts): TwicePushed[] {
  if (fn.degraded || !popping(file)) return [];
  const reached = [...reachedCalls(file, fn)];
  const pushes = reached.filter(({ call }) => stackCall(call) === 'push' && !makesContext(call));
  const created = pushes.length === 0 ? [] : reached.filter(({ call }) => makesContext(call));
  return created.flatMap((creation) => pushes.filter((push) => isSecond(file, reached, creation, push)).map((push) => pair(creation, push)));
}

function pair(creation: Reached, push: Reached): TwicePushed {
  return { created: creation.call, pushed: push.call };
}

function isSecond(file: FileFacts, reached: readonly Reached[], creation: Reached, push: Reached): boolean {
  if (creation.site === push.site || !isConditional(creation, push) || !isSameContext(creation, push)) return false;
  if (excludeEachOther(file, creation.site, push.site)) return false;
  const between = reached.filter(({ call }) => stackCall(call) === 'pop' || /^cuCtx(SetCurrent|Detach)$/.test(call.api?.name ?? ''));
  return reachesWithout(creation.site, push.site, (event) => between.some(({ site }) => site === event)) && !isPoppedBeside(creation, between);
}

/** The creation lies on one way to the push only, here or in the helper that makes it. */
function isConditional({ call, site }: Reached, push: Reached): boolean {
  if (!dominates(site, push.site)) return true;
  const first = call.fn.events[0];
  return call !== site && first !== undefined && first !== call && returnsWithout(first, (event) => event === call);
}

/** The helper that creates it also pops it. */
function isPoppedBeside({ call }: Reached, pops: readonly Reached[]): boolean {
  return pops.some((pop) => pop.call.fn === call.fn && pop.call.id > call.id && pop.call.fn !== pop.site.fn);
}

function isSameContext(creation: Reached, push: Reached): boolean {
  const written = creation.call.api ? creation.call.api.path('context') : creation.call.result;
  const pushed = push.call.api ? pathOf(push.call.api.arg('context')) : push.call.receiver && pathOf(push.call.receiver);
  const [a, b] = [written && creation.outer(written), pushed && push.outer(pushed)];
  return samePath(a, b);
}
