// What functions leave in the fields of a struct that they are given, the function that ends the struct finds: classes in C.
import type { Event, FileFacts, FunctionFacts, Variable } from '../facts/index';
import { pathOf } from '../facts/paths';
import { bareType } from '../knowledge/index';
import { functionTable } from '../memo/table';
import { isRuledOut } from './guards';
import type { Machine, Violation } from './machine';
import { calleesOf, programOf } from './program';
import { State } from './state';

const ending = /(^|_)(free|destroy|close|release|cleanup|clean_up|uninit|deinit|dispose|teardown|tear_down|shutdown|fini|term|unref|reset)$/i;

/** The violations of a machine in functions that end a struct, after each of those that were given the same struct before. */
export function structViolationsOf(file: FileFacts, machine: Machine): readonly Violation[] {
  if (file.language === 'python') return [];
  return file.subjects.flatMap((fn) => {
    const param = ending.test(fn.name) && fn.params.length === 1 ? structParam(fn) : undefined;
    return param ? violationsIn(file, machine, fn, param) : [];
  });
}

/** The first parameter that points to a struct. */
function structParam({ className, kind, params }: FunctionFacts): Variable | undefined {
  const isPointer = ({ type }: Variable) => /[*&]$/.test(type) && !/^const\b|\*\*$|^(char|void|int|unsigned|float|double)\b/.test(type);
  return className === undefined && kind === 'function' ? params.find(isPointer) : undefined;
}

const givenStructs = functionTable<string, FunctionFacts>((_, fn) => {
  const param = structParam(fn);
  return param ? [[bareType(param.type), fn]] : [];
});

function violationsIn(file: FileFacts, machine: Machine, end: FunctionFacts, param: Variable): readonly Violation[] {
  const program = programOf(machine);
  if (!program.isConcerned(file, end)) return [];
  const all = givenStructs.of(file, bareType(param.type)).filter((fn) => fn !== end && !ending.test(fn.name));
  // What a function itself undoes on failure says nothing about the time after it.
  const makers = all.filter((fn) => program.isConcerned(file, fn) && !calleesOf(file, fn).includes(end));
  return makers.flatMap((maker) => {
    const fields = program.exitsOf(file, maker).map((exit) => fieldsOf(exit, structParam(maker)!.name, param.name));
    const exits = fields.filter(({ objects }) => objects.size > 0);
    const entries = exits.map((exit) => withoutRewritten(exit, all, maker, param.name)).filter(({ objects }) => objects.size > 0);
    return entries.length > 0 ? program.violationsFrom(file, end, entries) : [];
  });
}

/** The fields of one name for the struct, under another. */
function fieldsOf(exit: State, from: string, to: string): State {
  const state = new State();
  for (const [key, value] of exit.bindings) {
    if (!key.startsWith(`${from}.`) || !/^(obj|num|status|some)$/.test(value.k)) continue;
    const object = value.k === 'obj' ? exit.objects.get(value.id) : undefined;
    if (value.k === 'obj' && (!object || object.escaped)) continue;
    state.bindings.set(to + key.slice(from.length), value);
    if (object) state.objects.set(object.id, object);
  }
  return state;
}

/** Another function that is given the struct may write a field in between; one that only fills an empty field changes nothing then. */
function withoutRewritten(exit: State, all: readonly FunctionFacts[], maker: FunctionFacts, name: string): State {
  const kept = new State();
  for (const [key, value] of exit.bindings) {
    const field = /^\w+(\.\w+)/.exec(key)?.[1];
    const isWritten = all.some(
      (fn) => fn !== maker && fn.events.some((event) => writes(event, fn, field) && !isRuledOut(event, seenBy(exit, fn, name))),
    );
    if (field === undefined || isWritten) continue;
    kept.bindings.set(key, value);
    const object = value.k === 'obj' ? exit.objects.get(value.id) : undefined;
    if (object) kept.objects.set(object.id, object);
  }
  return kept;
}

function seenBy(exit: State, fn: FunctionFacts, name: string): State {
  return fieldsOf(exit, name, structParam(fn)!.name);
}

function writes(event: Event, fn: FunctionFacts, field: string | undefined): boolean {
  const path = event.kind === 'assign' ? pathOf(event.target) : undefined;
  return path !== undefined && path.root === structParam(fn)!.name && path.steps[0] === field;
}
