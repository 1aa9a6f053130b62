// Command buffers that one function of an object records, a second one makes invalid and a third one submits.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, pathOf, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { callsMeaning } from '../flow/program';
import { bareType } from '../knowledge/index';
import { fromFunctions } from '../memo/table';
import { type Change, changesIn, mayRecord, submitted } from './command-buffers';
import { reachedCalls } from './releases';

export interface StaleBetween {
  readonly submit: Call;
  readonly commands: Path;
  readonly change: Change;
}

/** A field and the class or struct whose objects have it, however a function names its object. */
interface Field {
  readonly owner: string;
  readonly name: string;
}

interface Recording {
  readonly fn: FunctionFacts;
  readonly commands: Field;
  /** Fields of the same object that the commands read. */
  readonly uses: ReadonlySet<string>;
}

function fieldOf(fn: FunctionFacts, path: Path | undefined): Field | undefined {
  const step = path?.steps[0];
  if (!path || !step?.startsWith('.')) return undefined;
  const type = path.kind === 'this' ? fn.className : path.kind === 'param' ? fn.params.find((param) => param.name === path.root)?.type : undefined;
  return type ? { owner: bareType(type), name: step.slice(1) } : undefined;
}

const recordingsOf = fromFunctions((_, fn): Recording[] => {
  if (fn.degraded) return [];
  return fn.calls.flatMap((begin) => {
    if (begin.api?.name !== 'vkBeginCommandBuffer') return [];
    const commands = fieldOf(fn, pathOf(known(begin, begin.api.arg('commandBuffer') ?? begin.receiver)));
    if (!commands) return [];
    const later = fn.calls.filter((call) => call.id > begin.id);
    const read = later.flatMap((call) => call.args.flatMap((arg) => readBy(call, arg)));
    return [{ fn, commands, uses: new Set(read.flatMap((path) => fieldNamed(fn, path, commands.owner))) }];
  });
});

function fieldNamed(fn: FunctionFacts, path: Path, owner: string): string[] {
  const field = fieldOf(fn, path);
  return field?.owner === owner ? [field.name] : [];
}

function known(at: Event, expr: Expr | undefined): Expr | undefined {
  const value = valueAt(at, expr);
  return value === 'zero' ? undefined : value;
}

/** The paths in an argument, and in what its locals stand for. */
function readBy(at: Event, arg: Expr): Path[] {
  return walk(arg).flatMap((part) => {
    if (part.kind !== 'path') return [];
    const value = known(at, part);
    return [part.path, ...(value && value !== part ? walk(value).flatMap((each) => (each.kind === 'path' ? [each.path] : [])) : [])];
  });
}

/** Changes of fields in functions after which nothing is recorded and nothing is remembered. */
const changesOf = fromFunctions((_, fn): { fn: FunctionFacts; change: Change; field: Field }[] => {
  if (fn.degraded || fn.kind === 'destructor' || fn.kind === 'constructor') return [];
  return changesIn(fn).flatMap((change) => {
    const field = fieldOf(fn, change.thing);
    return field ? [{ fn, change, field }] : [];
  });
});

/** Submits of this function whose command buffers another one recorded and a third one made invalid. */
export function staleBetween(file: FileFacts, fn: FunctionFacts): StaleBetween[] {
  const recordings = fn.degraded ? [] : recordingsOf(file);
  if (recordings.length === 0) return [];
  return fn.calls
    .filter((call) => /^vkQueueSubmit2?$/.test(call.api?.name ?? ''))
    .flatMap((submit) => submitted(submit).flatMap((commands) => firstStale(file, submit, commands, recordings) ?? []))
    .slice(0, 1);
}

function firstStale(file: FileFacts, submit: Call, commands: Path, recordings: readonly Recording[]): StaleBetween | undefined {
  const of = fieldOf(submit.fn, commands);
  const own = of && recordings.filter((each) => each.commands.owner === of.owner && each.commands.name === of.name);
  if (!own || own.length === 0 || submit.fn.events.some((event) => event !== submit && mayRecord(file, event, commands))) return undefined;
  if (own.some((each) => each.fn === submit.fn || areCalledTogether(file, each.fn, submit.fn))) return undefined;
  const found = changesOf(file).find(
    ({ fn, change, field }) =>
      fn !== submit.fn &&
      field.owner === of.owner &&
      own.every((each) => each.fn !== fn && each.uses.has(field.name)) &&
      !isMended(file, fn, change, commands, own),
  );
  return found && { submit, commands, change: found.change };
}

/** A function that calls both: it records for each submit. */
function areCalledTogether(file: FileFacts, recorder: FunctionFacts, submitter: FunctionFacts): boolean {
  return callsMeaning(file, recorder).some((call) =>
    [...reachedCalls(file, call.fn)].some((each) => callsMeaning(file, submitter).includes(each.call)),
  );
}

/** What follows the change records, calls who may, or leaves a note for later; here or in all callers. */
function isMended(file: FileFacts, fn: FunctionFacts, { call }: Change, commands: Path, recordings: readonly Recording[]): boolean {
  if (fn.events.some((event) => event !== call && (mayRecord(file, event, commands) || leavesNote(event)))) return true;
  return callsMeaning(file, fn).some((each) => isFollowed(file, each, commands, recordings));
}

function isFollowed(file: FileFacts, call: Call, commands: Path, recordings: readonly Recording[]): boolean {
  if (recordings.some((each) => each.fn === call.fn)) return true;
  return call.fn.events.some((event) => event !== call && (mayRecord(file, event, commands) || leavesNote(event)));
}

/** `dirty_ = true;`, `generation_++`: whoever submits may look. */
function leavesNote(event: Event): boolean {
  if (event.kind !== 'assign' || event.declares) return false;
  const path = pathOf(event.target);
  const isFlag = event.value?.kind === 'bool' || event.op !== '=' || expressionsOf(event).some((expr) => expr.kind === 'bool');
  return path !== undefined && path.kind !== 'local' && isFlag;
}
