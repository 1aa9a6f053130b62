// Texts by name: constants of the file, of a class, of the module, and macros.
import type { Event, Expr, FileFacts } from '../facts/index';
import { pathOf, stripCasts } from '../facts/paths';
import { valueAt } from './definitions';

/** The text that an expression means: a literal, or the name of something that is set to one once and for all. */
export function textAt(file: FileFacts, at: Event, expr: Expr | undefined): string | undefined {
  const value = expr && valueAt(at, stripCasts(expr));
  const bare = value === undefined || value === 'zero' ? undefined : stripCasts(value);
  if (bare?.kind === 'string') return bare.value;
  const path = pathOf(bare);
  if (path?.kind === 'this') return constantOf(initOfField(file, at.fn.className, path.steps.join('').replace(/^\./, '')));
  return path?.kind === 'global' && path.steps.length === 0 ? ofGlobal(file, path.root) : undefined;
}

function ofGlobal(file: FileFacts, written: string): string | undefined {
  const [name, owner] = written.split('::').reverse();
  const macro = file.directives.find((each) => each.kind === 'define' && each.name === written && each.params === undefined);
  if (macro) return /^\s*"([^"\\]*)"\s*$/.exec(macro.body)?.[1];
  return constantOf(initOfField(file, owner, name!) ?? file.globalNamed(name!)?.init) ?? setByModule(file, written);
}

function initOfField(file: FileFacts, owner: string | undefined, name: string): Expr | undefined {
  return owner === undefined ? undefined : file.classNamed(owner)?.fields.find((each) => each.name === name)?.init;
}

function constantOf(init: Expr | undefined): string | undefined {
  const only = init?.kind === 'init' && init.entries.length === 1 ? init.entries[0]!.value : init;
  return only?.kind === 'string' ? only.value : undefined;
}

/** Python: `NAME = b"dltensor"` at the top of the module, and nowhere else. */
function setByModule(file: FileFacts, name: string): string | undefined {
  if (file.language !== 'python') return undefined;
  const set = (file.functions.find(({ kind }) => kind === 'module')?.events ?? []).filter(
    (event) => event.kind === 'assign' && pathOf(event.target)?.root === name && event.target.kind === 'path' && event.target.path.steps.length === 0,
  );
  const [only] = set;
  return set.length === 1 && only?.kind === 'assign' ? constantOf(only.value) : undefined;
}
