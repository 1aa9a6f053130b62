// Registrations and imports that nobody can end any more: the only name dies with the function, or the class ends all its others.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { childrenOf, declarationOf, samePath } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { endedPath } from './releases';

export interface LostHandle {
  readonly made: Call;
  readonly what: Family['what'];
  /** left: the function leaves. field: the class ends another one like it, and this one nowhere. half: its destructor does no more than unmap or free. */
  readonly kind: 'left' | 'field' | 'half';
  /** What the class does. */
  readonly sibling: Call | undefined;
}

interface Family {
  readonly what: 'registration' | 'import';
  readonly handle: string;
  readonly makes: RegExp;
  ends(file: FileFacts): readonly Call[];
  /** What a destructor does to the thing that is less than its end. */
  half(destructor: FunctionFacts, methods: readonly FunctionFacts[], path: Path): Call | undefined;
}

const families: readonly Family[] = [
  {
    what: 'registration',
    handle: 'resource',
    makes: /^(cu|cuda|hip)Graphics(GL|EGL)Register(Buffer|Image)$/,
    ends: callsTo(/^(cu|cuda|hip)GraphicsUnregisterResource$/),
    half: unmapped,
  },
  {
    what: 'import',
    handle: 'memory',
    makes: /^(cu|cuda|hip)ImportExternalMemory$/,
    ends: callsTo(/^(cu|cuda|hip)DestroyExternalMemory$/),
    half: freed,
  },
  {
    what: 'import',
    handle: 'semaphore',
    makes: /^(cu|cuda|hip)ImportExternalSemaphore$/,
    ends: callsTo(/^(cu|cuda|hip)DestroyExternalSemaphore$/),
    half: () => undefined,
  },
];

export function lostHandles(file: FileFacts): LostHandle[] {
  return families.flatMap((family) => {
    const made = file.subjects.flatMap((fn) => fn.calls.filter((call) => family.makes.test(call.api?.name ?? '') && !fn.degraded));
    if (made.length === 0) return [];
    const left = made.filter((call) => call.fn.name !== 'main' && isLeft(call, family));
    return [...left.map((call) => ({ made: call, what: family.what, kind: 'left' as const, sibling: undefined })), ...lostFields(file, family, made)];
  });
}

const raw =
  /^(?:struct)?(?:(?:cuda|hip)GraphicsResource(?:_t|\*)|CUgraphicsResource|(?:cuda|hip)External(?:Memory|Semaphore)_t|CUexternal(?:Memory|Semaphore))$/;

function isRaw(type: string): boolean {
  return raw.test(type.replace(/\s+/g, ''));
}

/** A plain local variable that nothing else ever holds, and that nothing ends. */
function isLeft(call: Call, { handle }: Family): boolean {
  const path = call.api!.path(handle);
  const declared = path?.kind === 'local' && path.steps.length === 0 ? declarationOf(call.fn, path) : undefined;
  if (!path || !declared || declared.isStatic || !isRaw(declared.type)) return false;
  return !call.fn.events.some((event) => passesOn(event, path));
}

/** What only looks at the handle, or uses it. */
const uses =
  /^(?:(?:cu|cuda|hip)(?:Graphics(?:\w*Register(?:Buffer|Image)|(?:Unm|M)apResources|\w*GetMapped\w+|ResourceSetMapFlags)|(?:Import)?External\w+|ImportExternal\w+|(?:Wait|Signal)External\w+)|memset)$/;

function passesOn(event: Event, path: Path): boolean {
  const has = (expr: Expr | undefined) => expr !== undefined && holds(expr, path);
  switch (event.kind) {
    case 'call':
      return !uses.test(event.api?.name ?? event.name) && [event.receiver, ...event.args, ...event.keywords.values()].some(has);
    case 'assign':
      return has(event.value);
    case 'return':
      return has(event.value);
    case 'escape':
      return event.paths.some(({ root }) => root === path.root);
    default:
      return false;
  }
}

