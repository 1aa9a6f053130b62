// What calls do that the file itself shows: helpers, wrappers, cleanup functions.
import type { Call, ClassFacts, Event, FileFacts, FunctionFacts, Path } from '../facts/index';
import { addressOf, pathOf } from '../facts/paths';
import { bareType } from '../knowledge/index';
import { fieldAt } from './definitions';
import { resolveCallee } from './program';

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
  const fields = path.steps.filter((step) => step.startsWith('.')).map((step) => step.slice(1));
  let type = path.kind === 'this' ? fn.className : rootType(file, fn, path.root);
  for (const name of fields) {
    const owner: ClassFacts | undefined = type ? file.classNamed(bareType(type)) : undefined;
    type = owner?.fields.find((each) => each.name === name)?.type;
  }
  return type && bareType(type);
}

function rootType(file: FileFacts, fn: FunctionFacts, name: string): string | undefined {
  for (let at: FunctionFacts | undefined = fn; at; at = at.parent) {
    const variable = [...at.locals, ...at.params].findLast((each) => each.name === name);
    if (variable) return variable.type;
  }
  return file.globalNamed(name)?.type;
}

export interface ChainedStruct {
  readonly path: Path;
  /** `VkExportMemoryAllocateInfo`; undefined when the file does not show it. */
  readonly type: string | undefined;
}

/**
 * The structs on the pNext chain of a descriptor argument, the descriptor first. `complete` is false when the chain leads where the file
 * does not show, so that nothing may be said about what it lacks.
 */
export function chainOf(file: FileFacts, call: Call, argument: string): { structs: ChainedStruct[]; complete: boolean } {
  const structs: ChainedStruct[] = [];
  let path = pathOf(call.api?.arg(argument));
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
