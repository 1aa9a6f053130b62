// Entry points of a library that are looked up by their name: tables of names, and helpers around `dlsym`.
import type { Expr, FileFacts, FunctionFacts } from '../facts/index';
import { expressionsOf, walk } from '../facts/paths';
import { holdsForAny } from '../memo/table';

/** Where a name stands in a table of names, of the file or of one function, or is given to a helper that looks it up. */
export function symbolsNamed(file: FileFacts, symbol: string, fns: readonly FunctionFacts[]): Expr[] {
  if (!file.hasToken('string', new RegExp(`^"${symbol}"$|^'${symbol}'$`))) return [];
  const isIt = (part: Expr) => part.kind === 'string' && part.value === symbol;
  const tables = looksUp(file) ? [...globalTables(file), ...fns.flatMap(localTables)] : [];
  const given = fns.flatMap((fn) => fn.calls.filter(({ name }) => isLookup(name)).flatMap((call) => call.args));
  return [...new Set([...tables.flatMap(walk), ...given].filter(isIt))];
}

function globalTables({ globals }: FileFacts): Expr[] {
  return globals.flatMap(({ init }) => (init?.kind === 'init' ? [init] : []));
}

/** `const char *names[] = {...}` inside a function. */
function localTables(fn: FunctionFacts): Expr[] {
  return fn.events.flatMap((event) => expressionsOf(event).filter((expr) => expr.kind === 'init'));
}

const looksUp = holdsForAny((_, fn) => fn.calls.some(({ name }) => isLookup(name) || /^(dlsym|GetProcAddress|getattr)$/.test(name)));

/** A helper by the name of what it does; `dlsym` itself is followed to the pointer that it fills. */
function isLookup(name: string): boolean {
  return (
    !/^(dlsym|GetProcAddress|cuGetProcAddress\w*)$/.test(name) &&
    /sym(bol)?s?$|symbol|proc_?addr|load_?(fn|func|entry|proc|api)|resolve|^getattr$/i.test(name)
  );
}