/** Calls inside are events of their own: `check(map(1, &resource))` is given a status. */
function holds(expr: Expr, path: Path): boolean {
  if (expr.kind === 'path') return expr.path.root === path.root && samePath(expr.path, path);
  return expr.kind !== 'call' && childrenOf(expr).some((each) => holds(each, path));
}

/** Fields of a class whose clean-up is in sight: it ends another of the same kind, or does half of it, and nothing in the file ends these. */
function lostFields(file: FileFacts, family: Family, made: readonly Call[]): LostHandle[] {
  const ends = family.ends(file);
  return made.flatMap((call) => {
    const { fn } = call;
    const name = fieldOf(call, family.handle);
    if (name === undefined) return [];
    // A class ends its own; which one a helper, a loop or a stranger ends nobody can tell.
    const isOther = ({ fn: { className } }: Call) => className !== undefined && className !== fn.className;
    const own = ends.filter((end) => !isOther(end) || fieldOf(end, family.handle) === undefined);
    const ended = own.map((end) => (isOther(end) ? undefined : fieldOf(end, family.handle)));
    if (ended.includes(undefined) || ended.includes(name) || isOfStrangers(file, fn, name)) return [];
    const methods = file.functions.filter(({ className }) => className === fn.className);
    const destructor = methods.find(({ kind }) => kind === 'destructor');
    const half = destructor && family.half(destructor, methods, call.api!.path(family.handle)!);
    const sibling = own[0] ?? half;
    if (!sibling || methods.some((each) => mayEnd(file, each, call.api!.path(family.handle)!))) return [];
    return [{ made: call, what: family.what, kind: half ? ('half' as const) : ('field' as const), sibling }];
  });
}

/** `this.field`, or what looks like a global in a method of a class that another file declares. */
function fieldOf({ fn, api }: Call, handle: string): string | undefined {
  const path = api!.path(handle);
  if (fn.className === undefined || !path) return undefined;
  if (path.kind === 'global') return path.steps.length === 0 ? path.root : undefined;
  return path.kind === 'this' && path.steps.length === 1 && path.steps[0]!.startsWith('.') ? path.steps[0]!.slice(1) : undefined;
}

/** The clean-up may be in another file, or the field is none of a plain handle. */
function isOfStrangers(file: FileFacts, { className }: FunctionFacts, name: string): boolean {
  const own = file.classNamed(className!);
  if (!own) return !file.functions.some((fn) => fn.className === className && fn.kind === 'destructor');
  const field = own.fields.find((each) => each.name === name);
  return own.destructorElsewhere || !field || !isRaw(field.type);
}

const cleanUp = /free|release|destroy|reset|clean|unreg|shut|close|dispose|deinit/i;

function mayEnd(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  if (fn.degraded || fn.events.some((event) => passesOn(event, path))) return true;
  return fn.calls.some((call) => !call.api && cleanUp.test(call.name) && file.functionsNamed(call.name).length === 0);
}

/** The destructor unmaps what it should unregister. */
function unmapped(destructor: FunctionFacts, _: readonly FunctionFacts[], resource: Path): Call | undefined {
  return destructor.calls.find((call) => /GraphicsUnmapResources$/.test(call.api?.name ?? '') && samePath(call.api!.path('resource'), resource));
}

/** The destructor frees the pointer that was mapped from the import. */
function freed(destructor: FunctionFacts, methods: readonly FunctionFacts[], memory: Path): Call | undefined {
  const mapped = methods.flatMap(({ calls }) =>
    calls.flatMap((call) => {
      const isMapping = /ExternalMemoryGetMapped/.test(call.api?.name ?? '') && samePath(call.api!.path('memory'), memory);
      return isMapping ? (call.api!.path('ptr') ?? call.api!.path('chain') ?? []) : [];
    }),
  );
  return destructor.calls.find((call) => call.api?.does('free') && mapped.some((path) => samePath(endedPath(call), path)));
}
