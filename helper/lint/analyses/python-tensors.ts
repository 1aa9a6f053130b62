// Python: `DLTensor` structs that ctypes declares, and reads of their address.
import type { Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { childrenOf, expressionsOf, pathKey, pathOf, samePath, walk, withoutLast } from '../facts/paths';
import { resolveCallee } from '../flow/program';
import { fileQuery } from '../memo/query';

export interface AddressRead {
  readonly tensor: Path;
  readonly expr: Expr;
}

/** The file reads the struct as C lays it out, whether it declares the fields itself or imports them. */
const readsStruct = fileQuery(
  (file) =>
    (file.hasToken('word', /^\w*DL\w*Tensor/) || file.hasToken('string', /DL\w*Tensor/)) &&
    (file.hasToken('string', /^["']byte_offset["']$/) || file.hasToken('word', /^(ctypes|ffi|cffi)$/)),
);

/** Reads of `data` that go on as an address, in functions that fill no tensor in. */
export function addressReads(file: FileFacts, fn: FunctionFacts): AddressRead[] {
  if (!readsStruct(file)) return [];
  return fn.events.flatMap((event) =>
    expressionsOf(event).flatMap((root) =>
      (event.kind === 'assign' && root === event.target) || event.kind === 'test' || isAccessor(event, root)
        ? []
        : [...walk(root)].flatMap((expr) => {
            const tensor = expr.kind === 'path' && expr.path.steps.at(-1) === '.data' ? withoutLast(expr.path) : undefined;
            return tensor && isTensor(file, fn, tensor) && !isFilled(fn, tensor) && goesOn(root, expr) ? [{ tensor, expr }] : [];
          }),
    ),
  );
}

/** `return managed.dl_tensor.data`: a method that tells the field reads nothing behind it. */
function isAccessor(event: Event, root: Expr): boolean {
  return event.kind === 'return' && root.kind === 'path';
}

/** `managed.dl_tensor`, or what was made from an address or a pointer by the name of the struct. */
function isTensor(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  if (path.steps.at(-1) === '.dl_tensor') return true;
  if (path.kind === 'param' && path.steps.length === 0) return hasFieldsOf(fn, path);
  const made = fn.events.find((event) => event.kind === 'assign' && event.value !== undefined && samePath(pathOf(event.target), path));
  if (made?.kind !== 'assign' || !made.value) return false;
  const helper = made.value.kind === 'call' ? resolveCallee(file, made.value) : undefined;
  if (helper?.events.some((event) => event.kind === 'return' && pathOf(event.value)?.steps.at(-1) === '.dl_tensor')) return true;
  return /\bDL\w*Tensor\w*\b.*(from_address|from_buffer|contents)|(cast|POINTER)\b.*\bDL\w*Tensor|\.dl_tensor$/.test(
    file.source(made.value).replace(/\s+/g, ' '),
  );
}

/** Only this struct has them: `tensor.dtype.lanes`, `tensor.device.device_type`. */
function hasFieldsOf(fn: FunctionFacts, path: Path): boolean {
  const own = ['.dtype.lanes', '.dtype.bits', '.dtype.code', '.device.device_type', '.ctx.device_type'].map((fields) => pathKey(path) + fields);
  return fn.events.some((event) =>
    expressionsOf(event).some((root) => walk(root).some((part) => part.kind === 'path' && own.includes(pathKey(part.path)))),
  );
}

function isFilled(fn: FunctionFacts, tensor: Path): boolean {
  return fn.events.some(
    (event) =>
      event.kind === 'assign' && event.target.kind === 'path' && samePath(event.target.path, { ...tensor, steps: [...tensor.steps, '.data'] }),
  );
}

/** Not compared, shown, tested or freed: an argument, a part of a list, or the value itself. */
function goesOn(root: Expr, expr: Expr): boolean {
  if (root === expr) return true;
  if (root.kind === 'binary' && !/^[+-]$/.test(root.op)) return false;
  if (root.kind === 'call' && /^(print|format|bool|str|hex|repr|isinstance)$|log|debug|free$|release|destroy/i.test(root.name)) return false;
  return childrenOf(root).some((each) => goesOn(each, expr));
}
