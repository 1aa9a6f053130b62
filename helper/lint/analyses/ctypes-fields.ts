// Python: structs of ctypes that hold the address of an array and nothing that keeps it alive.
import type { Event, Expr, FunctionFacts, Path } from '../facts/index';
import { childrenOf, expressionsOf, pathOf, stripCasts } from '../facts/paths';
import { valueAt } from '../flow/definitions';

export interface DyingField {
  /** The array, and where its struct goes on without it. */
  readonly name: string;
  readonly at: Event;
}

/** `tensor.shape = ctypes.addressof(dims)` of a struct that outlives the function while `dims` does not. */
export function dyingFields(fn: FunctionFacts): DyingField[] {
  const found = fn.events.flatMap((event) => {
    const struct = event.kind === 'assign' && event.value ? pathOf(event.target) : undefined;
    const array = struct?.kind === 'local' && struct.steps.length === 1 && event.kind === 'assign' ? addressed(event.value!) : undefined;
    const isDying = array && isArray(event, array) && !fn.events.some((each) => keeps(each, array.root));
    const at = isDying ? fn.events.find((each) => each.id > event.id && goesOn(each, struct!.root)) : undefined;
    return at ? [{ name: array!.root, at }] : [];
  });
  return found.filter((each, i) => found.findIndex((other) => other.name === each.name) === i);
}

/** `x` of `ctypes.addressof(x)`, plus an offset or not. */
function addressed(value: Expr): Path | undefined {
  const bare = stripCasts(value);
  if (bare.kind === 'binary' && bare.op === '+') return addressed(bare.left) ?? addressed(bare.right);
  if (bare.kind !== 'call' || bare.callee !== 'ctypes.addressof') return undefined;
  const path = pathOf(bare.args[0]);
  return path?.kind === 'local' && path.steps.length === 0 ? path : undefined;
}

/** Made here: `(ctypes.c_int64 * 3)(...)`, also by way of a name for the type. */
function isArray(at: Event, path: Path): boolean {
  const made = valueAt(at, { kind: 'path', path, span: at.span });
  if (!made || made === 'zero' || made.kind !== 'call') return false;
  if (/^\(?ctypes\.c_\w+\s*\*/.test(made.callee)) return true;
  const type = at.fn.events.find((event) => event.kind === 'assign' && event.declares?.name === made.name);
  return type?.kind === 'assign' && type.value?.kind === 'binary' && type.value.op === '*' && isCType(type.value.left);
}

function isCType(expr: Expr): boolean {
  const path = pathOf(expr);
  return /^\.?c_\w+$/.test(path?.steps.at(-1) ?? path?.root ?? '');
}

/** The array itself goes somewhere; its address, size or length is not the array. */
function keeps(event: Event, name: string): boolean {
  if (event.kind === 'escape') return event.paths.some((path) => path.root === name);
  if (event.kind === 'assign') return event.value !== undefined && isIn(event.value, name);
  return expressionsOf(event).some((root) => isIn(root, name));
}

function isIn(expr: Expr, name: string): boolean {
  if (expr.kind === 'path') return expr.path.root === name && expr.path.steps.length === 0;
  if (expr.kind === 'call' && /^(ctypes\.)?(addressof|sizeof|len|range)$/.test(expr.callee)) return false;
  return childrenOf(expr).some((each) => isIn(each, name));
}

/** The struct is stored, returned or put into a container. */
function goesOn(event: Event, struct: string): boolean {
  if (event.kind === 'return') return event.value !== undefined && isIn(event.value, struct);
  if (event.kind === 'call') return /^(append|add|setdefault|put|insert)$/.test(event.name) && event.args.some((arg) => isIn(arg, struct));
  const target = event.kind === 'assign' && event.value ? pathOf(event.target) : undefined;
  return (
    event.kind === 'assign' &&
    target !== undefined &&
    (target.kind !== 'local' || target.steps.length > 0) &&
    target.root !== struct &&
    isIn(event.value!, struct)
  );
}
