// Functions and checks that a workspace or an annotation in the code adds to the tables.
import type { Consequence } from '../facts/events';
import type { Api, ApiParam, ResultKind, Role } from './types';

export interface CheckEffect {
  readonly consequence: Consequence;
  /** Target of a `goto`. */
  readonly label: string | undefined;
}

export interface ExtraKnowledge {
  /** By name: `takeBuffer`, `ns::takeBuffer`, `.take` for a method, `module.take` in Python. */
  readonly apis: ReadonlyMap<string, Api>;
  readonly checks: ReadonlyMap<string, CheckEffect>;
}

export const nothingExtra: ExtraKnowledge = { apis: new Map(), checks: new Map() };

/** Later ones win. */
export function combineExtra(...parts: readonly (ExtraKnowledge | undefined)[]): ExtraKnowledge {
  const given = parts.filter((part) => part !== undefined && part.apis.size + part.checks.size > 0) as ExtraKnowledge[];
  if (given.length <= 1) return given[0] ?? nothingExtra;
  return { apis: new Map(given.flatMap(({ apis }) => [...apis])), checks: new Map(given.flatMap(({ checks }) => [...checks])) };
}

const words = new WeakMap<ExtraKnowledge, RegExp>();

/** Finds any of the added function names in a text; undefined when there are none. */
export function wordsOf(extra: ExtraKnowledge | undefined): RegExp | undefined {
  if (!extra || extra.apis.size === 0) return undefined;
  const known = words.get(extra);
  if (known) return known;
  const last = [...extra.apis.keys()].map((name) => name.split(/::|\./).at(-1)!.replace(/\W/g, '\\$&'));
  const made = new RegExp(`\\b(?:${last.join('|')})\\b`);
  words.set(extra, made);
  return made;
}

/** What a function of the project does, in the words of seamscope.json. Names are names of `parameters`. */
export interface FunctionSpec {
  /** In order; the vocabulary of the tables where it fits: `stream`, `event`, `fd`, `memory`, `semaphore`, ... */
  readonly parameters: readonly string[];
  readonly consumes?: readonly string[];
  /** `return`, or a parameter that is written through. */
  readonly exports?: string;
  /** Makes the stream or queue among its parameters wait; without one it blocks the host. */
  readonly waits?: readonly string[];
  readonly signals?: readonly string[];
  readonly destroys?: readonly string[];
  readonly closes?: readonly string[];
  readonly result?: ResultKind;
  /** A row of the tables that it stands for. */
  readonly like?: Api;
}

/** The table row of a function of the project. */
export function apiOf(name: string, spec: FunctionSpec): Api {
  const { like, parameters, exports: exported } = spec;
  const params = parameters.map((each): ApiParam => {
    const known = like?.params.find((param) => param.name === each);
    return { name: each, out: known?.out ?? each === exported, descriptor: known?.descriptor };
  });
  return {
    name: like?.name ?? name,
    family: like?.family ?? 'own',
    does: new Set([...(like?.does ?? []), ...rolesOf(spec)]),
    result: spec.result ?? like?.result ?? (exported === 'return' ? 'fd' : 'object'),
    params: parameters.length > 0 || !like ? params : like.params,
    consumes: spec.consumes && new Set(spec.consumes),
  };
}

function rolesOf({ parameters, exports: exported, waits, signals, destroys, closes }: FunctionSpec): Role[] {
  const roles: Role[] = [];
  if (exported !== undefined) roles.push('export');
  if (waits) roles.push(parameters.some((each) => each === 'stream' || each === 'queue') ? 'wait' : 'sync');
  if (signals) roles.push('signal');
  if (destroys) roles.push('destroy');
  if (destroys?.some((each) => each === 'memory' || each === 'ptr')) roles.push('free');
  if (closes) roles.push('close');
  return roles;
}
