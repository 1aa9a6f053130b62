// Names for a place in an array or a struct: `Slot& slot = slots[i];`, `slot_t *slot = &ring->slots[i];`, Python's `slot = self.slots[i]`.
import type { Expr, FunctionFacts, Path } from '../facts/index';
import { addressOf, extend, pathOf, stripCasts } from '../facts/paths';

/** The place that a path names, through the names that the function gives to it. */
export function placeOf(fn: FunctionFacts, path: Path, depth = 3): Path {
  const known = depth > 0 && path.kind === 'local' ? namedPlace(fn, path.root) : undefined;
  return known ? placeOf(fn, extend(known, ...path.steps), depth - 1) : path;
}

function namedPlace(fn: FunctionFacts, name: string): Path | undefined {
  const given = fn.events.filter((event) => {
    const target = event.kind === 'assign' ? pathOf(event.target) : undefined;
    return target?.root === name && target.steps.length === 0;
  });
  const [only] = given;
  if (given.length !== 1 || only?.kind !== 'assign' || !only.declares || !only.value) return undefined;
  return placeIn(only.declares.type, only.value);
}

/** The address of a place, or the place itself where the type makes no copy of it. */
function placeIn(type: string, value: Expr): Path | undefined {
  const address = addressOf(value);
  if (address) return address;
  const bare = stripCasts(value);
  return bare.kind === 'path' && (/&$/.test(type) || type === '') && bare.path.steps.length > 0 ? bare.path : undefined;
}
