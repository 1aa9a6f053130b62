// Python: `__cuda_array_interface__` that says "no stream" although a method of the class queues work on a stream of its own.
import type { Call, Expr, FileFacts, FunctionFacts, InitExpr, Path } from '../facts/index';
import { isWithin, pathText, walk } from '../facts/paths';
import { streamScopes } from './python-streams';

export interface HiddenStream {
  readonly at: Expr;
  /** Work that may still run. */
  readonly work: Call;
  readonly stream: string;
  readonly data: string;
}

export function hiddenStreams(file: FileFacts, fn: FunctionFacts): HiddenStream[] {
  if (fn.name !== '__cuda_array_interface__' || !fn.className || fn.degraded || fn.calls.some(isWait)) return [];
  const dictionary = fn.events.flatMap((event) => (event.kind === 'return' && event.value?.kind === 'init' ? [event.value] : []))[0];
  const data = dictionary && entry(dictionary, 'data');
  const stream = dictionary && entry(dictionary, 'stream');
  if (!data || stream?.kind !== 'null') return [];
  const own = [...walk(data)].flatMap((part) => (part.kind === 'path' && part.path.kind === 'this' && part.path.steps.length > 0 ? [part.path] : []));
  const methods = file.functionsOfClass(fn.className).filter((each) => each !== fn);
  if (methods.some((each) => each.calls.some(isWait) && !/^(close|stop|shutdown|release|destroy|__exit__|__del__)$/.test(each.name))) return [];
  for (const method of methods) {
    if (method.name === '__init__' || method.degraded) continue;
    for (const path of own) {
      const found = pendingWork(file, method, { ...path, steps: path.steps.slice(0, 1) });
      if (found) return [{ at: stream, work: found.work, stream: found.stream, data: pathText({ ...path, steps: path.steps.slice(0, 1) }) }];
    }
  }
  return [];
}

function entry(dictionary: InitExpr, name: string): Expr | undefined {
  return dictionary.entries.find((each) => each.field?.replace(/["']/g, '') === name)?.value;
}

/** The host waits, or somebody is asked to. */
function isWait(call: Call): boolean {
  return /sync|wait_for|join|flush|finish/i.test(call.name);
}

/** A call that is given the data and is queued on a stream of the object. */
function pendingWork(file: FileFacts, fn: FunctionFacts, data: Path): { work: Call; stream: string } | undefined {
  const scopes = streamScopes(fn, file).filter(({ key }) => key.startsWith('this.'));
  for (const work of fn.calls) {
    if (!isGiven(work, data)) continue;
    const scope = scopes.find(({ begin, end }) => begin.id < work.id && work.id < end.id);
    const stream = scope ? scope.key.replace(/^this\./, '') : streamOf(work);
    if (stream !== undefined) return { work, stream };
  }
  return undefined;
}

function isGiven(call: Call, data: Path): boolean {
  const parts = [...(call.receiver ? [call.receiver] : []), ...call.args, ...call.keywords.values()];
  return parts.some((part) => [...walk(part)].some((inner) => inner.kind === 'path' && isWithin(inner.path, data)));
}

/** `kernel[grid, block, self._stream](...)`, `launch(..., stream=self._stream)`, `cudaMemcpyAsync(..., self._stream)`. */
function streamOf(call: Call): string | undefined {
  const launched = /^\w+\[[^\]]*,\s*self\.(\w*stream\w*)\s*\]$/is.exec(call.callee)?.[1];
  if (launched) return launched;
  const isQueued = /async|launch|copy|fill|memset/i.test(call.name);
  const named = call.keywords.get('stream') ?? (isQueued ? call.args.at(-1) : undefined);
  const path = named && [...walk(named)].find((part) => part.kind === 'path' && part.path.kind === 'this');
  const step = path?.kind === 'path' ? path.path.steps[0] : undefined;
  return step !== undefined && /stream/i.test(step) && isQueued ? step.slice(1) : undefined;
}
