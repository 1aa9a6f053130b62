// Python: arrays that die when nothing names them, those that functions of the file make among them.
import type { Event, Expr, FileFacts, FunctionFacts, Return } from '../facts/index';
import { pathOf, stripCasts, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { resolveCallee } from '../flow/program';
import { functionQuery } from '../memo/query';
import { isFreshArray } from './device-arrays';

type Makes = (file: FileFacts, fn: FunctionFacts) => boolean;

export function isFresh(file: FileFacts, expr: Expr): boolean {
  return isMade(file, expr, makesDeep);
}

function isMade(file: FileFacts, expr: Expr, makes: Makes | undefined): boolean {
  const bare = stripCasts(expr);
  if (isFreshArray(bare)) return true;
  const callee = bare.kind === 'call' && makes ? resolveCallee(file, bare) : undefined;
  return callee !== undefined && !callee.degraded && makes!(file, callee);
}

/** Helpers of helpers of helpers. */
const makesDeep = makesWith(makesWith(makesWith(undefined)));

/** Every return gives an array of its own that the function keeps nowhere. */
function makesWith(inner: Makes | undefined): Makes {
  return functionQuery((file, fn) => {
    const returned = fn.events.filter((event): event is Return => event.kind === 'return');
    // A generator, a property that remembers, a decorator that keeps results.
    if (returned.length === 0 || fn.attributes.some((each) => /cache|property|contextmanager|memo/i.test(each))) return false;
    return returned.every((event) => {
      const value = event.value && valueAt(event, event.value);
      if (!value || value === 'zero' || !isMade(file, value, inner)) return false;
      const path = pathOf(event.value);
      return path === undefined || !fn.events.some((each) => keeps(each, path.root));
    });
  });
}

/** Stored outside of the function, or put into something. */
function keeps(event: Event, name: string): boolean {
  const isIt = (part: Expr) => part.kind === 'path' && part.path.root === name && part.path.steps.length === 0;
  if (event.kind === 'assign') return pathOf(event.target)?.kind !== 'local' && event.value !== undefined && walk(event.value).some(isIt);
  if (event.kind === 'escape') return event.paths.some((path) => path.root === name);
  return event.kind === 'call' && event.form !== 'delete' && [...event.args, ...event.keywords.values()].some(isIt);
}
