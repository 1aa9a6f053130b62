// What the linter knows about APIs, seen from one file: the tables plus the check macros and functions that the file shows.
import type { Call, Consequence, Directive, Expr, Language, Path } from '../facts/index';
import { lastName, pathOf, stripCasts } from '../facts/paths';
import { type Check, macroValue, withoutApplication } from './check-values';
import { guessedConsequence, inferConsequence, knownConsequence, neverReturning } from './checks';
import { type ExtraKnowledge, nothingExtra } from './extra';
import { type Found, findC, findPython, tableOf } from './names';
import type { Api, ApiBinding, Role, Spelling } from './types';
import { dispatchable } from './vulkan';

export * from './handles';
export * from './status';
export { bareType, fieldOrder, unionFirst } from './structs';
export type * from './types';

export interface Callable {
  readonly name: string;
  readonly callee: string;
  readonly receiver: Expr | undefined;
  readonly args: readonly Expr[];
  readonly keywords: ReadonlyMap<string, Expr>;
  readonly form: Call['form'];
  readonly language: Language;
  typeOf(name: string): string | undefined;
}

type Shown = { readonly consequence: Consequence; readonly label: string | undefined } & Pick<Check, 'value' | 'returned' | 'applies'>;

export class Knowledge {
  readonly #shown = new Map<string, Shown>();
  readonly #functions = new Set<string>();

  constructor(private readonly extra: ExtraKnowledge = nothingExtra) {}

  /** A macro of the file that wraps a statement is a check when its body tells what it does. */
  addMacros(directives: readonly Directive[], ofOtherArms: readonly Directive[] = []): void {
    const checking = new Set(ofOtherArms.filter((each) => each.kind === 'define' && shownBy(each)?.leaves).map(({ name }) => name));
    for (const each of directives) {
      const shown = each.kind === 'define' ? shownBy(each) : undefined;
      // `#ifdef NDEBUG #define CHECK(x) x`: what happens after a failure is the matter of the arm that checks.
      if (each.kind === 'define' && each.params?.length && !shown?.leaves && checking.has(each.name))
        this.#shown.set(each.name, { consequence: 'abort', label: undefined, value: undefined });
      else if (shown) this.#shown.set(each.name, shown);
    }
  }

  /** A function of the file that looks like a check by name and is given a status, not some object to look at. */
  addFunction(name: string, body: string, firstType: string | undefined): void {
    this.#functions.add(name);
    if (firstType && /[*&]$/.test(firstType) && !/result|error|status|return/i.test(firstType)) return;
    if (body.length < 1500 && guessedConsequence(name)) this.#shown.set(name, { ...inferConsequence(body, false), value: { kind: 'own' } });
  }

  /** What happens when a check by this name fails; `believed` says that the name alone decides nothing. */
  consequenceOf(name: string): Check | undefined {
    const known = this.extra.checks.get(name);
    const shown = known ? undefined : this.#shown.get(name);
    // What a macro hands to a function of another file comes out of it as anything.
    const value = shown?.value?.kind === 'call' && !this.#functions.has(shown.value.name.split('::').at(-1)!) ? undefined : shown?.value;
    const forwarded = value?.kind === 'call' && value.name !== name ? this.#shown.get(value.name)?.consequence : undefined;
    const own = shown?.consequence === 'unknown' ? (forwarded ?? 'unknown') : shown?.consequence;
    const consequence = known?.consequence ?? own ?? knownConsequence(name);
    if (consequence) return { consequence, believed: true, value, returned: shown?.returned, applies: shown?.applies };
    const guessed = guessedConsequence(name);
    return guessed && { consequence: guessed, believed: false, value: undefined };
  }

  labelOf(name: string): string | undefined {
    return (this.extra.checks.get(name) ?? this.#shown.get(name))?.label;
  }

  neverReturns(name: string): boolean {
    return neverReturning.has(name) || /^(fatal|die|panic|unreachable)(_?(error|exit|msg|message))?$/i.test(name);
  }

  bind(call: Callable): Binding | undefined {
    const isMember = call.receiver !== undefined;
    if (call.form !== 'call') return undefined;
    const found =
      this.#ofProject(call, isMember) ??
      (call.language === 'python'
        ? findPython(call.callee, call.name, isMember)
        : findC({
            name: call.name,
            callee: call.callee,
            isMember,
            table: tableOf(nameOfTable(call.receiver)),
            type: () => call.typeOf(call.name),
            fits: (api) => fits(api, call.args),
            takesHandle: (api) => api.params.length > 1 && call.args.length >= api.params.length && isHandle(call.args[0]!),
          }));
    return found && !isOtherOf(found.api, call) ? new Binding(found, call) : undefined;
  }

  #ofProject({ name, callee, language }: Callable, isMember: boolean): Found | undefined {
    const { apis } = this.extra;
    if (apis.size === 0) return undefined;
    const api = apis.get(callee) ?? apis.get(isMember ? `.${name}` : name);
    return api && { api, spelling: language === 'python' ? 'python' : 'c' };
  }
}

