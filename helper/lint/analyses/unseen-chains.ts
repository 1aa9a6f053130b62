// Structs whose address goes where nobody sees it put on a chain: to a function that appends, or through a pointer to the last struct.
import type { Call, Event, Expr, FileFacts, Path } from '../facts/index';
import { addressOf, pathOf, walk } from '../facts/paths';
import { declaredTypeOf, typeOfPath } from '../flow/visible';
import { bareType } from '../knowledge/index';

const extension = /^(Vk|vk::)(Export|Import|External|MemoryDedicatedAllocate)/;
const structure = /^(Vk|vk::)(?!Base)/;

/** Another struct of the function may lie on the chain of a create call by a way that its info struct does not show. */
export function isAppendedUnseen(file: FileFacts, call: Call, chain: readonly { readonly path: Path }[]): boolean {
  const names = call.fn.locals
    .filter(({ name, type }) => extension.test(bareType(type)) && !chain.some(({ path }) => path.root === name))
    .map(({ name }) => name);
  return names.length > 0 && call.fn.events.some((event) => givesAway(file, call, event, new Set(names)));
}

function givesAway(file: FileFacts, call: Call, event: Event, names: ReadonlySet<string>): boolean {
  const isOneOf = (expr: Expr) => names.has(addressOf(expr)?.root ?? '');
  const has = (expr: Expr | undefined) => expr !== undefined && walk(expr).some(isOneOf);
  if (event.kind === 'call') return !event.api && !/^(Vk|vk::)/.test(event.name) && !isStruct(file, call, event.receiver) && event.args.some(has);
  return event.kind === 'assign' && has(event.value) && !isStruct(file, call, event.target);
}

/** A field of a struct that lies here itself, not behind a pointer. */
function isStruct(file: FileFacts, call: Call, expr: Expr | undefined): boolean {
  const path = pathOf(expr);
  const root = path && { ...path, steps: [] };
  const type = root && typeOfPath(file, call.fn, root);
  return type !== undefined && structure.test(type) && !/[*&]/.test(declaredTypeOf(file, call.fn, root!) ?? '');
}
