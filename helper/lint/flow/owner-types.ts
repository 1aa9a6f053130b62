// Which class of the file a declared type leads to: elements of containers, what smart pointers point to, templates, `auto`.
import type { Assign, Call, ClassFacts, FileFacts, FunctionFacts, Path, PathExpr } from '../facts/index';
import { extend, stripCasts } from '../facts/paths';
import { bareType } from '../knowledge/index';
import { functionQuery } from '../memo/query';
import { splitTemplate } from '../text/words';

const around = /^(?:std::|boost::|absl::|eastl::)?(?:vector|array|deque|list|span|unique_ptr|shared_ptr|optional|InlinedVector|small_vector)<(.*)>$/;

/** `T` of `std::vector<T>`, `std::array<T, 3>`, `std::unique_ptr<T>`; the type itself, bare, where it is none of these. */
export function elementType(type: string): string {
  const bare = bareType(type);
  const inner = around.exec(bare)?.[1];
  return inner === undefined ? bare : elementType(splitTemplate(inner)[0]!);
}

/** The class that members of something of this type belong to. */
export function ownerOf(file: FileFacts, type: string): ClassFacts | undefined {
  const bare = bareType(type);
  const inner = elementType(type);
  return file.classNamed(bare) ?? (inner === bare ? undefined : file.classNamed(inner)) ?? templateNamed(file, inner);
}

/** `Pending<float>` is made of the template `Pending`. */
function templateNamed(file: FileFacts, type: string): ClassFacts | undefined {
  const name = /^([\w:]+)</.exec(type)?.[1];
  return name === undefined ? undefined : file.classNamed(name);
}

/** What a local that is declared with `auto` is made of: `x` of `auto& each : x` and of `auto& each = x`, `f()` of `auto each = f()`. */
export function sourceOfAuto(file: FileFacts, fn: FunctionFacts, name: string): PathExpr | Call | undefined {
  return autos(file, fn).get(name);
}

const autos = functionQuery((_, fn): ReadonlyMap<string, PathExpr | Call> => {
  const made = fn.events.flatMap((event) => {
    const source = event.kind === 'assign' && event.declares && /\bauto\b/.test(event.declares.type) ? sourceOf(event) : undefined;
    return source && event.kind === 'assign' ? [{ name: event.declares!.name, source }] : [];
  });
  // The names of `auto [a, b] = x` are parts of x.
  const parts = new Set(made.flatMap(({ source }, i) => (made[i - 1]?.source === source ? [source] : [])));
  return new Map(made.flatMap(({ name, source }) => (parts.has(source) ? [] : [[name, source] as const])));
});

function sourceOf({ value }: Assign): PathExpr | Call | undefined {
  const bare = value && stripCasts(value);
  const source = bare?.kind === 'other' && bare.operands.length === 1 ? bare.operands[0] : bare;
  return source?.kind === 'path' || source?.kind === 'call' ? source : undefined;
}

/** `x` of `for (Slot& slot : x)` and of `auto& slot = x[i]`, for a path that begins with such a local. */
export function rangeOf(file: FileFacts, fn: FunctionFacts, { kind, root, steps }: Path): Path | undefined {
  const source = kind === 'local' ? ranges(file, fn).get(root) : undefined;
  return source && extend(source, ...steps);
}

const ranges = functionQuery((_, fn): ReadonlyMap<string, Path> => {
  const found = new Map<string, Path>();
  for (const event of fn.events) {
    if (event.kind !== 'assign' || !event.declares || found.has(event.declares.name)) continue;
    const source = sourceOf(event);
    const isElement = event.value?.kind === 'other' || /&$/.test(event.declares.type);
    if (source?.kind === 'path' && isElement) found.set(event.declares.name, source.path);
  }
  return found;
});