/** `read(slot)`: the system's takes three arguments, so this is a method or function of the project by the same name. */
function isOtherOf({ family, name, params }: Api, { args, language }: Callable): boolean {
  return (
    family === 'posix' && language !== 'python' && /^(close|dup|p?read|p?write|lseek|fsync|ftruncate)$/.test(name) && args.length !== params.length
  );
}

/** `egl` of `platform->egl`, `Egl::get()` and `egl()`. */
function nameOfTable(receiver: Expr | undefined): string | undefined {
  const bare = receiver && stripCasts(receiver);
  if (bare?.kind === 'call') return bare.receiver ? nameOfTable(bare.receiver) : (/(\w+)::\w+$/.exec(bare.callee)?.[1] ?? bare.name);
  const path = pathOf(bare);
  return path && lastName(path).split('::').at(-1);
}

/** What a macro's body shows; undefined for one that is no check. */
function shownBy({ name, params: written, body: text }: Directive): (Shown & { readonly leaves: boolean }) | undefined {
  if (!written?.length) return undefined;
  const { params, body, applies } = withoutApplication(written, text);
  if (callsGpu(params, body)) return undefined;
  const shown = inferConsequence(body, true);
  const leaves = shown.consequence !== 'log' && shown.consequence !== 'unknown';
  const value = leaves ? undefined : macroValue(params, body);
  const isCheck = value || applies || guessedConsequence(name) || (leaves && /\bif\s*\(/.test(body));
  return isCheck
    ? { ...shown, returned: shown.returned === undefined ? undefined : givenBack(shown.returned, params, body), value, leaves, applies }
    : undefined;
}

/** `#define DRAIN(stream) cudaStreamSynchronize(stream)`: it examines no call, it is one. */
function callsGpu(params: readonly string[], body: string): boolean {
  return [...body.matchAll(/\b(?:cuda|cu|hip|vk)(?!Get(?:Error|Last)|\w*ErrorString)[A-Z]\w*\s*\(([^()]*)\)/g)].some(([, args]) =>
    params.some((param) => /^\w+$/.test(param) && new RegExp(String.raw`\b${param}\b`).test(args!)),
  );
}

/** A parameter by its place, also under the name that the macro gives to its value: `auto r_ = (call); if (r_) return r_;`. */
function givenBack(name: string, params: readonly string[], body: string): Check['returned'] {
  const declared = new RegExp(String.raw`\b[\w>]+[\s*&]+${name}\s*(?:=\s*\(?\s*(\w+)|[;({])`).exec(body.replace(/\breturn\b/g, ';'));
  const place = params.indexOf(declared ? (declared[1] ?? '') : name);
  if (place >= 0) return place;
  return declared ? undefined : name;
}

function fits(api: Api, args: readonly Expr[]): boolean {
  const isAddress = (arg: Expr) => /^(unary|path|cast)$/.test(arg.kind);
  return args.length > 1 && args.length === api.params.length && api.params.every((param, i) => !param.out || isAddress(args[i]!));
}

function isHandle(arg: Expr): boolean {
  const bare = stripCasts(arg);
  return bare.kind !== 'init' && !(bare.kind === 'unary' && bare.op === '&');
}

/** True when the call's value tells success or failure. */
export function hasStatus(api: Api | undefined): boolean {
  return api !== undefined && !['void', 'object', 'handle', 'fd'].includes(api.result);
}

export class Binding implements ApiBinding {
  readonly api: Api;
  readonly name: string;
  readonly spelling: Spelling;
  /** Set once the call is an event: vulkan.hpp returns what C writes through a pointer. */
  call: Call | undefined;
  readonly #positions = new Map<string, Expr>();

  constructor(found: Found, callable: Pick<Callable, 'receiver' | 'args' | 'keywords'>) {
    this.api = found.api;
    this.name = found.api.name;
    this.spelling = found.spelling;
    this.#place(callable);
  }

  #place({ receiver, args, keywords }: Pick<Callable, 'receiver' | 'args' | 'keywords'>): void {
    const { params } = this.api;
    const takesReceiver = this.spelling === 'hpp' && receiver !== undefined && dispatchable.has(params[0]?.name ?? '');
    if (takesReceiver) this.#positions.set(params[0]!.name, receiver!);
    const rest = takesReceiver ? params.slice(1) : params;
    const returns = this.spelling === 'hpp' && (args.length < rest.length || (rest.some((param) => param.out) && args.every(isHandle)));
    const written = returns ? rest.filter((param) => !param.out && param.name !== 'allocator' && !/[cC]ount$/.test(param.name)) : rest;
    for (const [i, param] of written.entries()) {
      const arg = keywords.get(param.name) ?? args[i];
      if (arg) this.#positions.set(param.name, arg);
    }
    for (const [name, value] of keywords) this.#positions.set(name, value);
  }

  does(role: Role): boolean {
    return this.api.does.has(role);
  }

  arg(name: string): Expr | undefined {
    return this.#positions.get(name);
  }

  path(name: string): Path | undefined {
    const written = pathOf(this.arg(name));
    if (written || this.arg(name)) return written;
    const isOut = this.api.params.some((param) => param.name === name && param.out);
    return isOut && this.spelling === 'hpp' ? this.call?.result : undefined;
  }
}
