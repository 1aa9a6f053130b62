// `vk::StructureChain<A, B>`: one variable that holds the structs of a pNext chain, linked by its constructor.
import type { Assign, Call, Event, Expr, InitExpr } from '../facts/index';
import { pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { splitTemplate } from '../text/words';

export interface StructureChain {
  /** `vk::MemoryAllocateInfo`, in order. */
  readonly types: readonly string[];
  /** The values of a struct where it is written as a list; undefined when something writes it later or nobody can tell. */
  initOf(type: string): InitExpr | undefined;
}

const chainType = /\bvk::StructureChain<(.*)>$/;

/** The chain that `chain.get<vk::MemoryAllocateInfo>()` reads, where the function declares it and nothing is unlinked. */
export function structureChain(at: Event, written: Expr | undefined): StructureChain | undefined {
  const got = written && gotFrom(at, written);
  const set = got && declarationOf(at, got);
  const types = set && typesOf(set);
  if (!got || !set || !types || types.some((type) => !/^vk::\w+$/.test(type)) || isRelinked(at, got)) return undefined;
  const isWritten = writesInto(at, got);
  return { types, initOf: (type) => (isWritten ? undefined : listOf(set.value, types, type)) };
}

/** As declared, or as `auto chain = vk::StructureChain<A, B>{}` and `vk::StructureChain chain{A{}, B{}}` tell. */
function typesOf({ declares, value }: Assign): string[] | undefined {
  const type = declares?.type ?? '';
  const made = value?.kind === 'init' ? value.type : value?.kind === 'call' ? value.callee : undefined;
  const named = (chainType.exec(type) ?? chainType.exec(type === 'auto' ? (made ?? '') : ''))?.[1];
  if (named) return splitTemplate(named);
  if (type !== 'vk::StructureChain') return undefined;
  return partsOf(value).map((part) => (part.kind === 'init' ? part.type : part.kind === 'call' ? part.callee : undefined) ?? '');
}

/** The structs that a chain is made from. */
function partsOf(value: Expr | undefined): readonly Expr[] {
  return (value?.kind === 'init' ? value.entries.map((entry) => entry.value) : value?.kind === 'call' ? value.args : []).map(stripCasts);
}

/** `chain` of `chain.get<T>()`, `&chain.get<T>()`, `chain.get()`, and of a reference that was made so. */
function gotFrom(at: Event, written: Expr): Call | undefined {
  const bare = stripCasts(written);
  if (bare.kind === 'unary' && /^[&*]$/.test(bare.op)) return gotFrom(at, bare.operand);
  if (bare.kind === 'path' && bare.path.kind === 'local' && bare.path.steps.length === 0) {
    const named = at.fn.events.find((event) => event.kind === 'assign' && event.declares?.name === bare.path.root);
    const isReference = named?.kind === 'assign' && /&$/.test(named.declares!.type) && named.value?.kind === 'call';
    return isReference ? gotFrom(named, named.value!) : undefined;
  }
  return bare.kind === 'call' && bare.name === 'get' && bare.args.length === 0 && pathOf(bare.receiver)?.kind === 'local' ? bare : undefined;
}

/** The struct that `get` names: the first without a name. */
export function gotType(at: Event, written: Expr): string | undefined {
  const got = gotFrom(at, written);
  return got && /<(.*)>$/.exec(got.callee)?.[1];
}

function declarationOf(at: Event, got: Call): Assign | undefined {
  const path = pathOf(got.receiver);
  return at.fn.events.find(
    (event): event is Assign => event.kind === 'assign' && event.declares !== undefined && samePath(pathOf(event.target), path),
  );
}

function isRelinked(at: Event, got: Call): boolean {
  return at.fn.calls.some((call) => /^(unlink|relink|assign)$/.test(call.name) && samePath(pathOf(call.receiver), pathOf(got.receiver)));
}

/** `chain.get<T>().field = x`, `chain.get<T>().setField(x)`, and anything that is handed the chain. */
function writesInto(at: Event, got: Call): boolean {
  const path = pathOf(got.receiver);
  const isGot = (expr: Expr | undefined) =>
    expr !== undefined && walk(expr).some((part) => part.kind === 'call' && part.name === 'get' && samePath(pathOf(part.receiver), path));
  return at.fn.events.some((event) => {
    if (event.kind === 'assign') return isGot(event.target) || (/&$/.test(event.declares?.type ?? '') && isGot(event.value));
    return (
      event.kind === 'call' && !event.api && (isGot(event.receiver) || event.args.some((arg) => arg.kind === 'path' && samePath(arg.path, path)))
    );
  });
}

/** The list at a struct's place, `{...}` or `vk::MemoryAllocateInfo(...)`. */
function listOf(value: Expr | undefined, types: readonly string[], type: string): InitExpr | undefined {
  const all = partsOf(value);
  const part = all[types.indexOf(type)];
  if (!part || all.some(writesChain)) return undefined;
  const bare = stripCasts(part);
  if (bare.kind === 'init') return { ...bare, type };
  return bare.kind === 'call' && bare.callee === type
    ? { kind: 'init', type, entries: bare.args.map((each) => ({ field: undefined, value: each })), span: bare.span }
    : undefined;
}

/** A chain of setters is not followed here. */
function writesChain(part: Expr): boolean {
  return walk(part).some((each) => each.kind === 'call' && /^set[A-Z]/.test(each.name));
}
