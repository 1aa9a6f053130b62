// Fields that hold raw GPU handles: do all ways through a constructor give them a value, and are they cleared after they were ended?
import type { Call, ClassFacts, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, isWithin, pathOf, walk } from '../facts/paths';
import { dominates, postDominates } from '../flow/order';
import { resolveCallee } from '../flow/program';
import { endedPath, endsGpuObject, reachedCalls, writes } from './releases';

const handleTypes = /^(?:const )?(?:Vk[A-Z]\w+|Vma[A-Z]\w+|cuda\w+_t|CU\w+|hip\w+_t|EGL[A-Z]\w+|GLsync|GLXContext|GLuint|[\w:]+ ?\*+)$/;

/** A raw handle or pointer: nothing gives it a value by itself. */
export function isRawHandle(type: string): boolean {
  return handleTypes.test(type.trim()) && !/^(?:const )?std::/.test(type);
}

export interface EndedField {
  readonly name: string;
  readonly path: Path;
  readonly call: Call;
  /** The event in the function that was asked about. */
  readonly site: Call;
}

/** Fields of the own object that a method ends, itself or through helpers. */
export function endedFields(file: FileFacts, fn: FunctionFacts): EndedField[] {
  const found: EndedField[] = [];
  for (const { call, site, outer } of reachedCalls(file, fn)) {
    const path = endsGpuObject(call) ? outer(endedPath(call)) : undefined;
    const [step, ...rest] = path?.steps ?? [];
    if (path?.kind === 'this' && step && rest.length === 0) found.push({ name: step.slice(1), path, call, site });
  }
  return found;
}

/** Handles in structs that are fields of the own object: `image.view`. */
export function endedParts(file: FileFacts, fn: FunctionFacts): (EndedField & { readonly part: string })[] {
  return [...reachedCalls(file, fn)].flatMap(({ call, site, outer }) => {
    const path = endsGpuObject(call) ? outer(endedPath(call)) : undefined;
    const [name, part, ...rest] = path?.steps ?? [];
    const isPart = path?.kind === 'this' && name?.startsWith('.') && part?.startsWith('.') && rest.length === 0;
    return isPart ? [{ name: name!.slice(1), part: part!.slice(1), path, call, site }] : [];
  });
}

/** The event runs only when a test about something else than the path came out right. */
export function isGuardedByOther(event: Event, path: Path): boolean {
  return event.fn.events.some((test) => {
    if (test.kind !== 'test' || !dominates(test, event) || postDominates(event, test)) return false;
    return ![...walk(test.expr)].some((part) => part.kind === 'path' && isWithin(part.path, path));
  });
}

/** The event gives the path a value, or may: code that nobody sees got it, its address, or the whole object. */
export function mayInitialise(file: FileFacts, event: Event, path: Path, depth = 4): boolean {
  if (writes(event, path)) return true;
  if (event.kind === 'escape') return event.paths.some((each) => isWithin(path, each));
  if (event.kind !== 'call' || event.api) return false;
  const callee = resolveCallee(file, event);
  const isOwn = path.kind === 'this' && (!event.receiver || pathOf(event.receiver)?.kind === 'this');
  if (callee && isOwn && callee.className === event.fn.className && depth > 0) return initialises(file, callee, path, depth - 1);
  if (event.args.some((arg) => [...walk(arg)].some((part) => isPassed(part, path)))) return true;
  return !callee && path.kind === 'this' && event.fn.className !== undefined && !event.receiver && !/::|^[A-Z_0-9]+$/.test(event.callee);
}

function isPassed(part: Expr, path: Path): boolean {
  if (part.kind !== 'path') return false;
  return isWithin(path, part.path) || isWithin(part.path, path);
}

/** `*latch = 1`: without a value nothing gets beyond this. */
function dereferences(event: Event, path: Path): boolean {
  const isInside = (part: Expr) => part.kind === 'path' && part.path.steps.length > path.steps.length && isWithin(part.path, path);
  return expressionsOf(event).some((expr) => [...walk(expr)].some(isInside));
}

/** Every way from the entry to a return gives the path a value. */
export function initialises(file: FileFacts, fn: FunctionFacts, path: Path, depth = 4): boolean {
  if (fn.degraded) return true;
  const seen = new Set([fn.entry]);
  for (const id of seen) {
    if (id === fn.exit) return false;
    const block = fn.blocks[id]!;
    if (block.events.some((event) => mayInitialise(file, event, path, depth) || dereferences(event, path))) continue;
    for (const edge of block.edges) if (edge.kind === 'flow') seen.add(edge.to);
  }
  return true;
}

/** The constructors that a class really has are all in the file. */
export function constructorsOf(each: ClassFacts): { readonly bodies: readonly FunctionFacts[]; readonly complete: boolean } {
  return { bodies: each.methods.filter((fn) => fn.kind === 'constructor'), complete: !each.constructorElsewhere };
}
