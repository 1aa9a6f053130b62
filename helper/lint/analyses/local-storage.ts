// C and C++: memory that dies with the function.
import type { Call, Event, Expr, FunctionFacts, Path, Variable } from '../facts/index';
import { declarationOf, expressionsOf, pathOf, stripCasts, walk } from '../facts/paths';

const owners =
  /^(const )?(std::(vector|array|string|unique_ptr|valarray)<.*>|std::(vector|array)|(c10::)?SmallVector<.*>|(at|torch)::Tensor|Tensor|(py|nb)::(array\w*|buffer\w*|bytes)(<.*>)?|thrust::(device|host)_vector<.*>|absl::(InlinedVector|FixedArray)<.*>)$/;

export interface LocalMemory {
  readonly variable: Variable;
  readonly kind: 'array' | 'object' | 'variable';
}

/** The local whose memory an expression points to: an array, `&x`, or `x.data()` of a container that lives here. */
export function localMemory(fn: FunctionFacts, expr: Expr): LocalMemory | undefined {
  const bare = stripCasts(expr);
  const named = (path: Path | undefined) => (path?.kind === 'local' ? declarationOf(fn, path) : undefined);
  if (bare.kind === 'path') {
    const variable = bare.path.steps.length === 0 ? named(bare.path) : undefined;
    return variable && /\[\]$/.test(variable.type) ? { variable, kind: 'array' } : undefined;
  }
  if (bare.kind === 'unary' && bare.op === '&') {
    const path = pathOf(bare.operand);
    const variable = named(path);
    return variable && !/[*&]$/.test(variable.type) && path!.steps.every((step) => step.startsWith('[') === /\[\]$/.test(variable.type))
      ? { variable, kind: 'variable' }
      : undefined;
  }
  if (bare.kind !== 'call' || !/^(data|data_ptr|mutable_data|mutable_data_ptr|get|begin)$/.test(bare.name)) return undefined;
  const variable = bare.receiver?.kind === 'path' && bare.receiver.path.steps.length === 0 ? named(bare.receiver.path) : undefined;
  return variable && owners.test(variable.type) ? { variable, kind: 'object' } : undefined;
}

/** The object goes on as a whole: moved, copied into something, captured, returned. What it points to may then live longer. */
export function isKept(fn: FunctionFacts, { variable, kind }: LocalMemory): boolean {
  if (kind !== 'object') return false;
  return fn.events.some((event) => {
    if (event.kind === 'escape') return [...event.paths, ...event.copies].some((path) => path.root === variable.name);
    return expressionsOf(event).some((root) => handsOn(event, root, variable.name));
  });
}

function handsOn(event: Event, root: Expr, name: string): boolean {
  if (event.kind === 'assign' && root === event.target) return false;
  const receivers = new Set([...walk(root)].filter((part): part is Call => part.kind === 'call').map((call) => call.receiver));
  return [...walk(root)].some((part) => part.kind === 'path' && part.path.root === name && part.path.steps.length === 0 && !receivers.has(part));
}
