// Python: what a process writes into CUDA_VISIBLE_DEVICES for another one.
import type { Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathOf, samePath, stripCasts } from '../facts/paths';
import { valueAt } from '../flow/definitions';

const variable = 'CUDA_VISIBLE_DEVICES';

/** `env["CUDA_VISIBLE_DEVICES"] = str(tensor.device.index)`: values that are an ordinal of this process. */
export function ordinalsForChildren(file: FileFacts, fn: FunctionFacts): Expr[] {
  if (file.language !== 'python') return [];
  return fn.events.flatMap((event) => written(event).filter((value) => isOwnOrdinal(file, event, value)));
}

/** The values that an event gives the variable: an element of a mapping, an entry of a dictionary, a keyword of `dict(...)`. */
function written(event: Event): Expr[] {
  if (event.kind === 'call') return [...(event.keywords.get(variable) === undefined ? [] : [event.keywords.get(variable)!]), ...entriesOf(event)];
  if (event.kind !== 'assign' || event.op !== '=' || !event.value) return [];
  const last = pathOf(event.target)?.steps.at(-1);
  return /^\[["']CUDA_VISIBLE_DEVICES["']\]$/.test(last ?? '') ? [event.value] : entryOf(event.value);
}

function entriesOf(call: Event & { kind: 'call' }): Expr[] {
  return [...call.args, ...call.keywords.values()].flatMap(entryOf);
}

function entryOf(value: Expr): Expr[] {
  return value.kind === 'init' ? value.entries.flatMap((entry) => (entry.field?.replace(/["']/g, '') === variable ? [entry.value] : [])) : [];
}

function isOwnOrdinal(file: FileFacts, at: Event, value: Expr, depth = 3): boolean {
  const bare = stripCasts(value);
  if (bare.kind === 'string')
    return bare.value.replace(/\{[^}]*\}/g, '') === '' && bare.parts.length === 1 && isOwnOrdinal(file, at, bare.parts[0]!, depth);
  if (bare.kind === 'call') {
    if (/^(str|int)$/.test(bare.callee) && bare.args.length === 1) return isOwnOrdinal(file, at, bare.args[0]!, depth);
    return /^(torch\.cuda\.current_device|cupy\.cuda\.runtime\.getDevice|cupy\.cuda\.get_device_id)$/.test(bare.callee);
  }
  const path = pathOf(bare);
  if (!path || depth === 0) return false;
  if (path.steps.at(-1) === '.index') return /device/i.test(path.steps.at(-2) ?? path.root);
  if (path.kind === 'this') return fieldValues(file, at.fn, path).some((each) => isOwnOrdinal(file, each.at, each.value, depth - 1));
  const known = valueAt(at, bare);
  return known !== undefined && known !== 'zero' && known !== bare && isOwnOrdinal(file, at, known, depth - 1);
}

/** What the class gives a field, where it does so once. */
function fieldValues(file: FileFacts, fn: FunctionFacts, path: Path): { at: Event; value: Expr }[] {
  const methods = file.classNamed(fn.className ?? '')?.methods ?? [];
  const found = methods.flatMap((method) =>
    method.events.flatMap((event) =>
      event.kind === 'assign' && event.value && samePath(pathOf(event.target), path) ? [{ at: event, value: event.value }] : [],
    ),
  );
  return found.length === 1 ? found : [];
}
