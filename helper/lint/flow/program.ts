// Runs a machine over a file: every function once, callees by summary, and classes from constructor to destructor.
import type { Call, ClassFacts, FileFacts, FunctionFacts, Variable } from '../facts/index';
import { declarationOf } from '../facts/paths';
import { fileQuery, functionQuery } from '../memo/query';
import { functionTable } from '../memo/table';
import { questionOf } from './elsewhere';
import { evaluate } from './evaluate';
import { noteGivenUp } from './given-up';
import { isRuledOut } from './guards';
import type { Machine, Violation } from './machine';
import { type SimulationResult, simulate } from './simulate';
import { State, type Value } from './state';
import { type Effects, type Outcome, summarise } from './summary';

/** The violations of a machine in the subjects of a file. */
export function violationsOf(file: FileFacts, machine: Machine): readonly Violation[] {
  const program = programOf(machine);
  return [
    ...file.subjects.flatMap((fn) => program.violationsIn(file, fn)),
    ...file.subjectClasses.flatMap((each) => program.violationsInLifetime(file, each)),
    ...file.subjects.flatMap((fn) => (isOfClassElsewhere(file, fn) ? program.violationsInEnding(file, fn) : [])),
  ];
}

const programs = new WeakMap<Machine, Program>();

export function programOf(machine: Machine): Program {
  const known = programs.get(machine) ?? new Program(machine);
  programs.set(machine, known);
  return known;
}

/** Stands for a call of the caller. */
const nobodys = -1;

/** Calls of calls of calls: deeper ones count as unknown. */
const maxDepth = 60;

