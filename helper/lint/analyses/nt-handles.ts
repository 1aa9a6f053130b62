// Win32 NT handles: who imports them, where they come from, and whether anybody can close them. No import adopts an NT handle.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { addressOf, lastName, pathOf, samePath, stripCasts, symbolOf, walk } from '../facts/paths';
import { fieldAt, valueAt } from '../flow/definitions';
import { callersOf, callsMeaning, resolveCallee } from '../flow/program';
import { handleType } from '../knowledge/index';
import { fileQuery } from '../memo/query';
import { functionTable, holdsForAny } from '../memo/table';
import { givenToCloser, isClosedAtEnd } from './closing-objects';

export interface NtLeak {
  readonly imported: Call;
  /** The export that makes the handle; undefined for a handle that was passed in. */
  readonly exported: Call | undefined;
  /** It rests on what the whole file shows of a struct. */
  readonly isGuess?: boolean;
}

export function ntLeaks(file: FileFacts): NtLeak[] {
  return file.subjects.flatMap((fn) => (fn.degraded ? [] : fn.calls.flatMap((call) => leakOf(file, call) ?? [])));
}

function leakOf(file: FileFacts, call: Call): NtLeak | undefined {
  const handle = importedHandle(call);
  if (!handle) return undefined;
  const value = valueAt(call, stripCasts(handle));
  if (!value || value === 'zero') return undefined;
  const bare = stripCasts(value);
  const path = pathOf(stripCasts(handle));
  // vulkan.hpp returns the handle.
  if (bare.kind === 'call' && bare.api?.does('export') && path?.kind === 'local') return fromExport(file, call, path);
  if (bare.kind === 'call') return fromHelper(file, call, bare);
  if (!path) return undefined;
  if (path.kind === 'local') return fromExport(file, call, path);
  if (path.kind === 'this') return fromField(file, call, path);
  if (path.kind === 'param' && path.steps.length > 0) return fromStruct(file, call, path);
  return path.kind === 'param' && path.steps.length === 0 ? (fromOwner(file, call, path) ?? fromCallers(file, call, path)) : undefined;
}

/** The handle that an import takes, when its type is surely an NT handle. */
function importedHandle(call: Call): Expr | undefined {
  const { api } = call;
  if (!api?.does('import')) return undefined;
  if (/^gl\w+Win32Handle$/.test(api.name)) return isNt(api.arg('handleType')) ? api.arg('handle') : undefined;
  const fields = structFields[api.name.replace(/^(cuda|cu|hip)Import/, 'Import')];
  if (!fields) return undefined;
  const types = fieldAt(call, api.arg(fields.param), fields.type).values;
  const handles = fieldAt(call, api.arg(fields.param), fields.handle).values;
  if (types.length === 0 || !types.every(({ value }) => value !== 'zero' && isNt(value))) return undefined;
  const only = handles.length === 1 ? handles[0]!.value : undefined;
  return only === 'zero' ? undefined : only;
}

interface Fields {
  readonly param: string;
  readonly type: string;
  readonly handle: string;
}

const cuda: Fields = { param: 'desc', type: 'type', handle: 'handle.win32.handle' };
const structFields: Readonly<Record<string, Fields | undefined>> = {
  ImportExternalMemory: cuda,
  ImportExternalSemaphore: cuda,
  vkImportSemaphoreWin32Handle: { param: 'info', type: 'handleType', handle: 'handle' },
};

function isNt(expr: Expr | undefined): boolean {
  const bare = expr && stripCasts(expr);
  if (bare?.kind === 'conditional') return isNt(bare.yes) && isNt(bare.no);
  const written = bare?.kind === 'path' ? bare.path.root + bare.path.steps.join('') : symbolOf(expr);
  const form = written === undefined ? undefined : handleType(written)?.form;
  // What Direct3D shares with CreateSharedHandle is an NT handle, too.
  return form === 'nt' || form === 'd3d';
}

// Where the handle comes from

