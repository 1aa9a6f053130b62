// GL objects that are deleted while CUDA still has them registered.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { isWithin, lastName, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { fileQuery } from '../memo/query';
import { type Reached, reachedCalls } from './releases';

export interface DeletedRegistered {
  readonly at: Call;
  readonly deleted: Call;
  readonly registered: Call;
  /** never: nothing in the file unregisters it. late: the unregistration comes behind. */
  readonly kind: 'never' | 'late';
}

const registrations = callsTo(/^(cu|cuda|hip)GraphicsGLRegister(Buffer|Image)$/);
const unregistrations = callsTo(/^(cu|cuda|hip)GraphicsUnregisterResource$/);
/** They end all registrations of the context. */
const resets = callsTo(/^((cuda|hip)DeviceReset|cuCtxDestroy|cuDevicePrimaryCtxReset)$/);
const glDeletes = /^glDelete(Buffers|Textures|Renderbuffers)$/;

export function deletedWhileRegistered(file: FileFacts, fn: FunctionFacts): DeletedRegistered[] {
  const all = registrations(file);
  if (all.length === 0) return [];
  const reached = [...reachedCalls(file, fn)];
  return fn.calls.flatMap((call): DeletedRegistered[] => {
    const deleted = glDeletes.test(call.api?.name ?? '') ? deletedPath(call) : undefined;
    const registered = deleted && all.find((each) => isSame(each, glObject(each), call, deleted));
    const resource = registered?.api?.path('resource');
    if (!registered || !resource || resource.kind === 'captured') return [];
    const kind = kindOf(file, { reached, call, registered, resource });
    return kind ? [{ at: call, deleted: call, registered, kind }] : [];
  });
}

interface Deletion {
  readonly reached: readonly Reached[];
  readonly call: Call;
  readonly registered: Call;
  readonly resource: Path;
}

function kindOf(file: FileFacts, { reached, call, registered, resource }: Deletion): DeletedRegistered['kind'] | undefined {
  if (reached.some((each) => each.site.id < call.id && mayUnregister(file, each.call, resource))) return undefined;
  if (reached.some((each) => each.site.id > call.id && unregisters(each, resource))) return 'late';
  return isNeverUnregistered(file, registered, resource, call) ? 'never' : undefined;
}

function glObject({ api }: Call): Path | undefined {
  return api!.path('buffer') ?? api!.path('image');
}

/** `glDeleteBuffers(1, &x)`: more than one, or an element that nobody can tell, is none. */
function deletedPath({ api }: Call): Path | undefined {
  const count = api!.arg('count');
  const path = api!.path('buffer') ?? api!.path('texture') ?? api!.path('renderbuffer');
  return count?.kind === 'number' && count.value === 1 && path && isPlain(path) ? path : undefined;
}

function isPlain(path: Path): boolean {
  return path.steps.every((step) => /^\.|^\[\d+\]$/.test(step));
}

/** One variable of one function, one field of one class, or one global. */
function isSame(a: Call, first: Path | undefined, b: Call, second: Path | undefined): boolean {
  if (!first || !second || !isPlain(first) || first.kind !== second.kind || !samePath(first, second)) return false;
  if (first.kind === 'global') return true;
  return first.kind === 'this' ? a.fn.className !== undefined && a.fn.className === b.fn.className : a.fn === b.fn;
}

function unregisters({ call, outer }: Reached, resource: Path): boolean {
  if (!/GraphicsUnregisterResource$/.test(call.api?.name ?? '')) return false;
  return samePath(outer(call.api!.path('resource')), resource);
}

/** An unregistration of whatever, or an unknown function by whose name it may be one. */
function mayUnregister(file: FileFacts, call: Call, resource: Path): boolean {
  if (call.api) return /GraphicsUnregisterResource$|DeviceReset$|CtxDestroy$/.test(call.api.name);
  if (has(call, resource)) return true;
  return file.functionsNamed(call.name).length === 0 && /unreg|release|reset|clean|destroy|free|dispose|interop|detach/i.test(call.name);
}

function has(call: Call, resource: Path): boolean {
  return [call.receiver, ...call.args].some((arg) => arg && [...walk(arg)].some((part) => part.kind === 'path' && isWithin(part.path, resource)));
}

/** The resource stays in this file, and no call of it ends a registration that could be this one. */
function isNeverUnregistered(file: FileFacts, registered: Call, resource: Path, deleted: Call): boolean {
  if (resets(file).length > 0) return false;
  if (unregistrations(file).some((call) => !isOther(file, call, resource))) return false;
  if (resource.kind === 'this' && !isShown(file, deleted.fn)) return false;
  if (resource.kind === 'local' || resource.kind === 'param') return false;
  return !namesHandedOut(file).has(lastName(resource)) && registered.fn !== deleted.fn;
}

/** It certainly names another resource: a field or a global of its own, or a local that its function registers. */
function isOther(file: FileFacts, call: Call, resource: Path): boolean {
  const path = call.api!.path('resource');
  if (path?.kind === 'local') return registrations(file).some((each) => each.fn === call.fn && samePath(each.api!.path('resource'), path));
  return path !== undefined && isPlain(path) && /^(this|global)$/.test(path.kind) && lastName(path) !== lastName(resource);
}

function isShown(file: FileFacts, { className }: FunctionFacts): boolean {
  const owner = file.classNamed(className ?? '');
  return owner !== undefined && owner.bases.length === 0 && !owner.destructorElsewhere && !owner.constructorElsewhere;
}

/** Names of what unknown functions are given, or that is copied elsewhere: somebody else may unregister it. */
const namesHandedOut = fileQuery((file): ReadonlySet<string> => {
  const found = new Set<string>();
  const add = (expr: Expr | undefined) => {
    for (const part of expr ? walk(expr) : []) if (part.kind === 'path') found.add(lastName(part.path));
  };
  for (const fn of file.functions) {
    for (const event of fn.events) {
      if (event.kind === 'call' && !event.api && !event.launch) for (const arg of event.args) add(arg);
      if (event.kind === 'return') add(event.value);
      if (event.kind === 'assign' && event.value && pathOf(stripCasts(event.value))) add(event.value);
    }
  }
  return found;
});