/** Runs one machine over the functions of files; each function once as long as neither it nor what it calls changes. */
export class Program {
  #depth = 0;
  readonly #elsewhere = fileQuery((file) => calledOf(file, file.namesElsewhere(this.machine.name)));
  readonly #isDirect = functionQuery((file, fn) => {
    const { concerns } = this.machine;
    const known = this.#elsewhere(file);
    return !concerns || fn.calls.some((call) => concerns(call) || (known.size > 0 && !call.api && known.has(call.name)));
  });
  readonly #isConcerned = functionQuery((file, fn) => isReached(file, fn, (each) => this.#isDirect(file, each)));
  readonly #run = functionQuery((file, fn) => this.#simulate(file, fn, [entryOf(file, fn)]));
  readonly #summary = functionQuery((file, fn) => {
    const { exits, degraded } = this.#run(file, fn);
    return degraded ? undefined : summarise(fn, exits, this.machine.neutral);
  });

  readonly #onStatuses = new Map<string, (file: FileFacts, fn: FunctionFacts) => readonly Outcome[] | undefined>();

  constructor(readonly machine: Machine) {}

  violationsIn(file: FileFacts, fn: FunctionFacts): readonly Violation[] {
    if (!this.#isConcerned(file, fn)) return [];
    const { violations, degraded } = this.#run(file, fn);
    if (degraded) noteGivenUp(file, fn);
    return violations;
  }

  /** Outcomes of a function for its callers; undefined when nothing is known. */
  summaryOf(file: FileFacts, fn: FunctionFacts): readonly Outcome[] | undefined {
    return this.#summary(file, fn);
  }

  /** The states in which a function returns. */
  exitsOf(file: FileFacts, fn: FunctionFacts): readonly State[] {
    return this.#run(file, fn).exits;
  }

  /** What happens in a function that begins in these states. */
  violationsFrom(file: FileFacts, fn: FunctionFacts, entries: readonly State[]): readonly Violation[] {
    return this.#simulate(file, fn, entries).violations;
  }

  /** The function has a call that the machine knows, or calls a function of the file that has. */
  isConcerned(file: FileFacts, fn: FunctionFacts): boolean {
    return this.#isConcerned(file, fn);
  }

  /** What other files tell may be too much to follow. Then their functions are unknown ones, and what is left is judged. */
  #simulate(file: FileFacts, fn: FunctionFacts, entries: readonly State[]): SimulationResult {
    this.#depth++;
    try {
      const known = (asksElsewhere: boolean) => (call: Call, state: State) => this.#outcomes(file, call, state, asksElsewhere);
      const starts = entries.map((each) => each.clone());
      const whole = simulate(fn, this.machine, entries, file, { outcomes: known(true) });
      if (!whole.degraded || fn.degraded || this.#elsewhere(file).size === 0) return whole;
      return simulate(fn, this.machine, starts, file, { outcomes: known(false) });
    } finally {
      this.#depth--;
    }
  }

  #outcomes(file: FileFacts, call: Call, state: State, asksElsewhere: boolean): Effects | undefined {
    const callee = resolveCallee(file, call);
    if (callee) {
      // Of functions that call each other in a circle nothing is known, whichever comes first.
      if (this.#depth >= maxDepth || isReached(file, callee, (each) => each === call.fn)) return undefined;
      const outcomes = this.#onStatus(file, callee, call, state) ?? this.#summary(file, callee);
      return outcomes && { params: callee.params.map(({ name }) => name), outcomes };
    }
    if (!asksElsewhere || !this.#elsewhere(file).has(call.name)) return undefined;
    const question = questionOf(file, call, this.machine.name);
    return question && file.effectsElsewhere(question);
  }

  /** Outcomes of a function that is given the status of a call, which this state assumes. */
  #onStatus(file: FileFacts, callee: FunctionFacts, call: Call, state: State): readonly Outcome[] | undefined {
    const values = call.args.map((arg) => evaluate(arg, state));
    const at = values.findIndex((each) => each?.k === 'status');
    const given = values[at];
    const param = callee.params[at];
    if (given?.k !== 'status' || !param || /[*&]$/.test(param.type)) return undefined;
    const key = `${at} ${given.ok} ${given.result}`;
    const known = this.#onStatuses.get(key) ?? this.#summaryOn(at, { k: 'status', call: nobodys, ok: given.ok, result: given.result });
    this.#onStatuses.set(key, known);
    return known(file, callee);
  }

  #summaryOn(param: number, status: Value) {
    return functionQuery((file, fn) => {
      const entry = entryOf(file, fn);
      entry.bindings.set(fn.params[param]!.name, status);
      const { exits, degraded } = this.#simulate(file, fn, [entry]);
      return degraded ? undefined : summarise(fn, exits, this.machine.neutral);
    });
  }

  /** What a constructor or an initialising method leaves in the fields, the destructor finds, and a method that ends the object. */
  violationsInLifetime(file: FileFacts, each: ClassFacts): readonly Violation[] {
    const endings =
      file.language === 'python' ? [] : each.methods.filter((fn) => ends(fn) && (fn.kind === 'destructor' || this.#isConcerned(file, fn)));
    if (endings.length === 0) return [];
    return endings.flatMap((ending) => this.#violationsBefore(file, each, ending));
  }

  /** The same for the methods that the file defines of a class that is declared elsewhere. */
  violationsInEnding(file: FileFacts, fn: FunctionFacts): readonly Violation[] {
    if (!ends(fn) || !this.#isConcerned(file, fn)) return [];
    const methods = file.functionsOfClass(fn.className ?? '').filter(({ kind }) => kind !== 'lambda');
    const destructor = methods.find(({ kind }) => kind === 'destructor');
    return this.#violationsBefore(file, { methods, destructor }, fn);
  }

  #violationsBefore(file: FileFacts, each: Methods, ending: FunctionFacts): readonly Violation[] {
    const before = each.methods.filter((fn) => fn !== ending && (ending === each.destructor || !ends(fn)) && this.#isConcerned(file, fn));
    return before.flatMap((method) => this.#violationsBetween(file, each, method, ending));
  }

  #violationsBetween(file: FileFacts, each: Methods, method: FunctionFacts, ending: FunctionFacts): readonly Violation[] {
    // What the method itself undoes on failure says nothing about the time after it, and of what the destructor calls it tells itself.
    const isShown = ending.kind === 'destructor' || !isReached(file, method, (fn) => fn === ending);
    if (!isShown || (each.destructor && each.destructor !== ending && isReached(file, each.destructor, (fn) => fn === ending))) return [];
    const exits = this.#run(file, method).exits.map((exit) =>
      fieldsOnly(
        exit,
        (name) =>
          method.kind === 'constructor' ||
          !writtenElsewhere(
            each,
            method,
            fieldsOnly(exit, () => true),
            name,
          ),
      ),
    );
    const entries = exits.filter((exit) => exit.objects.size > 0);
    return entries.length === 0 ? [] : this.#simulate(file, ending, entries).violations;
  }
}

function isOfClassElsewhere(file: FileFacts, fn: FunctionFacts): boolean {
  return file.language !== 'python' && fn.className !== undefined && ends(fn) && !file.classNamed(fn.className);
}

type Methods = Pick<ClassFacts, 'methods' | 'destructor'>;

const ending = /^_*(release|destroy|clean_?up|shut_?down|close|free|tear_?down|terminate|de_?init|un_?init|fini$|finali[sz]e|dispose|destruct)/i;

/** The destructor, and methods by whose name the object is of no use afterwards. */
function ends(fn: FunctionFacts): boolean {
  return fn.kind === 'destructor' || (fn.kind === 'method' && fn.params.length === 0 && ending.test(fn.name));
}

/** A constructor starts with the default member initialisers. */
function entryOf(file: FileFacts, fn: FunctionFacts): State {
  const state = new State();
  if (fn.kind !== 'constructor' || file.language === 'python') return state;
  for (const field of file.classNamed(fn.className ?? '')?.fields ?? []) {
    const value =
      field.init && evaluate(field.init.kind === 'init' && field.init.entries.length === 1 ? field.init.entries[0]!.value : field.init, state);
    if (value?.k === 'num') state.bindings.set(`this.${field.name}`, value);
  }
  return state;
}

/** Those of the names that the file calls. */
function calledOf(file: FileFacts, names: ReadonlySet<string>): ReadonlySet<string> {
  if (names.size === 0) return names;
  const called = callsByName.keys(file);
  return new Set([...names].filter((name) => called.has(name)));
}

/** Calls that no table knows, by the name called. */
const callsByName = functionTable<string, Call>((_, fn) => fn.calls.flatMap((call) => (call.api ? [] : [[call.name, call]])));

/** Calls that no table knows, by the name that they call. */
export function callsNamed(file: FileFacts, name: string): readonly Call[] {
  return callsByName.of(file, name);
}

/** Names of what a function calls that no table knows. */
export const namesCalled = functionQuery((_, fn) => [...new Set(fn.calls.flatMap((call) => (call.api ? [] : call.name)))]);

/** Functions of the file that a function calls. */
export const calleesOf = functionQuery((file, fn) => [...new Set(fn.calls.flatMap((call) => (call.api ? [] : (resolveCallee(file, call) ?? []))))]);

const callers = functionTable((file, fn) => calleesOf(file, fn).map((callee) => [callee, fn] as const));

/** Functions of the file that call a function. */
export function callersOf(file: FileFacts, fn: FunctionFacts): readonly FunctionFacts[] {
  return callers.of(file, fn);
}

const meaning = functionTable<FunctionFacts, Call>((file, fn) =>
  fn.calls.flatMap((call) => {
    const callee = resolveCallee(file, call);
    return callee ? [[callee, call]] : [];
  }),
);

/** Calls that mean a function of the file. */
export function callsMeaning(file: FileFacts, callee: FunctionFacts): readonly Call[] {
  return meaning.of(file, callee);
}

/** True when `test` holds for the function or one that it calls, however deep. */
function isReached(file: FileFacts, from: FunctionFacts, test: (fn: FunctionFacts) => boolean): boolean {
  const seen = new Set([from]);
  for (const fn of seen) {
    if (test(fn)) return true;
    for (const callee of calleesOf(file, fn)) seen.add(callee);
  }
  return false;
}

/** The one function of the file that a call means, or undefined. */
export function resolveCallee(file: FileFacts, call: Call): FunctionFacts | undefined {
  if (call.form !== 'call' || call.launch) return undefined;
  const isMember = call.receiver !== undefined;
  const named = isMember ? undefined : classNamedIn(file, call.callee);
  const candidates = file.functionsNamed(call.name).filter((fn) => {
    const arity = fn.params.length - (file.language === 'python' && fn.className && !fn.attributes.includes('@staticmethod') ? 1 : 0);
    const optional = fn.params.filter((param) => param.init).length;
    const given = call.args.length + call.keywords.size;
    if (given > arity || given < arity - optional) return false;
    if (fn.kind === 'lambda') return false;
    if (named) return fn.className === named;
    if (!isMember) return !fn.className || fn.className === call.fn.className || isOfTypeParameter(call, fn);
    const onSelf = call.receiver?.kind === 'path' && call.receiver.path.root === 'this' && call.receiver.path.steps.length === 0;
    return fn.className !== undefined && (onSelf ? fn.className === call.fn.className : receiverClass(file, call) === fn.className);
  });
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** `Fence` of `Fence::from_fd`, a static method of a class of the file. */
function classNamedIn(file: FileFacts, callee: string): string | undefined {
  const name = /(\w+)::\w+$/.exec(callee)?.[1];
  return name === undefined ? undefined : file.classNamed(name)?.name;
}

/** `Alloc::free(p)` of a template, where the file shows one static method that it can be. */
function isOfTypeParameter({ callee, fn: from }: Call, fn: FunctionFacts): boolean {
  return /^[A-Z]\w*::\w+$/.test(callee) && from.className !== undefined && fn.attributes.includes('static');
}

/** The class of a receiver that is a variable, or a field of the own object, of a class of this file. */
function receiverClass(file: FileFacts, call: Call): string | undefined {
  if (call.receiver?.kind !== 'path') return undefined;
  const { path } = call.receiver;
  const variable = path.steps.length === 0 ? declarationOf(call.fn, path) : ownField(file, call, path.steps);
  const type = variable?.type.replace(/\bconst\b|[*&\s]/g, '');
  const held = type && !ofPointers.test(call.name) ? /^(?:std::)?(?:unique_ptr|shared_ptr|optional)<(\w+)>$/.exec(type)?.[1] : undefined;
  const name = held ?? type;
  return name ? file.classNamed(name)?.name : undefined;
}

/** Methods of smart pointers themselves. */
const ofPointers = /^(reset|get|release|swap|value|value_or|emplace|has_value|use_count)$/;

function ownField(file: FileFacts, { fn, receiver }: Call, steps: readonly string[]): Variable | undefined {
  if (receiver?.kind !== 'path' || receiver.path.kind !== 'this' || steps.length !== 1 || !fn.className) return undefined;
  return file.classNamed(fn.className)?.fields.find(({ name }) => `.${name}` === steps[0]);
}

function fieldsOnly(exit: State, wanted: (field: string) => boolean): State {
  const state = new State();
  for (const [key, value] of exit.bindings) {
    const field = /^this\.(\w+)/.exec(key)?.[1];
    if (!field || !wanted(field) || (value.k !== 'obj' && value.k !== 'num' && value.k !== 'status' && value.k !== 'some')) continue;
    state.bindings.set(key, value);
    const object = value.k === 'obj' ? exit.objects.get(value.id) : undefined;
    if (object && !object.escaped) state.objects.set(object.id, object);
    else if (object) state.bindings.delete(key);
  }
  return state;
}

/**
 * Another method than the constructors, `method` and those that end the object changes the field, so it may run in between. One that
 * only fills an empty field, `if (fd_ < 0) fd_ = f()`, changes nothing then.
 */
function writtenElsewhere(each: Methods, method: FunctionFacts, exit: State, field: string): boolean {
  const others = each.methods.filter((fn) => fn !== method && fn.kind === 'method' && fn.name !== 'operator=' && !ends(fn));
  return others.some((fn) =>
    fn.events.some(
      (event) =>
        event.kind === 'assign' &&
        event.target.kind === 'path' &&
        event.target.path.root === 'this' &&
        event.target.path.steps[0] === `.${field}` &&
        !isRuledOut(event, exit),
    ),
  );
}
