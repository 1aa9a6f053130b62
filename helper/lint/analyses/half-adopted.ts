// Functions that take a DLPack tensor over on one way and leave on another, as if all were well, without its deleter.
import type { Event, Expr, FileFacts, FunctionFacts, Path, Return, Variable } from '../facts/index';
import { expressionsOf, isWithin, samePath, walk } from '../facts/paths';
import { eventsAfter } from '../flow/order';
import { isManaged } from './dlpack';
import { isDeleterCall } from './managed-tensor';

export interface HalfAdopted {
  readonly at: Return;
  readonly param: Variable;
  readonly taken: Event;
}

const pointer = /^(const)?(struct )?(\w+::)*DLManagedTensor(Versioned)?\*$/;

/** Where only failures leave without the deleter, the tensor stays with the caller: that is no leak. */
export function halfAdopted(file: FileFacts, fn: FunctionFacts): HalfAdopted[] {
  if (fn.degraded || fn.kind === 'lambda') return [];
  return fn.params.flatMap((param): HalfAdopted[] => {
    const path: Path = { root: param.name, kind: 'param', steps: [] };
    if (!pointer.test(param.type.replace(/ /g, '')) || !isManaged(file, fn, path)) return [];
    const taken = fn.events.find((event) => takesOver(event, path));
    const read = taken && fn.events.find((event) => expressionsOf(event).some((root) => readsTensor(root, path)));
    if (!taken || !read || read.id > taken.id) return [];
    const left = [...eventsAfter(read, { blocked: (event) => givesUp(event, path) })];
    const at = left.find((event): event is Return => event.kind === 'return' && isSuccess(event) && !givesUp(event, path));
    return at ? [{ at, param, taken }] : [];
  });
}

function readsTensor(root: Expr, path: Path): boolean {
  return [...walk(root)].some((part) => part.kind === 'path' && isWithin(part.path, path) && part.path.steps.includes('.dl_tensor'));
}

/** A lambda that calls the deleter, a smart pointer with a deleter, or a call of the deleter here. */
function takesOver(event: Event, path: Path): boolean {
  if (event.kind !== 'call')
    return expressionsOf(event).some((root) => [...walk(root)].some((part) => part.kind === 'lambda' && endsIn(part.fn, path)));
  if (isDeleterCall(event)) return samePathOf(event.args[0], path);
  return event.args.some((arg) => arg.kind === 'lambda' && endsIn(arg.fn, path));
}

function endsIn(fn: FunctionFacts, path: Path): boolean {
  return fn.calls.some((call) => isDeleterCall(call) && call.args[0]?.kind === 'path' && call.args[0].path.root === path.root);
}

/** The pointer itself goes somewhere, or its deleter is asked for. */
function givesUp(event: Event, path: Path): boolean {
  if (event.kind === 'escape') return [...event.paths, ...event.copies].some((each) => isWithin(path, each));
  const roots = event.kind === 'assign' ? (event.value ? [event.value] : []) : expressionsOf(event);
  return roots.some((root) => [...walk(root)].some((part) => samePathOf(part, path) || (part.kind === 'path' && isDeleter(part.path, path))));
}

function isDeleter(path: Path, owner: Path): boolean {
  return isWithin(path, owner) && path.steps.includes('.deleter');
}

function samePathOf(part: Expr | undefined, path: Path): boolean {
  return part?.kind === 'path' && samePath(part.path, path);
}

/** Neither nothing nor an error. */
function isSuccess({ value }: Return): boolean {
  if (!value || value.kind === 'null') return false;
  if (value.kind === 'bool') return value.value;
  if (value.kind === 'number') return false;
  if (value.kind === 'init') return value.entries.length > 0;
  const names = [...walk(value)].flatMap((part) =>
    part.kind === 'path' ? [part.path.root + part.path.steps.join('')] : part.kind === 'call' ? [part.callee] : [],
  );
  return value.kind === 'call' && !names.some((name) => /err|fail|invalid|null|unexpected|status|bad|result/i.test(name)) && !mentionsAny(value);
}

function mentionsAny(value: Expr): boolean {
  return [...walk(value)].some((part) => part.kind === 'string');
}
