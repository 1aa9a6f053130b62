// GL's timeline semaphores: a wait or signal takes the value that was last given to the semaphore.
import type { Call, Event, FileFacts, FunctionFacts } from '../facts/index';
import { lastName, mentions, pathOf, samePath } from '../facts/paths';
import { dominates, inLoop, reachesWithout } from '../flow/order';
import { resolveCallee } from '../flow/program';

export interface StaleOperation {
  readonly at: Call;
  /** The operation that has used up the value, or the place that set it once for all rounds of a loop. */
  readonly before: Call;
  readonly semaphore: string;
}

const setter = /^glSemaphoreParameterui64v$/;
const operation = /^gl(Wait|Signal)Semaphore$/;

/** Operations with the value of the operation before them. */
export function staleOperations(file: FileFacts, fn: FunctionFacts): StaleOperation[] {
  const sets = fn.calls.filter((call) => setter.test(call.api?.name ?? ''));
  if (sets.length === 0) return [];
  const operations = fn.calls.filter((call) => operation.test(call.api?.name ?? ''));
  return operations.flatMap((at): StaleOperation[] => {
    const semaphore = at.api!.path('semaphore');
    const own = sets.filter((set) => samePath(set.api!.path('semaphore'), semaphore));
    if (!semaphore || own.length === 0) return [];
    const renews = (event: Event) => mayGiveValue(file, event, own, semaphore.root);
    const before = operations.find(
      (each) =>
        each !== at &&
        samePath(each.api!.path('semaphore'), semaphore) &&
        own.some((set) => dominates(set, each)) &&
        dominates(each, at) &&
        !alwaysRenewed(each, at, renews),
    );
    const name = lastName(semaphore);
    if (before) return [{ at, before, semaphore: name }];
    const once = own.find((set) => dominates(set, at) && !inLoop(set));
    return once && inLoop(at) && reachesWithout(at, at, renews) && !own.some((set) => inLoop(set)) ? [{ at, before: once, semaphore: name }] : [];
  });
}

function alwaysRenewed(before: Call, at: Call, renews: (event: Event) => boolean): boolean {
  return at.fn.events.some((event) => event.id > before.id && event.id < at.id && renews(event));
}

/** Sets the value, or goes where somebody may: helpers that get the semaphore or that nobody has seen. */
function mayGiveValue(file: FileFacts, event: Event, sets: readonly Call[], root: string): boolean {
  if (event.kind === 'assign') return samePath(pathOf(event.target), { root, kind: 'local', steps: [] });
  if (event.kind !== 'call' || operation.test(event.api?.name ?? '')) return false;
  if (sets.includes(event) || setter.test(event.api?.name ?? '')) return true;
  if (event.api || /^gl[A-Z]/.test(event.name)) return false;
  const callee = resolveCallee(file, event);
  if (callee) return callee.calls.some((call) => setter.test(call.api?.name ?? ''));
  return (
    /sem|value|timeline|param/i.test(event.name) ||
    event.args.some((arg) => mentions(arg, { root, kind: 'local', steps: [] }) && arg.kind !== 'number')
  );
}
