// Python: kernels of Numba that are given no stream where arrays of a side stream no longer make Numba wait.
import type { Call, Event, FileFacts, FunctionFacts } from '../facts/index';
import { mentions, pathOf, pathText } from '../facts/paths';
import { holdsForAny } from '../memo/table';
import { type StreamScope, scopeAt, streamScopes } from './python-streams';

export interface StraySide {
  readonly launch: Call;
  readonly scope: StreamScope;
  readonly data: string;
  readonly produced: Event;
}

/** `numba.config.CUDA_ARRAY_INTERFACE_SYNC = False`, or the variable of that name. */
const switchedOff = holdsForAny((_, fn) => fn.events.some(switchesOff));

function switchesOff(event: Event): boolean {
  if (event.kind !== 'assign' || !event.value) return false;
  const last = pathOf(event.target)?.steps.at(-1) ?? '';
  if (last === '.CUDA_ARRAY_INTERFACE_SYNC')
    return event.value.kind === 'bool' ? !event.value.value : event.value.kind === 'number' && event.value.value === 0;
  return /NUMBA_CUDA_ARRAY_INTERFACE_SYNC/.test(last) && event.value.kind === 'string' && event.value.value === '0';
}

/** `with side: x = ...; kernel[blocks, threads](x)`: the kernel goes to Numba's default stream. */
export function straySides(file: FileFacts, fn: FunctionFacts): StraySide[] {
  const launches = fn.calls.filter((call) => isPlainLaunch(file, call));
  if (launches.length === 0 || !switchedOff(file)) return [];
  const scopes = streamScopes(fn, file);
  return launches.flatMap((launch) => {
    const scope = scopeAt(scopes, launch);
    const produced = scope && fn.events.findLast((event) => isProduced(event, scope, launch));
    const isJoined = produced && fn.calls.some((call) => call.id > produced.id && call.id < launch.id && /sync|wait/i.test(call.name));
    return scope && produced?.kind === 'assign' && !isJoined ? [{ launch, scope, data: pathText(pathOf(produced.target)!), produced }] : [];
  });
}

/** A kernel of Numba with grid and block and no stream. */
function isPlainLaunch(file: FileFacts, call: Call): boolean {
  const [, kernel, given] = /^(\w+)\[(.*)\]$/s.exec(call.callee) ?? [];
  if (kernel === undefined || given === undefined || topLevel(given) !== 2) return false;
  return file.functionsNamed(kernel).some((fn) => fn.attributes.some((each) => /\b(cuda\.)?jit\b/.test(each)));
}

/** How many things stand between commas outside of brackets. */
function topLevel(text: string): number {
  let depth = 0;
  let count = 1;
  for (const letter of text) {
    if (/[([{]/.test(letter)) depth++;
    else if (/[)\]}]/.test(letter)) depth--;
    else if (letter === ',' && depth === 0) count++;
  }
  return count;
}

/** Memory or content that was made in the scope and is given to the kernel. */
function isProduced(event: Event, scope: StreamScope, launch: Call): boolean {
  if (event.kind !== 'assign' || !event.value || event.id < scope.begin.id || event.id > launch.id) return false;
  const path = pathOf(event.target);
  return path?.kind === 'local' && path.steps.length === 0 && launch.args.some((arg) => mentions(arg, path)) && event.value.kind !== 'number';
}
