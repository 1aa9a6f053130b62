// Runs a machine over a file: every function once, callees by summary, and classes from constructor to destructor.
import type { Call, ClassFacts, FileFacts, FunctionFacts } from '../facts/index';
import { evaluate } from './evaluate';
import type { Machine, Violation } from './machine';
import { type Callees, type SimulationResult, simulate } from './simulate';
import { State } from './state';
import { type EffectSource, type Outcome, summarise } from './summary';

const results = new WeakMap<FileFacts, Map<string, readonly Violation[]>>();

/** All violations of a machine in a file; computed once. */
export function violationsOf(file: FileFacts, machine: Machine, elsewhere?: EffectSource): readonly Violation[] {
  const known = results.get(file) ?? new Map<string, readonly Violation[]>();
  results.set(file, known);
  let found = known.get(machine.name);
  if (!found) {
    found = new Program(file, machine, elsewhere).violations();
    known.set(machine.name, found);
  }
  return found;
}

/** Calls of calls of calls: deeper ones count as unknown. */
const maxDepth = 6;

export class Program implements Callees {
  readonly #runs = new Map<FunctionFacts, SimulationResult>();
  readonly #summaries = new Map<FunctionFacts, readonly Outcome[] | undefined>();
  readonly #stack: FunctionFacts[] = [];

  constructor(
    private readonly file: FileFacts,
    private readonly machine: Machine,
    private readonly elsewhere: EffectSource | undefined,
  ) {}

  violations(): readonly Violation[] {
    const wanted = this.#concerned();
    const found = this.file.functions.filter((fn) => wanted.has(fn)).flatMap((fn) => this.#run(fn).violations);
    const classes = this.file.classes.filter((each) => each.methods.some((method) => wanted.has(method)));
    return [...found, ...classes.flatMap((each) => this.#lifetime(each, wanted))];
  }

  /** Functions with a call that the machine knows, and their callers in this file. */
  #concerned(): ReadonlySet<FunctionFacts> {
    const { machine, file } = this;
    if (!machine.concerns) return new Set(file.functions);
    const wanted = new Set(file.functions.filter((fn) => fn.calls.some((call) => machine.concerns!(call))));
    if (wanted.size === 0) return wanted;
    const callers = new Map<FunctionFacts, FunctionFacts[]>();
    for (const fn of file.functions) {
      for (const call of fn.calls) {
        const callee = call.api ? undefined : resolveCallee(file, call);
        if (callee) callers.set(callee, [...(callers.get(callee) ?? []), fn]);
      }
    }
    for (const fn of wanted) for (const caller of callers.get(fn) ?? []) wanted.add(caller);
    return wanted;
  }

  /** Outcomes of a function for callers in other files. */
  summaryOf(fn: FunctionFacts): readonly Outcome[] | undefined {
    if (!this.#summaries.has(fn)) {
      const { exits, degraded } = this.#run(fn);
      this.#summaries.set(fn, degraded ? undefined : summarise(fn, exits, this.machine.neutral));
    }
    return this.#summaries.get(fn);
  }

  outcomes(call: Call): { callee: FunctionFacts | undefined; outcomes: readonly Outcome[] } | undefined {
    const callee = resolveCallee(this.file, call);
    if (callee) {
      if (this.#stack.includes(callee) || this.#stack.length >= maxDepth) return undefined;
      const outcomes = this.summaryOf(callee);
      return outcomes && { callee, outcomes };
    }
    const outcomes =
      this.file.functionsNamed(call.name).length === 0 ? this.elsewhere?.outcomesOf(call.name, call.args.length, undefined) : undefined;
    return outcomes && { callee: undefined, outcomes };
  }

  #run(fn: FunctionFacts): SimulationResult {
    let known = this.#runs.get(fn);
    if (!known) {
      this.#stack.push(fn);
      known = simulate(fn, this.machine, [this.#entry(fn)], this.file, this);
      this.#stack.pop();
      this.#runs.set(fn, known);
    }
    return known;
  }

  /** A constructor starts with the default member initialisers. */
  #entry(fn: FunctionFacts): State {
    const state = new State();
    if (fn.kind !== 'constructor' || this.file.language === 'python') return state;
    for (const field of this.file.classNamed(fn.className ?? '')?.fields ?? []) {
      const value =
        field.init && evaluate(field.init.kind === 'init' && field.init.entries.length === 1 ? field.init.entries[0]!.value : field.init, state);
      if (value?.k === 'num') state.bindings.set(`this.${field.name}`, value);
    }
    return state;
  }

  /** What a constructor or an initialising method leaves in the fields, the destructor finds. */
  #lifetime(each: ClassFacts, wanted: ReadonlySet<FunctionFacts>): Violation[] {
    const { destructor } = each;
    if (!destructor || this.file.language === 'python') return [];
    return each.methods
      .filter((method) => method !== destructor && wanted.has(method))
      .flatMap((method) => {
        const exits = this.#run(method).exits.map((exit) =>
          fieldsOnly(exit, (name) => method.kind === 'constructor' || !writtenElsewhere(each, method, name)),
        );
        const entries = exits.filter((exit) => exit.objects.size > 0);
        return entries.length === 0 ? [] : simulate(destructor, this.machine, entries, this.file, this).violations;
      });
  }
}

/** The one function of the file that a call means, or undefined. */
export function resolveCallee(file: FileFacts, call: Call): FunctionFacts | undefined {
  if (call.form !== 'call' || call.launch) return undefined;
  const isMember = call.receiver !== undefined;
  const candidates = file.functionsNamed(call.name).filter((fn) => {
    const arity = fn.params.length - (file.language === 'python' && fn.className ? 1 : 0);
    const optional = fn.params.filter((param) => param.init).length;
    const given = call.args.length + call.keywords.size;
    if (given > arity || given < arity - optional) return false;
    if (fn.kind === 'lambda') return false;
    if (!isMember) return !fn.className || fn.className === call.fn.className;
    const onSelf = call.receiver?.kind === 'path' && call.receiver.path.root === 'this' && call.receiver.path.steps.length === 0;
    return fn.className !== undefined && (onSelf ? fn.className === call.fn.className : receiverClass(file, call) === fn.className);
  });
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** The class of a receiver that is a variable of a class of this file. */
function receiverClass(file: FileFacts, call: Call): string | undefined {
  if (call.receiver?.kind !== 'path') return undefined;
  const { root, steps } = call.receiver.path;
  const variable = steps.length === 0 ? [...call.fn.locals, ...call.fn.params].find((each) => each.name === root) : undefined;
  const type = variable?.type.replace(/\bconst\b|[*&\s]/g, '');
  return type ? file.classNamed(type)?.name : undefined;
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

/** Another method than the constructors, `method` and the destructor changes the field, so it may run in between. */
function writtenElsewhere(each: ClassFacts, method: FunctionFacts, field: string): boolean {
  const others = each.methods.filter((fn) => fn !== method && fn.kind === 'method' && fn.name !== 'operator=');
  return others.some((fn) =>
    fn.events.some(
      (event) =>
        event.kind === 'assign' && event.target.kind === 'path' && event.target.path.root === 'this' && event.target.path.steps[0] === `.${field}`,
    ),
  );
}
