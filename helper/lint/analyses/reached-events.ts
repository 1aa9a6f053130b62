// Everything that runs while a function does: what it does itself, in helpers, in constructors and in lists of initialisers.
import type { Assign, Event, FileFacts, FunctionFacts } from '../facts/index';
import { pathOf } from '../facts/paths';
import { resolveCallee } from '../flow/program';
import { typeOfPath } from '../flow/visible';
import { classMade, constructorOf } from './constructions';

export interface ReachedEvent {
  readonly event: Event;
  /** The event in the outermost function because of which it runs. */
  readonly site: Event;
  /** How it is reached: the site, what runs inside it, and so on to the event itself. */
  readonly way: readonly Event[];
}

/** In order of the text; functions and constructors that the file shows are entered. */
export function* reachedEvents(file: FileFacts, fn: FunctionFacts, depth = 4, left = { events: mostInCallees }): Generator<ReachedEvent> {
  for (const event of fn.events) {
    yield { event, site: event, way: [event] };
    const callee = depth > 0 && left.events > 0 ? entered(file, event) : undefined;
    if (!callee || callee === fn) continue;
    left.events -= callee.events.length;
    for (const inner of reachedEvents(file, callee, depth - 1, left)) yield { event: inner.event, site: event, way: [event, ...inner.way] };
  }
}

/** Of what is reached, as of calls: functions that call each other have more ways than can be walked. */
const mostInCallees = 30_000;

function entered(file: FileFacts, event: Event): FunctionFacts | undefined {
  if (event.kind === 'assign') return initialised(file, event);
  if (event.kind !== 'call' || event.api) return undefined;
  const made = classMade(file, event);
  return made ? constructorOf(file, made, event.args.length) : resolveCallee(file, event);
}

/** `vulkan_(options)` in a constructor: the field is made by a constructor of its class. */
function initialised(file: FileFacts, { fn, target, value }: Assign): FunctionFacts | undefined {
  const path = fn.kind === 'constructor' ? pathOf(target) : undefined;
  if (path?.kind !== 'this' || path.steps.length !== 1 || !value || value.kind === 'call') return undefined;
  const type = typeOfPath(file, fn, path);
  return type ? constructorOf(file, type, value.kind === 'init' ? value.entries.length : 1) : undefined;
}
