// DLPack in C and C++: which paths are tensors, who made them, and which functions a consumer may hide its checks in.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { declarationOf, expressionsOf, isWithin, pathOf, samePath, walk } from '../facts/paths';
import { calleesOf, callersOf } from '../flow/program';
import { typeOfPath } from '../flow/visible';
import { fileQuery, functionQuery } from '../memo/query';
import { functionsWhere } from '../memo/table';

/** Runtimes whose own tensor is a `DLTensor`: most of what they see never came from anybody else. */
export const isOfTensorRuntime = fileQuery((file) => file.hasToken('word', /^(tvm|dgl|mlc)$/) || includesRuntime(file));

function includesRuntime(file: FileFacts): boolean {
  return file.directives.some((each) => each.kind === 'include' && /^["<]?(tvm|dgl|mlc)\//.test(each.name));
}

const tensorType = /^(?:\w+::)*DLTensor$/;
const managedType = /^(?:\w+::)*DLManagedTensor(?:Versioned)?$/;

/** The path names a `DLManagedTensor`, versioned or not, or a pointer to one. */
export function isManaged(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  const type = typeOfPath(file, fn, path);
  if (type !== undefined && !isDeduced(type)) return managedType.test(type);
  const source = sourceOf(fn, path);
  return source !== undefined && !samePath(source, path) && isManaged(file, fn, source);
}

/** The path names a `DLTensor`: by its type, as the `dl_tensor` of a managed one, or as a reference to one. */
export function isTensor(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  if (path.steps.at(-1) === '.dl_tensor') return isManaged(file, fn, { ...path, steps: path.steps.slice(0, -1) });
  const type = typeOfPath(file, fn, path);
  if (type !== undefined && !isDeduced(type)) return tensorType.test(type);
  const source = sourceOf(fn, path);
  return source !== undefined && !samePath(source, path) && isTensor(file, fn, source);
}

function isDeduced(type: string): boolean {
  return type === 'auto' || type === '';
}

/** What a local declared with `auto` was made from. */
function sourceOf(fn: FunctionFacts, path: Path): Path | undefined {
  if (path.kind !== 'local' || path.steps.length > 0) return undefined;
  const declared = fn.events.find((event) => event.kind === 'assign' && event.declares?.name === path.root);
  return declared?.kind === 'assign' ? pathOf(declared.value) : undefined;
}

/** Without the word nothing is a tensor. */
const namesTensors = fileQuery((file) => file.hasToken('word', /^(DL(Managed)?Tensor(Versioned)?|dl_tensor)$/));

export interface FieldUse {
  readonly tensor: Path;
  readonly path: Path;
  readonly expr: Expr;
  readonly event: Event;
}

/** Reads of a field of tensors, outermost events last: `data` of `static_cast<char*>(t->data)`. Assignments to the field are not reads. */
export function readsOfField(file: FileFacts, fn: FunctionFacts, field: string): FieldUse[] {
  const found: FieldUse[] = [];
  if (!namesTensors(file)) return found;
  for (const event of fn.events) {
    for (const root of expressionsOf(event)) {
      const target = event.kind === 'assign' && root === event.target ? event.target : undefined;
      for (const expr of walk(root)) {
        if (expr.kind !== 'path' || expr === target) continue;
        const use = useOf(file, fn, expr.path, field);
        if (use) found.push({ ...use, expr, event });
      }
    }
  }
  return found;
}

/** The tensor that `t->data`, `t->strides[i]` or `*t->strides` belong to. */
function useOf(file: FileFacts, fn: FunctionFacts, path: Path, field: string): { tensor: Path; path: Path } | undefined {
  const at = path.steps.lastIndexOf(`.${field}`);
  if (at < 0) return undefined;
  const tensor = { ...path, steps: path.steps.slice(0, at) };
  return isTensor(file, fn, tensor) ? { tensor, path } : undefined;
}

/** The function fills the tensor in itself, so it is a producer and knows what it wrote. */
export function produces(file: FileFacts, fn: FunctionFacts, tensor: Path): boolean {
  const local = tensor.kind === 'local' ? declarationOf(fn, tensor) : undefined;
  if (local && !/[*&]$/.test(local.type) && isRecord(local.type)) return true;
  const fills = (each: FunctionFacts, owner: Path) =>
    each.events.some(
      (event) =>
        event.kind === 'assign' &&
        event.target.kind === 'path' &&
        (/^\.(data|shape|strides|deleter|ndim)$/.test(event.target.path.steps.at(-1) ?? '') || isMade(event.value)) &&
        event.target.path.root === owner.root &&
        (owner.kind !== 'this' || event.target.path.steps[0] === owner.steps[0]),
    );
  if (fills(fn, tensor)) return true;
  if (tensor.kind !== 'this') return false;
  return (file.classNamed(fn.className ?? '')?.methods ?? []).some((method) => method !== fn && fills(method, tensor));
}

function isRecord(type: string): boolean {
  return /\bDL(Managed)?Tensor(Versioned)?$/.test(type.replace(/[\s[\]]/g, ' ').trim());
}

/** `new DLManagedTensor`, `malloc(...)`. */
export function isMade(value: Expr | undefined): boolean {
  if (!value) return false;
  const bare = value.kind === 'cast' ? value.operand : value;
  if (bare.kind !== 'call') return false;
  return (
    bare.form === 'new' ||
    /^(malloc|calloc|PyMem_Malloc|PyMem_RawMalloc|PyObject_Malloc|make_unique|make_shared|aligned_alloc|realloc)$/.test(bare.name)
  );
}

/** The function, what it calls, who calls it and, for fields, the methods of its class, as far as the file shows them. */
export const neighbourhood = functionQuery((file, fn): ReadonlySet<FunctionFacts> => {
  const near = new Set<FunctionFacts>([fn]);
  for (const each of near) {
    if (near.size > 60) break;
    for (const callee of calleesOf(file, each)) near.add(callee);
    if (each.parent) near.add(each.parent);
  }
  for (const each of callersOf(file, fn)) near.add(each);
  for (const method of file.classNamed(fn.className ?? '')?.methods ?? []) near.add(method);
  for (const each of lambdas(file)) if (each.parent && near.has(each.parent)) near.add(each);
  return near;
});

const lambdas = functionsWhere((_, fn) => fn.kind === 'lambda');

/** Some expression of the function names the field, of whatever object. */
export function namesField(fn: FunctionFacts, field: string): boolean {
  return fn.events.some((event) => expressionsOf(event).some((root) => [...walk(root)].some((expr) => isField(expr, field))));
}

function isField(expr: Expr, field: string): boolean {
  return (expr.kind === 'path' && expr.path.steps.includes(`.${field}`)) || (expr.kind === 'member' && expr.name === field);
}

const reporting =
  /^(\w*(?:print|log|trace|assert|debug|expect|check|require|verify|align)\w*|EXPECT_\w+|ASSERT_\w+|CHECK_\w+|REQUIRE\w*|format|hash|operator<<)$/i;

/** Shows or tests its arguments and does nothing else with them. */
export function onlyReports(call: Call): boolean {
  return reporting.test(call.name);
}

/** The call is given the tensor, or the struct around it, as a whole. */
export function isGiven(call: Call, tensor: Path): boolean {
  return [call.receiver, ...call.args].some((arg) => {
    const path = arg && pathOf(arg);
    return path !== undefined && isWithin(tensor, path) && path.kind !== 'global' && !(path.kind === 'this' && path.steps.length === 0);
  });
}