/** Exported into a local variable that nobody else gets. */
function fromExport(file: FileFacts, imported: Call, path: Path): NtLeak | undefined {
  const exported = imported.fn.calls.findLast((call) => call.id < imported.id && isExportTo(call, path));
  if (isClosedAtEnd(file, imported.fn, path)) return undefined;
  return exported && !imported.fn.events.some((event) => !isAround(event, exported) && mayClose(file, event, path))
    ? { imported, exported }
    : undefined;
}

/** The call itself, or a check around it: `FAILED(device->CreateSharedHandle(...))`. */
function isAround(event: Event, call: Call): boolean {
  return event === call || (event.kind === 'call' && walk(event).includes(call));
}

function isExportTo(call: Call, path: Path): boolean {
  const { api } = call;
  if (isSharing(call)) return samePath(addressOf(call.args.at(-1)), path);
  return api?.does('export') === true && isNtExport(call) && samePath(api.path('handle'), path);
}

/** `device->CreateSharedHandle(resource, attributes, access, name, &handle)` of Direct3D, without the resource where it is the receiver. */
function isSharing(call: Call): boolean {
  return call.name === 'CreateSharedHandle' && call.receiver !== undefined && (call.args.length === 4 || call.args.length === 5);
}

/** Not a KMT handle, which is no handle of the process. */
function isNtExport(call: Call): boolean {
  const types = fieldAt(call, call.api!.arg('info'), 'handleType').values;
  return /Win32Handle$/.test(call.api!.name) && types.every(({ value }) => value !== 'zero' && isNt(value));
}

/** Exported into a field that no function of the file ever closes. */
function fromField(file: FileFacts, imported: Call, path: Path): NtLeak | undefined {
  const owner = file.classNamed(imported.fn.className ?? '');
  if (!owner || owner.destructorElsewhere) return undefined;
  const exported = owner.methods.flatMap((method) => method.calls).find((call) => isExportTo(call, path));
  return exported && closing.of(file, lastName(path)).length === 0 ? { imported, exported } : undefined;
}

/** The same for a struct that functions of the file share, one of which ends the import. */
function fromStruct(file: FileFacts, imported: Call, path: Path): NtLeak | undefined {
  const name = lastName(path);
  const exported = exporting.of(file, name).find((call) => isExportToField(call, name));
  if (!exported || mentionsClosing(file) || closing.of(file, name).length > 0 || !ending(file)) return undefined;
  return { imported, exported, isGuess: true };
}

function isExportToField(call: Call, name: string): boolean {
  const path = isSharing(call) ? addressOf(call.args.at(-1)) : call.api?.path('handle');
  return path !== undefined && lastName(path) === name && isExportTo(call, path);
}

const exporting = functionTable<string, Call>((_, fn) =>
  fn.calls.flatMap((call): [string, Call][] => {
    const path = isSharing(call) ? addressOf(call.args.at(-1)) : call.api?.does('export') ? call.api.path('handle') : undefined;
    return path ? [[lastName(path), call]] : [];
  }),
);

const ending = holdsForAny((_, fn) => fn.calls.some((call) => /^(cu|cuda|hip)DestroyExternal(Memory|Semaphore)$/.test(call.api?.name ?? '')));

/** Calls that close something, or may, by the last names of the members that they are given. */
const closing = functionTable<string, Call>((_, fn) =>
  fn.calls.flatMap((call) =>
    (!call.api && !isSharing(call)) || call.api?.does('close') ? membersGiven(call).map((name) => [name, call] as const) : [],
  ),
);

function membersGiven(call: Call): string[] {
  const parts = [call.receiver, ...call.args].flatMap((arg) => (arg && !(arg.kind === 'call' && isSharing(arg)) ? [...walk(arg)] : []));
  return parts.flatMap((part) => (part.kind === 'path' && part.path.steps.length > 0 ? [lastName(part.path)] : []));
}

/** Made by a helper of the file, used in place. */
function fromHelper(file: FileFacts, imported: Call, call: Call): NtLeak | undefined {
  const exported = helperExport(file, call);
  if (!exported || mentionsClosing(file)) return undefined;
  return call.result && imported.fn.events.some((event) => mayClose(file, event, call.result!)) ? undefined : { imported, exported };
}

