// CUDA events of Python's libraries: who makes them, and which calls record them or wait for them.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { lastName, pathKey, pathOf, stripCasts } from '../facts/paths';
import { callsAssigned } from '../flow/assigned-calls';
import { assignmentsTo } from '../flow/calls';

/** What a call does to an event. */
export interface PythonUse {
  readonly action: 'create' | 'record' | 'wait' | 'host wait' | 'destroy';
  readonly path: Path;
  readonly stream: Expr | undefined;
}

const classes = /^(torch\.(cuda\.)?Event|cupy\.cuda\.(stream\.)?Event|warp\.Event|pycuda\.driver\.Event|numba\.cuda\.event)$/;

/** `torch.cuda.Event()`, and `device.create_event()` of cuda.core. */
export function makesEvent(call: Call): boolean {
  return classes.test(call.callee) || (call.name === 'create_event' && call.receiver !== undefined);
}

const streams =
  /^(torch\.cuda\.(Stream|current_stream|default_stream|ExternalStream)|cupy\.cuda\.(Stream|ExternalStream|get_current_stream)|warp\.(Stream|get_stream)|pycuda\.driver\.Stream|numba\.cuda\.(stream|default_stream|external_stream))$/;

function makesStream(call: Call): boolean {
  return streams.test(call.callee) || (call.name === 'create_stream' && call.receiver !== undefined);
}

const methods: Readonly<Record<string, PythonUse['action']>> = {
  record: 'record',
  wait: 'wait',
  block: 'wait',
  synchronize: 'host wait',
  sync: 'host wait',
  query: 'host wait',
};
const takers: Readonly<Record<string, PythonUse['action']>> = {
  record_event: 'record',
  wait_event: 'wait',
  wait_for_event: 'wait',
  record: 'record',
  wait: 'wait',
  synchronize_event: 'host wait',
};

export function pythonEventUse(call: Call, file?: FileFacts): PythonUse | undefined {
  if (makesEvent(call)) {
    const path = call.result ?? assignedTo(call, 0);
    return path && { action: 'create', path, stream: undefined };
  }
  const bound = ofBindings(call);
  if (bound || (call.fn.returnType !== '' && call.api?.spelling !== 'python')) return bound;
  const arg = call.args[0] ?? call.keywords.get('event');
  const taken = Object.hasOwn(takers, call.name) ? takers[call.name] : undefined;
  const isMethod = /^(record|wait)$/.test(call.name) && isOfEvent(call, arg, file);
  const given = taken && !isMethod ? pathOf(arg) : undefined;
  if (taken && given) return { action: taken, path: given, stream: call.receiver };
  const done = Object.hasOwn(methods, call.name) ? methods[call.name] : undefined;
  const path = done && pathOf(call.receiver);
  return path && { action: done, path, stream: call.args[0] ?? call.keywords.get('stream') };
}

/** `event.record(stream)` and `event.wait(stream)`, not `stream.record(event)`: told by what was made in this function, else by the names. */
function isOfEvent(call: Call, arg: Expr | undefined, file: FileFacts | undefined): boolean {
  const isMade = (path: Path, makes: (call: Call) => boolean) =>
    isMadeBy(call.fn, path, makes) || (file !== undefined && isMadeIn(file, call.fn, path, makes));
  const [receiver, given] = [pathOf(call.receiver), pathOf(arg)];
  if (!given) return true;
  if (receiver && isMade(receiver, makesEvent)) return true;
  if (isMade(given, makesEvent)) return false;
  if (isMade(given, makesStream) || /stream/i.test(lastName(given))) return true;
  if (call.name === 'wait') return !(receiver && (isMade(receiver, makesStream) || /stream/i.test(lastName(receiver))));
  return receiver !== undefined && /event|done|ready|finished|^ev?\d*$/i.test(lastName(receiver));
}

function isMadeBy(fn: FunctionFacts, path: Path, makes: (call: Call) => boolean): boolean {
  return callsAssigned(fn.events).get(pathKey(path))?.some(makes) ?? false;
}

/** A field that some method of the class makes. */
function isMadeIn(file: FileFacts, fn: FunctionFacts, path: Path, makes: (call: Call) => boolean): boolean {
  const isOwn = (each: FunctionFacts) => path.kind === 'this' && each.className === fn.className;
  return assignmentsTo(file, pathKey(path)).some((each) => each.value.kind === 'call' && isOwn(each.fn) && makes(each.value));
}

/** What a result is assigned to, or the part of it that comes behind the status: `err, event = cudart.cudaEventCreate()`. */
function assignedTo(call: Call, part: 0 | 1): Path | undefined {
  const targets = call.fn.events.flatMap((event) => {
    if (event.kind !== 'assign' || !event.value) return [];
    const value = stripCasts(event.value);
    const isPart = value.kind === 'other' && value.operands.length === 1 && value.operands[0] === call;
    return (part === 0 ? value === call : isPart) ? [event.target] : [];
  });
  return pathOf(targets[part]);
}

const bindings: Readonly<Record<string, readonly [PythonUse['action'], event: number, stream?: number]>> = {
  EventRecord: ['record', 0, 1],
  StreamWaitEvent: ['wait', 1, 0],
  EventSynchronize: ['host wait', 0],
  EventQuery: ['host wait', 0],
  EventDestroy: ['destroy', 0],
};

/** CUDA's own functions: `cudart.cudaEventRecord(event, stream)`, and cupy's `runtime.eventRecord(ptr, stream)`. */
function ofBindings(call: Call): PythonUse | undefined {
  const name = call.api || !call.receiver ? undefined : /^(?:cuda|cu|hip)(\w+?)(?:WithFlags|_v2)?$/.exec(call.name)?.[1];
  if (name === 'EventCreate') {
    const path = assignedTo(call, 1);
    return path && { action: 'create', path, stream: undefined };
  }
  const [action, event, stream] = name && Object.hasOwn(bindings, name) ? bindings[name]! : [];
  const path = event === undefined ? undefined : pathOf(call.args[event]);
  return action && path && { action, path, stream: stream === undefined ? undefined : call.args[stream] };
}
