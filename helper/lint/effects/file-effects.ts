// What other files have to know of the functions of one file, as plain data: it crosses threads and outlives the text.
import type { FileFacts, FunctionFacts, Language } from '../facts/index';
import { programOf } from '../flow/program';
import type { Outcome, SummaryValue } from '../flow/summary';
import { wordAtEnd } from '../text/words';
import { machines } from './machines';

export interface DefinedFunction {
  readonly name: string;
  readonly className: string | undefined;
  /** Names of the parameters, without Python's `self`. */
  readonly params: readonly string[];
  /** Parameters without a default. */
  readonly required: number;
  /** Only in one of the platform arms. */
  readonly platform: 'windows' | 'other' | undefined;
  /** By machine; a machine that is missing knows nothing: whatever the function is given escapes. */
  readonly effects: Readonly<Record<string, readonly Outcome[]>>;
}

export interface FileEffects {
  readonly functions: readonly DefinedFunction[];
  /** Methods declared virtual or overriding: a call may mean another one. */
  readonly virtual: readonly string[];
  /** Names of the functions called that the file does not define, one a line. */
  readonly calls: string;
}

/** The effects of a file by its facts, one for each preprocessor arm. Nothing of the facts is kept. */
export function fileEffects(arms: readonly FileFacts[]): FileEffects {
  const functions = arms.flatMap((file) => file.functions.flatMap((fn) => (isVisible(file, fn) ? [defined(file, fn)] : [])));
  const virtual = [...new Set(arms.flatMap((file) => virtualMethods(file.text)))];
  const calls = [...new Set(arms.flatMap(callsOut))].sort();
  return { functions: distinct(functions), virtual, calls: calls.join('\n') };
}

/** Both arms of a file have most of its functions. */
function distinct(functions: readonly DefinedFunction[]): DefinedFunction[] {
  return [...new Map(functions.map((each) => [JSON.stringify(each), each])).values()];
}

const header = /\.(h|hh|hpp|hxx|cuh|inl|ipp)$/i;

/** Another file may mean it by its name. */
function isVisible({ path }: FileFacts, { kind, parent, attributes, className }: FunctionFacts): boolean {
  if (kind === 'lambda' || kind === 'module' || (parent && parent.kind !== 'module')) return false;
  const isOwn = attributes.includes('unnamed namespace') || (attributes.includes('static') && className === undefined);
  return !isOwn || header.test(path);
}

function defined(file: FileFacts, fn: FunctionFacts): DefinedFunction {
  const hasSelf = file.language === 'python' && fn.className !== undefined;
  const params = hasSelf ? fn.params.slice(1) : fn.params;
  return {
    name: fn.name,
    className: fn.className,
    params: params.map(({ name }) => name),
    required: params.filter(({ init }) => !init).length,
    platform: platformOf(file.arm),
    effects: fn.attributes.includes('template') || hasSelf ? {} : effectsOf(file, fn),
  };
}

function platformOf(arm: string | undefined): DefinedFunction['platform'] {
  if (arm?.startsWith('Windows')) return 'windows';
  return arm?.startsWith('not Windows') ? 'other' : undefined;
}

function effectsOf(file: FileFacts, fn: FunctionFacts): DefinedFunction['effects'] {
  const known = machines.flatMap((machine) => {
    const program = programOf(machine);
    const tell = () => (machine.tellOthers ? machine.tellOthers(file, fn) : program.summaryOf(file, fn));
    const outcomes = program.isConcerned(file, fn) ? tell() : undefined;
    return outcomes ? [[machine.name, outcomes.map(portable)] as const] : [];
  });
  return Object.fromEntries(known);
}

/** Without the events on the way: they are places in a text that nobody has. */
function portable(outcome: Outcome): Outcome {
  return {
    returned: outcome.returned && withoutHistory(outcome.returned),
    requires: outcome.requires,
    moves: outcome.moves.map((move) => ({ ...move, history: [] })),
    binds: outcome.binds.map(({ place, value }) => ({ place, value: withoutHistory(value) })),
    handed: outcome.handed,
  };
}

function withoutHistory(value: SummaryValue): SummaryValue {
  return value.k === 'new' ? { ...value, history: [] } : value;
}

function callsOut(file: FileFacts): string[] {
  const called = file.functions.flatMap((fn) => fn.calls.flatMap(({ name, api, form }) => (api || form !== 'call' ? [] : name)));
  return [...new Set(called)].filter((name) => file.language === 'python' || file.functionsNamed(name).length === 0);
}

/** Names of methods that a text declares virtual or overriding. */
export function virtualMethods(text: string): string[] {
  if (!/\b(virtual|override|final)\b/.test(text)) return [];
  const declared = [...text.matchAll(/\bvirtual\b([^;{}()]*)(\(?)/g)].map(([, head, opens]) => (opens ? wordAtEnd(head!) : undefined));
  const overriding = [...text.matchAll(/(?<!\w)(~?\w+)\s*\([^;{}()]*\)[^;{}()]*\b(?:override|final)\b/g)].map((match) => match[1]);
  return [...declared, ...overriding].filter((name) => name !== undefined);
}

const definition = /(?<!\w)(?:(\w+)::)?(~?\w+)\s*\([^;{}()]*\)\s*(?:(?:const|noexcept|override|final|volatile)\b\s*)*\{/g;
const pythonDefinition = /^[ \t]*()def[ \t]+(\w+)/gm;
/** How many parameters it has, nobody has counted. */
const anyNumber: readonly string[] = Array.from({ length: 40 }, () => '');

/** A file that names nothing of the seam: of the wanted functions that it defines, nothing is known but that they are there. */
export function opaqueEffects(text: string, language: Language, isWanted: (name: string) => boolean): FileEffects | undefined {
  const found = new Map<string, DefinedFunction>();
  for (const [all, scope, name] of text.matchAll(language === 'python' ? pythonDefinition : definition)) {
    if (!isWanted(name!)) continue;
    const className = scope !== undefined && /^[A-Z]/.test(scope) ? scope : undefined;
    found.set(all, { name: name!, className, params: anyNumber, required: 0, platform: undefined, effects: {} });
  }
  const virtual = virtualMethods(text).filter(isWanted);
  return found.size + virtual.length > 0 ? { functions: [...found.values()], virtual, calls: '' } : undefined;
}
