// Smart pointers that are given a deleter when they are made: `std::shared_ptr<float>(memory, [](float* p) { cudaFree(p); })`.
import type { Expr, FileFacts, Variable } from '../facts/index';
import { pathOf, stripCasts, walk } from '../facts/paths';
import { assignmentsTo } from '../flow/calls';
import { resolveCallee } from '../flow/program';
import { apiNamed } from '../knowledge/names';
import { endsGpuObject, type Freed, isGpuFamily } from './releases';

const pointers = /\b(shared|unique)_ptr\b/;

/** What the deleter of a variable frees: told by its type, its initialiser, what is assigned to it, or the function of the file that makes it. */
export function freedByDeleter(file: FileFacts, { name, type, init }: Variable): Freed | undefined {
  const named = /decltype\(&?(?:::)?(\w+)\)/.exec(type)?.[1];
  if (named && pointers.test(type) && freesByName(named)) return { call: undefined };
  if (!pointers.test(type) && type !== 'auto') return undefined;
  const values = [...(init ? [init] : []), ...assignmentsTo(file, name).map(({ value }) => value)];
  return values.map((value) => deleterIn(file, value, 1)).find((each) => each !== undefined);
}

function deleterIn(file: FileFacts, value: Expr, depth: number): Freed | undefined {
  const bare = stripCasts(value);
  if (bare.kind === 'call' && !bare.api && depth > 0) {
    const maker = resolveCallee(file, bare);
    const returned = maker?.events.flatMap((event) => (event.kind === 'return' && event.value ? [event.value] : [])) ?? [];
    if (maker)
      return pointers.test(maker.returnType) ? returned.map((each) => deleterIn(file, each, 0)).find((each) => each !== undefined) : undefined;
  }
  const isMade = bare.kind === 'init' || bare.kind === 'other' || (bare.kind === 'call' && pointers.test(bare.callee));
  return isMade
    ? walk(bare)
        .map(freeing)
        .find((each) => each !== undefined)
    : undefined;
}

function freeing(part: Expr): Freed | undefined {
  if (part.kind === 'lambda') {
    const call = part.fn.calls.find(endsGpuObject);
    return call && { call, site: call };
  }
  const path = part.kind === 'path' ? pathOf(part) : undefined;
  return path?.kind === 'global' && path.steps.length === 0 && freesByName(path.root) ? { call: undefined } : undefined;
}

function freesByName(name: string): boolean {
  const api = apiNamed(name);
  return api !== undefined && isGpuFamily(api.family) && (api.does.has('destroy') || api.does.has('free'));
}
