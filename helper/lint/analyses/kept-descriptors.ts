// Descriptors in the elements of a class that an import adopts and that the class closes at its end all the same.
import type { Call, ClassFacts, Event, Expr, FileFacts, Path } from '../facts/index';
import { pathOf, stripCasts, symbolOf } from '../facts/paths';
import { assignedBy, sameButIndices, unaliased } from '../flow/aliases';
import { fieldAt } from '../flow/definitions';
import { adopted, fdImports, handleType } from '../knowledge/index';
import { guardedCloses } from './zero-fields';

export interface KeptDescriptor {
  readonly close: Call;
  readonly importer: Call;
  readonly path: Path;
}

export function keptDescriptors(file: FileFacts): KeptDescriptor[] {
  return file.subjectClasses.flatMap((each) => inClass(each));
}

function inClass({ methods }: ClassFacts): KeptDescriptor[] {
  const closes = methods.flatMap(guardedCloses).filter(({ path }) => path.kind === 'this' && path.steps.some((step) => step.startsWith('[')));
  if (closes.length === 0) return [];
  const imports = methods.flatMap(({ calls }) => calls).flatMap((call) => importOf(call) ?? []);
  return closes.flatMap(({ close, path }): KeptDescriptor[] => {
    const found = imports.find((each) => each.importer.fn !== close.fn && sameButIndices(each.path, path));
    const isForgotten = methods.some((method) => method !== close.fn && method.events.some((event) => forgets(event, path)));
    return found && !isForgotten ? [{ close, importer: found.importer, path }] : [];
  });
}

/** The field that an import takes the descriptor from, where its kind of handle is adopted. */
function importOf(importer: Call): { importer: Call; path: Path } | undefined {
  const shape = importer.api && fdImports[importer.api.name];
  if (!shape || shape.list || shape.fd.chained || importer.fn.degraded) return undefined;
  const type = typeOf(importer, shape.type);
  const written = read(importer, shape.fd);
  const path = written && pathOf(stripCasts(written));
  return type && adopted(type) && path ? { importer, path: unaliased(importer.fn, path) } : undefined;
}

function typeOf(call: Call, from: { readonly param: string; readonly field?: string }) {
  const symbol = symbolOf(read(call, from));
  return symbol === undefined ? undefined : handleType(symbol);
}

function read(call: Call, { param, field }: { readonly param: string; readonly field?: string }) {
  const arg = call.api!.arg(param);
  if (!field) return arg;
  const { values, unknown } = fieldAt(call, arg, field);
  const only = unknown || values.length !== 1 ? undefined : values[0]!.value;
  return only === 'zero' ? undefined : only;
}

const harmless = /^(s?size|empty|c?begin|c?end|at|data|push_back|emplace_back|resize|reserve|front|back)$/;

/** `slots_[i].fd = -1`, `std::exchange(slot.fd, -1)`, or what is around it is set or given to somebody. */
function forgets(event: Event, path: Path): boolean {
  const written = assignedBy(event);
  if (event.kind === 'assign') {
    const isNone = event.value?.kind === 'number' && event.value.value < 0;
    return written !== undefined && holds(written, path) && (isNone || written.steps.length < path.steps.length);
  }
  if (event.kind !== 'call' || event.api) return false;
  const given = (expr: Expr | undefined) => {
    const named = pathOf(expr);
    return named !== undefined && holds(unaliased(event.fn, named), path);
  };
  return (given(event.receiver) && !harmless.test(event.name)) || event.args.some(given);
}

/** The path itself or a part of the object around it. */
function holds(outer: Path, path: Path): boolean {
  return outer.steps.length > 0 && sameButIndices(outer, { ...path, steps: path.steps.slice(0, outer.steps.length) });
}
