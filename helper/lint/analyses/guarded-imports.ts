// Descriptors that an import adopts while an object goes on owning them and closes them at its end.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { mentions, pathOf, stripCasts, symbolOf, walk } from '../facts/paths';
import { type Definitions, fieldAt } from '../flow/definitions';
import { adopted, bareType, fdImports, handleType } from '../knowledge/index';
import { sourceOf } from './borrowed-fds';

export interface GuardedImport {
  readonly importer: Call;
  /** The descriptor as the import is given it: `guard.get()`. */
  readonly given: Expr;
  readonly owner: Path;
}

export function guardedImports(file: FileFacts, fn: FunctionFacts): GuardedImport[] {
  if (fn.degraded) return [];
  return fn.calls.flatMap((importer): GuardedImport[] => {
    const shape = importer.api && fdImports[importer.api.name];
    if (!shape || shape.list || !adopts(importer)) return [];
    return givenTo(importer).flatMap((given) => {
      const source = sourceOf(file, fn, stripCasts(given));
      // A field of the own object is no other owner.
      const owns = source !== undefined && (source.isLocal || (source.owner.kind === 'this' && source.owner.steps.length > 0));
      return owns && !letsGo(fn, source.owner) ? [{ importer, given, owner: source.owner }] : [];
    });
  });
}

/** The expressions that the descriptor is, where all of them are seen. */
function givenTo(importer: Call): Expr[] {
  const { fd } = fdImports[importer.api!.name]!;
  if (!fd.field) return importer.api!.arg(fd.param) ? [importer.api!.arg(fd.param)!] : [];
  const found = fd.chained ? inChain(importer, fd.chained, fd.field) : fieldAt(importer, unwrap(importer.api!.arg(fd.param)), fd.field);
  return found?.values.flatMap(({ value }) => (value === 'zero' ? [] : [value])) ?? [];
}

/** A local of the type that is chained: the only one in the function. */
function inChain({ fn, ...rest }: Call, type: string, field: string): Definitions | undefined {
  const wanted = type.replace(/KHR$/, '');
  const locals = fn.locals.filter((local) => bareType(local.type).replace(/^vk::/, 'Vk').replace(/KHR$/, '') === wanted);
  const [only] = locals;
  if (!only || locals.length !== 1) return undefined;
  return fieldAt({ fn, ...rest }, { kind: 'path', path: { root: only.name, kind: 'local', steps: [] }, span: rest.span }, field);
}

function adopts(importer: Call): boolean {
  const { type, fd } = fdImports[importer.api!.name]!;
  if (!type.field) return isAdopted(importer.api!.arg(type.param));
  const found = fd.chained ? inChain(importer, fd.chained, type.field) : fieldAt(importer, unwrap(importer.api!.arg(type.param)), type.field);
  return found !== undefined && found.values.length > 0 && found.values.every(({ value }) => value !== 'zero' && isAdopted(value));
}

function isAdopted(expr: Expr | undefined): boolean {
  const bare = expr && stripCasts(expr);
  const written = bare?.kind === 'path' ? bare.path.root + bare.path.steps.join('') : symbolOf(expr);
  const type = written === undefined ? undefined : handleType(written);
  return type !== undefined && adopted(type) === true;
}

function unwrap(expr: Expr | undefined): Expr | undefined {
  const bare = expr && stripCasts(expr);
  return bare?.kind === 'unary' && bare.op === '&' ? unwrap(bare.operand) : bare;
}

/** `release()`, a move, a reset: somewhere in the function the owner gives the descriptor up. */
function letsGo(fn: FunctionFacts, owner: Path): boolean {
  return fn.events.some((event) => {
    if (event.kind === 'escape') return event.paths.some((path) => path.root === owner.root);
    if (event.kind === 'assign') return event.declares === undefined && pathOf(event.target)?.root === owner.root && owner.kind === 'local';
    if (event.kind !== 'call') return false;
    const isOwner = mentions(event.receiver, owner);
    if (isOwner) return !/^(get|fd|raw|value|native|native_handle|get_fd|getFd|as_raw_fd|handle|ok|is_valid|valid|empty)$/.test(event.name);
    return event.args.some((arg) => isWhole(arg, owner));
  });
}

/** The owner itself goes somewhere. */
function isWhole(arg: Expr, owner: Path): boolean {
  return [...walk(arg)].some(
    (part) => part.kind === 'path' && part.path.root === owner.root && part.path.steps.length <= owner.steps.length && !isRead(arg, part),
  );
}

/** Only something of it is read: `guard.get()`. */
function isRead(arg: Expr, part: Expr): boolean {
  return [...walk(arg)].some((each) => each.kind === 'call' && each.receiver === part);
}
