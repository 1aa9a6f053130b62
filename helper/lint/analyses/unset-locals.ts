// Handles in local variables and fresh structs that an error path ends before they have a value.
import type { Assign, Call, Event, FileFacts, FunctionFacts, Path, Test, Variable } from '../facts/index';
import { pathOf, pathText, samePath, stripCasts, walk } from '../facts/paths';
import { dominates, eventsAfter, inLoop, postDominates, reachesWithout } from '../flow/order';
import { bareType } from '../knowledge/index';
import { eventsOnSide, testedCall } from './failure-sides';
import { isGuardedByOther, isRawHandle, mayInitialise } from './handle-fields';
import { endedPath, endsGpuObject } from './releases';

export interface UnsetEnd {
  /** The declaration of a variable, or the end of a field of a struct that somebody else declares. */
  readonly at: Variable | Call;
  readonly name: string;
  readonly end: Call;
  readonly declared: Variable | undefined;
  readonly isPreview: boolean;
}

export function unsetEnds(file: FileFacts, fn: FunctionFacts): UnsetEnd[] {
  const ends = fn.calls.filter((call) => call.api && endsGpuObject(call));
  if (ends.length === 0) return [];
  return fn.events.flatMap((event): UnsetEnd[] => {
    if (event.kind !== 'assign') return [];
    const own = ofVariable(file, event, ends);
    return own ? [own] : isFreshStruct(file, event) ? ofStruct(file, event, ends) : [];
  });
}

function ofVariable(file: FileFacts, event: Assign, ends: readonly Call[]): UnsetEnd | undefined {
  const { declares: declared } = event;
  if (!declared || event.value || declared.isStatic || !isRawHandle(declared.type)) return undefined;
  const path = pathOf(event.target)!;
  const isSet = settingOf(file, event, path, ends);
  const same = ends.filter((call) => samePath(endedPath(call), path));
  const own = same.filter((call) => skipsByFailure(event, call, isSet));
  const sure = own.find((call) => !isGuardedByOther(call, path));
  const end = sure ?? own.find((call) => !isGuarded(call)) ?? same.find((call) => !isGuarded(call) && skipsByChoice(event, call, isSet));
  return end && { at: declared, name: declared.name, end, declared, isPreview: !sure };
}

function settingOf(file: FileFacts, start: Event, path: Path, ends: readonly Call[]): (event: Event) => boolean {
  return (event) => event !== start && mayInitialise(file, event, path) && !(event.kind === 'call' && ends.includes(event));
}

const allocators = /^(\w+_)?(malloc|realloc|alloca|aligned_alloc)$/;

/** `c = malloc(sizeof *c)`, `Plane plane;` of a struct of the file that sets nothing by itself. */
function isFreshStruct(file: FileFacts, { declares, value, target }: Assign): boolean {
  if (value) {
    const bare = stripCasts(value);
    return bare.kind === 'call' && allocators.test(bare.name) && pathOf(target)?.kind === 'local';
  }
  const own = declares && !declares.isStatic && !/[*&\]]$/.test(declares.type) ? file.classNamed(bareType(declares.type)) : undefined;
  const isPlain = own && own.bases.length === 0 && !own.constructorElsewhere && !own.methods.some((method) => method.kind === 'constructor');
  return isPlain === true && own.fields.every((field) => !field.init);
}

/** Fields that are ended although nothing has written them since the struct began. */
function ofStruct(file: FileFacts, start: Assign, ends: readonly Call[]): UnsetEnd[] {
  const base = pathOf(start.target);
  if (!base || base.steps.length > 0) return [];
  const own = ends.filter((call) => {
    const path = endedPath(call);
    return path?.root === base.root && path.kind === base.kind && path.steps.length === 1 && path.steps[0]!.startsWith('.') && !isGuarded(call);
  });
  const unset = own.filter((call) => skipsByFailure(start, call, settingOf(file, start, endedPath(call)!, ends)));
  return unset.map((end) => ({ at: end, name: pathText(endedPath(end)!), end, declared: undefined, isPreview: true }));
}

/** The end depends on something else than on how the calls before it went. */
function isGuarded(end: Call): boolean {
  return end.fn.events.some((event) => event.kind === 'test' && dominates(event, end) && !postDominates(end, event) && !asksForStatus(event));
}

function asksForStatus(test: Test): boolean {
  const call = testedCall(test);
  return call !== undefined && (call.api ? call.api.api.result !== 'void' : call.use !== 'ignored' && allocators.test(call.name));
}

/** A jump after the failure of something else leads from the declaration past every assignment to the end. */
function skipsByFailure(declaration: Event, end: Call, isSet: (event: Event) => boolean): boolean {
  const sets = declaration.fn.events.filter(isSet);
  if (sets.length === 0 || sets.some((each) => inLoop(each))) return false;
  return [...eventsAfter(declaration, { blocked: isSet })].some(
    (event) =>
      event.kind === 'test' &&
      !isSet(event) &&
      walk(event.expr).some((part) => part.kind === 'success' || (part.kind === 'call' && part.api !== undefined) || isStatus(part)) &&
      reachesWithout(event, end, isSet),
  );
}

/** Nothing sets it at all, or only `if (wanted) create(&it);` without `else`, and the end asks nothing. */
function skipsByChoice(declaration: Event, end: Call, isSet: (event: Event) => boolean): boolean {
  const { events } = declaration.fn;
  const [only, ...more] = events.filter(isSet);
  if (!only) return reachesWithout(declaration, end, () => false);
  if (more.length > 0 || inLoop(only) || !reachesWithout(declaration, end, isSet)) return false;
  return events.some((test) => test.kind === 'test' && dominates(test, only) && [true, false].some((side) => goesOn(test, side, only, end)));
}

/** One side of a test does nothing of its own before the end. */
function goesOn(test: Test, side: boolean, set: Event, end: Call): boolean {
  const following = [...eventsOnSide(test, side, (event) => event === end)];
  return following.includes(end) && !following.includes(set) && postDominates(following[0]!, test);
}

function isStatus(part: { kind: string; path?: Path }): boolean {
  return part.kind === 'path' && /SUCCESS|^cudaSuccess$|^hipSuccess$/.test(part.path!.root);
}
