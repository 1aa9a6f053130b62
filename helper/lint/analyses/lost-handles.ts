// Registrations and imports that nobody can end any more: the only name dies with the function, or the class ends all its others.
import type { Call, ClassFacts, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { childrenOf, declarationOf, pathOf, samePath } from '../facts/paths';
import { callsTo } from '../flow/calls';

export interface LostHandle {
  readonly made: Call;
  readonly what: Family['what'];
  /** left: the function leaves. field: the class ends another one like it, and this one nowhere. */
  readonly kind: 'left' | 'field';
  /** What the class does end. */
  readonly sibling: Call | undefined;
}

interface Family {
  readonly what: 'registration' | 'import';
  readonly handle: string;
  makes(file: FileFacts): readonly Call[];
  ends(file: FileFacts): readonly Call[];
}

const families: readonly Family[] = [
  {
    what: 'registration',
    handle: 'resource',
    makes: callsTo(/^(cu|cuda|hip)Graphics(GL|EGL)Register(Buffer|Image)$/),
    ends: callsTo(/^(cu|cuda|hip)GraphicsUnregisterResource$/),
  },
  {
    what: 'import',
    handle: 'memory',
    makes: callsTo(/^(cu|cuda|hip)ImportExternalMemory$/),
    ends: callsTo(/^(cu|cuda|hip)DestroyExternalMemory$/),
  },
  {
    what: 'import',
    handle: 'semaphore',
    makes: callsTo(/^(cu|cuda|hip)ImportExternalSemaphore$/),
    ends: callsTo(/^(cu|cuda|hip)DestroyExternalSemaphore$/),
  },
];

export function lostHandles(file: FileFacts): LostHandle[] {
  return families.flatMap((family) => {
    const made = family.makes(file);
    if (made.length === 0) return [];
    const left = made.filter(({ fn }) => file.subjects.includes(fn) && !fn.degraded && fn.name !== 'main').filter((call) => isLeft(call, family));
    return [
      ...left.map((call) => ({ made: call, what: family.what, kind: 'left' as const, sibling: undefined })),
      ...file.subjectClasses.flatMap((each) => lostFields(file, each, family, made)),
    ];
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

/** Fields of a class whose clean-up is in sight: it ends another of the same kind, and nothing in the file ends these. */
function lostFields(file: FileFacts, each: ClassFacts, family: Family, made: readonly Call[]): LostHandle[] {
  const own = made.filter(({ fn }) => fn.className === each.name && !fn.degraded);
  if (own.length < 2 || each.destructorElsewhere || each.bases.length > 0) return [];
  const ends = family.ends(file);
  const ended = ends.map((end) => (end.fn.className === each.name ? fieldOf(end.api!.path(family.handle)) : undefined));
  // Which one a helper, a loop or a stranger ends nobody can tell.
  if (ends.length === 0 || ended.includes(undefined)) return [];
  return own.flatMap((call) => {
    const name = fieldOf(call.api!.path(family.handle));
    const field = each.fields.find((one) => one.name === name);
    if (!field || !isRaw(field.type) || ended.includes(name) || isHandedOn(each, call)) return [];
    return [{ made: call, what: family.what, kind: 'field' as const, sibling: ends[0] }];
  });
}

/** `this.field` without anything behind it. */
function fieldOf(path: Path | undefined): string | undefined {
  return path?.kind === 'this' && path.steps.length === 1 && path.steps[0]!.startsWith('.') ? path.steps[0]!.slice(1) : undefined;
}

function isHandedOn(each: ClassFacts, call: Call): boolean {
  const path = pathOf(call.args.find((arg) => pathOf(arg)?.kind === 'this'));
  return path === undefined || each.methods.some((fn: FunctionFacts) => fn.degraded || fn.events.some((event) => passesOn(event, path)));
}
