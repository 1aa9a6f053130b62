// What calls do that the file itself shows: helpers, wrappers, cleanup functions.
import type { Call, ClassFacts, Event, Expr, FileFacts, FunctionFacts, InitExpr, Path } from '../facts/index';
import { addressOf, declarationOf, pathOf, stripCasts } from '../facts/paths';
import { bareType, fieldOrder } from '../knowledge/index';
import { fieldAt, fieldOfInit } from './definitions';
import { elementType, ownerOf, sourceOfAuto } from './owner-types';
import { resolveCallee } from './program';
import { type StructureChain, structureChain } from './structure-chains';

export type Answer = 'yes' | 'no' | 'unknown';

/**
 * Does an event that satisfies `test` happen inside the call, here or in helpers that the file shows? `unknown`: the call goes into code
 * that nobody has seen, so it may. Known API calls are themselves and nothing else.
 */
export function happensIn(file: FileFacts, event: Event, test: (event: Event) => boolean, depth = 5): Answer {
  if (test(event)) return 'yes';
  if (event.kind !== 'call' || event.api || event.form !== 'call') return 'no';
  const callee = resolveCallee(file, event);
  if (!callee || depth === 0) return 'unknown';
  return happensInBody(file, callee, test, depth - 1);
}

/** The same for the whole body of a function. */
export function happensInBody(file: FileFacts, fn: FunctionFacts, test: (event: Event) => boolean, depth = 5): Answer {
  let answer: Answer = 'no';
  for (const event of fn.events) {
    const inner = happensIn(file, event, test, depth);
    if (inner === 'yes') return 'yes';
    if (inner === 'unknown') answer = 'unknown';
  }
  return answer;
}

/** For a `blocked` predicate of `eventsAfter`: stop where the event happens or may happen, so that nothing unsure is reported. */
export function mayHappenIn(file: FileFacts, test: (event: Event) => boolean): (event: Event) => boolean {
  return (event) => happensIn(file, event, test) !== 'no';
}

/** The declared type of what a path names, without const, pointers and references; undefined when the file does not declare it. */
export function typeOfPath(file: FileFacts, fn: FunctionFacts, path: Path): string | undefined {
  const type = declaredTypeOf(file, fn, path);
  return type && bareType(type);
}

/** The same as written: `uint64_t[]` for an array. */
export function declaredTypeOf(file: FileFacts, fn: FunctionFacts, path: Path, copies = maxCopies): string | undefined {
  const fields = path.steps.filter((step) => step.startsWith('.')).map((step) => step.slice(1));
  let type = path.kind === 'this' ? fn.className : rootType(file, fn, path, copies);
  for (const name of fields) {
    const owner: ClassFacts | undefined = type ? ownerOf(file, type) : undefined;
    type = owner?.fields.find((each) => each.name === name)?.type;
  }
  return type;
}

/** `auto` of `auto` of ...: names of blocks beside each other may lead round in a circle. */
const maxCopies = 4;

function rootType(file: FileFacts, fn: FunctionFacts, path: Path, copies: number): string | undefined {
  for (let at: FunctionFacts | undefined = fn; at; at = at.parent) {
    const variable = declarationOf(at, path);
    if (variable) return /\bauto\b/.test(variable.type) ? (typeOfAuto(file, at, path.root, copies) ?? variable.type) : variable.type;
  }
  return file.globalNamed(path.root)?.type;
}

function typeOfAuto(file: FileFacts, fn: FunctionFacts, name: string, copies: number): string | undefined {
  const source = copies > 0 ? sourceOfAuto(file, fn, name) : undefined;
  const type = source?.kind === 'call' ? returnedType(file, fn, source, copies) : source && declaredTypeOf(file, fn, source.path, copies - 1);
  return type && elementType(type);
}

/** Of a function of the file, and of what gives an element of a container: `auto& one = all.emplace_back()`. */
function returnedType(file: FileFacts, fn: FunctionFacts, call: Call, copies: number): string | undefined {
  const object = /^(emplace_back|back|front|at)$/.test(call.name) && !call.api ? pathOf(call.receiver) : undefined;
  return object ? declaredTypeOf(file, fn, object, copies - 1) : resolveCallee(file, call)?.returnType;
}

export interface ChainedStruct {
  readonly path: Path;
  /** `VkExportMemoryAllocateInfo`; undefined when the file does not show it. */
  readonly type: string | undefined;
}

/** Where a struct that is written in place lies: nothing else can name it. */
const inPlacePath: Path = { root: '(in place)', kind: 'local', steps: [] };

/** A struct that is written in place of the argument; of a bare brace list nothing tells the type. */
function literalOf(written: Expr): InitExpr | undefined {
  const bare = stripCasts(written);
  const literal = bare.kind === 'unary' && bare.op === '&' ? stripCasts(bare.operand) : bare;
  return literal.kind === 'init' && literal.type && fieldOrder(literal.type) ? literal : undefined;
}

/** The last struct of the chain names no other one by its own pNext. */
function endsThere({ types, initOf }: StructureChain): boolean {
  const last = types.at(-1)!;
  const init = initOf(last);
  const next = init ? fieldOfInit(init, last, ['pNext']) : 'zero';
  return next === undefined || next === 'zero' || next.kind === 'null';
}

/**
 * The structs on the pNext chain of a descriptor argument, the descriptor first. `complete` is false when the chain leads where the file
 * does not show, so that nothing may be said about what it lacks.
 */
export function chainOf(file: FileFacts, call: Call, argument: string): { structs: ChainedStruct[]; complete: boolean } {
  const structs: ChainedStruct[] = [];
  const written = call.api?.arg(argument);
  const chain = structureChain(call, written);
  if (chain) return { structs: chain.types.map((type) => ({ path: inPlacePath, type })), complete: endsThere(chain) };
  const inPlace = written && literalOf(written);
  let path = pathOf(written);
  if (inPlace) {
    structs.push({ path: inPlacePath, type: inPlace.type && bareType(inPlace.type) });
    const next = fieldOfInit(inPlace, inPlace.type, ['pNext']);
    if (next === 'zero' || next?.kind === 'null') return { structs, complete: true };
    path = addressOf(next);
  }
  while (path && structs.length < 12) {
    structs.push({ path, type: typeOfPath(file, call.fn, path) });
    const { values, unknown } = fieldAt(call, { kind: 'path', path, span: call.span }, 'pNext');
    const [only] = values;
    if (unknown || values.length !== 1 || !only) return { structs, complete: false };
    if (only.value === 'zero' || only.value.kind === 'null') return { structs, complete: true };
    path = addressOf(only.value);
  }
  return { structs, complete: false };
}