function helperExport(file: FileFacts, call: Call): Call | undefined {
  const callee = resolveCallee(file, call);
  const exported = callee?.calls.find((each) => each.api?.does('export') && /Win32Handle$/.test(each.api.name));
  return exported && isReturned(callee!, exported) ? exported : undefined;
}

function isReturned(fn: FunctionFacts, exported: Call): boolean {
  const path = exported.api!.path('handle');
  return fn.events.some((event) => event.kind === 'return' && path !== undefined && samePath(pathOf(event.value), path));
}

/** Passed to a class that keeps the import for itself, in a file where nobody closes any handle. */
function fromOwner(file: FileFacts, imported: Call, path: Path): NtLeak | undefined {
  const { fn } = imported;
  const isKept = (imported.api!.path('memory') ?? imported.api!.path('semaphore'))?.kind === 'this';
  const isCalled = callersOf(file, fn).length > 0;
  if (!fn.className || !isKept || isCalled || mentionsClosing(file)) return undefined;
  return fn.events.some((event) => mayClose(file, event, path)) ? undefined : { imported, exported: undefined };
}

/** Passed by functions of the file that export it for this, none of which closes it. */
function fromCallers(file: FileFacts, imported: Call, path: Path): NtLeak | undefined {
  const { fn } = imported;
  const position = fn.params.findIndex((param) => param.name === path.root);
  if (position < 0 || mentionsClosing(file) || fn.events.some((event) => mayClose(file, event, path))) return undefined;
  const exports = callsMeaning(file, fn).map((call) => exportBehind(file, call, call.args[position]));
  const exported = exports.every((each) => each !== undefined) ? exports[0] : undefined;
  return exported && { imported, exported, isGuess: true };
}

/** The export that made an argument: into a local that goes nowhere else, or in a helper. */
function exportBehind(file: FileFacts, call: Call, arg: Expr | undefined): Call | undefined {
  const value = arg && valueAt(call, stripCasts(arg));
  const made = value && value !== 'zero' ? stripCasts(value) : undefined;
  const path = arg && pathOf(stripCasts(arg));
  if (path && (path.kind !== 'local' || isClosedAtEnd(file, call.fn, path))) return undefined;
  if (path && call.fn.events.some((event) => !isAround(event, call) && !isMaker(event, path) && mayClose(file, event, path))) return undefined;
  if (made?.kind === 'call') return made.api?.does('export') ? made : helperExport(file, made);
  return path && call.fn.calls.findLast((each) => each.id < call.id && isExportTo(each, path));
}

/** The export into the path, or a check around it. */
function isMaker(event: Event, path: Path): boolean {
  return event.kind === 'call' && walk(event).some((part) => part.kind === 'call' && isExportTo(part, path));
}

const mentionsClosing = fileQuery((file) =>
  file.hasToken('word', /^(CloseHandle|DuplicateHandle|wil)$|close_?handle|(unique|scoped|auto|safe)_?handle/i),
);

/** Somebody may close the handle or keep it: a close, unknown code, a field, the caller, a captured variable. */
function mayClose(file: FileFacts, event: Event, path: Path): boolean {
  const has = (expr: Expr | undefined) => expr !== undefined && [...walk(expr)].some((part) => part.kind === 'path' && part.path.root === path.root);
  switch (event.kind) {
    case 'call':
      if (event.api && !event.api.does('close') && !event.api.does('dup')) return false;
      return [event.receiver, ...event.args].some((arg) => has(arg) || (arg !== undefined && addressOf(arg)?.root === path.root));
    case 'assign':
      if (givenToCloser(event, file).some((each) => each.root === path.root)) return true;
      return event.target.kind === 'path' && event.target.path.kind !== 'local' && has(event.value) && event.value?.kind !== 'call';
    case 'return':
      return has(event.value) && event.value?.kind !== 'call' && event.value?.kind !== 'binary';
    case 'escape':
      return event.paths.some((each) => each.root === path.root);
    default:
      return false;
  }
}
