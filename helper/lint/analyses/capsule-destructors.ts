// Destructors of DLPack capsules, and whether they know that a consumer may have taken the tensor.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { mentions, pathOf, samePath, stripCasts } from '../facts/paths';
import { textAt } from '../flow/constants';
import { fromFunctions } from '../memo/table';
import { isDeleterCall } from './managed-tensor';

export interface UncheckedDestructor {
  /** The deleter that runs whatever the capsule is named. */
  readonly deleter: Call;
  readonly takes: Call;
}

const makers = fromFunctions((_, fn) => fn.calls.filter((call) => /^(PyCapsule_New|PyCapsule_SetDestructor|capsule)$/.test(call.name)));

/** Destructors that the file gives to capsules and that call the deleter of a tensor that is no longer theirs, too. */
export function uncheckedDestructors(file: FileFacts): UncheckedDestructor[] {
  if (file.language === 'python') return [];
  return file.subjects.flatMap((fn) => (fn.degraded || !isGivenToCapsule(file, fn) ? [] : (uncheckedIn(file, fn) ?? [])));
}

function isGivenToCapsule(file: FileFacts, fn: FunctionFacts): boolean {
  if (fn.params.length !== 1 || !/PyObject\s*\*/.test(fn.params[0]!.type)) return false;
  const isIt = (arg: Expr) => {
    const bare = stripCasts(arg);
    return bare.kind === 'lambda' ? bare.fn === fn : pathOf(bare)?.root === fn.name;
  };
  return makers(file).some((call) => call.args.some(isIt));
}

function uncheckedIn(file: FileFacts, fn: FunctionFacts): UncheckedDestructor | undefined {
  const takes = fn.calls.find((call) => call.name === 'PyCapsule_GetPointer' && call.result && takesAny(file, call));
  const deleter = takes && fn.calls.find((call) => isDeleterCall(call) && call.id > takes.id && samePath(pathOf(call.args[0]), takes.result));
  return takes && deleter && !asksForName(fn, pathOf(takes.args[1])) ? { deleter, takes } : undefined;
}

/** Whatever the name is, or the name that a consumer gives. */
function takesAny(file: FileFacts, take: Call): boolean {
  const name = take.args[1];
  const bare = name && stripCasts(name);
  const text = textAt(file, take, name);
  if (text !== undefined) return text.startsWith('used_dltensor');
  if (bare?.kind === 'call') return bare.name === 'PyCapsule_GetName';
  const path = pathOf(bare);
  return path !== undefined && take.fn.calls.some((call) => call.name === 'PyCapsule_GetName' && samePath(call.result, path));
}

const compares = /^(PyCapsule_IsValid|\w*str\w*n?cmp|memcmp|strstr|equals?|compare|starts_with|string_view|string)$/i;

function asksForName(fn: FunctionFacts, name: Path | undefined): boolean {
  if (fn.calls.some((call) => compares.test(call.name))) return true;
  return name !== undefined && fn.events.some((event) => event.kind === 'test' && !isNullTest(event.expr) && mentions(event.expr, name));
}

function isNullTest(expr: Expr): boolean {
  const bare = stripCasts(expr);
  if (bare.kind === 'path') return true;
  if (bare.kind === 'unary') return isNullTest(bare.operand);
  return bare.kind === 'binary' && [bare.left, bare.right].some((side) => /^(null|number)$/.test(stripCasts(side).kind));
}
