// Annotations in code: `// seamscope: takes-ownership(fd)` before, or behind on the line of, a declaration, definition or #define.
import type { Consequence, Language } from '../facts/index';
import { apiOf, type CheckEffect, type ExtraKnowledge, type FunctionSpec, nothingExtra } from '../knowledge/extra';
import type { Api, ResultKind } from '../knowledge/types';
import { allComments, type Comment, type Comments } from '../suppress/comments';
import { type Declared, declarationAfter, declarationOnLine } from './declaration';

type Verb = 'takes-ownership' | 'returns-ownership' | 'closes' | 'waits' | 'signals' | 'destroys' | 'check';

interface Clause {
  readonly verb: Verb;
  readonly args: readonly string[];
}

const clause = /^(takes-ownership|returns-ownership|closes|waits|signals|destroys|check)\s*(?:\(([^()]*)\))?[\s,;]*/;

export interface Annotations {
  readonly extra: ExtraKnowledge;
  /** Comments that begin like an annotation and say nothing that is understood. */
  readonly malformed: readonly Comment[];
}

const none: Annotations = { extra: nothingExtra, malformed: [] };

/** A quick look: texts without are not scanned. */
export function mayAnnotate(text: string): boolean {
  return /seamscope:[^:]/.test(text);
}

/** What the annotations of a text say about its functions and macros. */
export function annotationsOf(text: string, language: Language, comments: () => Comments = () => allComments(text, language)): Annotations {
  if (!mayAnnotate(text)) return none;
  const apis = new Map<string, Api>();
  const checks = new Map<string, CheckEffect>();
  const malformed: Comment[] = [];
  for (const comment of comments().marked) {
    const body = /^seamscope:\s+([\s\S]*)$/.exec(comment.body)?.[1];
    if (body === undefined) continue;
    const clauses = clausesOf(body);
    const declared = declarationOnLine(text, comment.span, language) ?? declarationAfter(text, comment.span, language);
    const check = clauses?.find(({ verb }) => verb === 'check');
    const effect = check && effectOf(check.args);
    const spec = clauses && declared && !check ? specOf(clauses, declared) : undefined;
    if (declared && effect) checks.set(declared.name, effect);
    else if (declared && spec) for (const name of [declared.name, `.${declared.name}`]) apis.set(name, apiOf(declared.name, spec));
    else malformed.push(comment);
  }
  return { extra: { apis, checks }, malformed };
}

function clausesOf(body: string): Clause[] | undefined {
  const found: Clause[] = [];
  let rest = body.split(' -- ')[0]!.trim();
  while (rest !== '') {
    const match = clause.exec(rest);
    if (!match) return undefined;
    found.push({ verb: match[1] as Verb, args: (match[2] ?? '').split(/[\s,]+/).filter(Boolean) });
    rest = rest.slice(match[0].length);
  }
  return found.length > 0 ? found : undefined;
}

/** `check(return)`, `check(jump cleanup)`. */
function effectOf([what, label]: readonly string[]): CheckEffect | undefined {
  const consequence = what === 'jump' ? 'goto' : (['return', 'throw', 'abort', 'log'] as const).find((each) => each === what);
  return consequence && { consequence: consequence satisfies Consequence, label };
}

/** Undefined when a clause names something that is no parameter. */
function specOf(clauses: readonly Clause[], declared: Declared): FunctionSpec | undefined {
  const asFd = clauses.filter(({ verb }) => verb === 'takes-ownership' || verb === 'closes').flatMap(({ args }) => args);
  const renamed = rename(declared, asFd);
  const known = clauses.every(({ verb, args }) => (args.length > 0 || verb === 'returns-ownership') && args.every((arg) => renamed.has(arg)));
  if (!known) return undefined;
  const of = (wanted: Verb) => {
    const args = clauses.filter(({ verb }) => verb === wanted).flatMap((each) => each.args.map((arg) => renamed.get(arg)!));
    return args.length > 0 ? args : undefined;
  };
  const returnsOwnership = clauses.some(({ verb, args }) => verb === 'returns-ownership' && args.length === 0);
  const exported = returnsOwnership ? 'return' : of('returns-ownership')?.[0];
  const spec: FunctionSpec = { parameters: [...renamed.values()], result: exported === 'return' ? 'fd' : resultOf(declared.returns) };
  return {
    ...spec,
    ...given({ consumes: of('takes-ownership'), closes: of('closes'), waits: of('waits'), signals: of('signals') }),
    ...given({ destroys: of('destroys'), exports: exported }),
  };
}

function given<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: NonNullable<T[K]> };
}

const vocabulary: readonly [RegExp, string][] = [
  [/cudaStream_t|CUstream|hipStream_t/, 'stream'],
  [/cudaEvent_t|CUevent|hipEvent_t/, 'event'],
  [/[sS]emaphore/, 'semaphore'],
  [/VkQueue|vk::Queue/, 'queue'],
  [/VkFence|vk::Fence/, 'fence'],
  [/VkDeviceMemory|vk::DeviceMemory|[eE]xternalMemory/, 'memory'],
  [/VkDevice|vk::Device/, 'device'],
];

/** Own names of parameters to the vocabulary of the tables; a word is given once. */
function rename({ params }: Declared, asFd: readonly string[]): Map<string, string> {
  const taken = new Set<string>();
  return new Map(
    params.map(({ name, type }) => {
      const word = asFd.includes(name) ? 'fd' : (vocabulary.find(([pattern]) => pattern.test(type))?.[1] ?? name);
      const chosen = taken.has(word) ? name : word;
      taken.add(chosen);
      return [name, chosen];
    }),
  );
}

function resultOf(type: string): ResultKind {
  if (/\bvoid$/.test(type)) return 'void';
  if (/\bbool$/.test(type)) return 'bool';
  if (/\b(VkResult|vk::Result)$/.test(type)) return 'VkResult';
  if (/\bCUresult$/.test(type)) return 'CUresult';
  return /\bcudaError(_t)?$/.test(type) ? 'cudaError' : 'object';
}
