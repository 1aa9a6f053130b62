// seamscope.json: text to configuration. Whatever is wrong is told at its place; the rest still counts.
import type { Span } from '../facts/index';
import { apiOf, type CheckEffect, type ExtraKnowledge, type FunctionSpec } from '../knowledge/extra';
import { apiNamed, apiNames } from '../knowledge/names';
import type { Api, ResultKind } from '../knowledge/types';
import { didYouMean, meantRules, nearestAmong } from '../nearest';
import { type ConfigProblem, isProblem, type JsonEntry, type JsonNode, parseJson } from './json';
import { names, type RuleLevel } from './levels';
import { isName, uselessPattern } from './nonsense';

export interface Config {
  /** Undefined: the command line or the editor decides. */
  readonly preview: boolean | undefined;
  readonly levels: ReadonlyMap<string, RuleLevel>;
  /** Patterns of paths relative to the file's folder. */
  readonly ignore: readonly string[];
  readonly extra: ExtraKnowledge;
}

export interface ConfigResult {
  readonly config: Config;
  readonly problems: readonly ConfigProblem[];
}

const levels: readonly RuleLevel[] = ['off', 'on', 'info', 'warning', 'error'];
const results: readonly ResultKind[] = ['CUresult', 'cudaError', 'VkResult', 'bool', 'fd', 'handle', 'errno', 'void', 'object'];
const consequences = ['return', 'throw', 'abort', 'log'] as const;

/** `ruleIds`: every rule there is. */
export function readConfig(text: string, ruleIds: readonly string[]): ConfigResult {
  const reader = new ConfigReader(ruleIds);
  const config = reader.read(parseJson(text));
  return { config, problems: reader.problems.sort((a, b) => a.span.start - b.span.start) };
}

class ConfigReader {
  readonly problems: ConfigProblem[] = [];
  #preview: boolean | undefined;
  readonly #levels = new Map<string, RuleLevel>();
  #ignore: string[] = [];
  readonly #apis = new Map<string, Api>();
  readonly #checks = new Map<string, CheckEffect>();

  constructor(private readonly ruleIds: readonly string[]) {}

  read(root: JsonNode | ConfigProblem): Config {
    if (isProblem(root)) this.problems.push(root);
    else
      this.#fields(root, 'the file', {
        $schema: (node) => this.#string(node),
        preview: (node) => (this.#preview = this.#boolean(node)),
        rules: (node) => this.#each(node, 'rules', (entry) => this.#rule(entry)),
        ignore: (node) => (this.#ignore = this.#patterns(node)),
        functions: (node) => this.#each(node, 'functions', (entry) => this.#function(entry)),
        checks: (node) => this.#each(node, 'checks', (entry) => this.#check(entry)),
      });
    return { preview: this.#preview, levels: this.#levels, ignore: this.#ignore, extra: { apis: this.#apis, checks: this.#checks } };
  }

  #rule({ key, keySpan, value }: JsonEntry): void {
    if (!this.ruleIds.some((id) => names(key, id))) this.#say(keySpan, `There is no rule "${key}".${didYouMean(meantRules(key, this.ruleIds))}`);
    const level = this.#oneOf(value, levels, `the level of ${key}`);
    if (level) this.#levels.set(key, level);
  }

  #patterns(node: JsonNode): string[] {
    const items = node.kind === 'array' ? node.items : [];
    for (const item of items) {
      const why = item.kind === 'string' ? uselessPattern(item.value) : undefined;
      if (why !== undefined) this.#say(item.span, `This pattern ${why}.`);
    }
    return this.#strings(node, 'ignore');
  }

  #check({ key, keySpan, value }: JsonEntry): void {
    this.#named(key, keySpan);
    if (value.kind === 'object') {
      this.#fields(value, `the check ${key}`, { jumps: (node) => this.#jump(key, node) });
      if (value.entries.length === 0) this.#say(value.span, 'This tells nothing. Write {"jumps": "LABEL"}.');
      return;
    }
    const consequence = this.#oneOf(value, consequences, `what ${key} does`, ' Or write {"jumps": "LABEL"}.');
    if (consequence) this.#checks.set(key, { consequence, label: undefined });
  }

  #jump(key: string, node: JsonNode): void {
    const label = this.#string(node);
    if (label === '') this.#say(node.span, 'A label is wanted here.');
    else if (label !== undefined) this.#checks.set(key, { consequence: 'goto', label });
  }

  #named(key: string, keySpan: Span): void {
    if (!isName(key)) this.#say(keySpan, `"${key}" is no name of a function or macro. Write "take", "ns::take", ".take" or "module.take".`);
  }

  #function({ key, keySpan, value }: JsonEntry): void {
    this.#named(key, keySpan);
    const spec: { -readonly [K in keyof FunctionSpec]: FunctionSpec[K] } = { parameters: [] };
    const list = (field: 'consumes' | 'waits' | 'signals' | 'destroys' | 'closes') => (node: JsonNode) => {
      spec[field] = this.#parametersOf(node, field, value);
    };
    this.#fields(value, `the function ${key}`, {
      parameters: (node) => (spec.parameters = this.#strings(node, 'parameters')),
      consumes: list('consumes'),
      waits: list('waits'),
      signals: list('signals'),
      destroys: list('destroys'),
      closes: list('closes'),
      exports: (node) => {
        const name = this.#string(node);
        if (name !== undefined && (name === 'return' || this.#isParameter(name, node.span, value, ['return']))) spec.exports = name;
      },
      result: (node) => {
        const result = this.#oneOf(node, results, `the result of ${key}`);
        if (result) spec.result = result;
      },
      like: (node) => {
        const api = this.#like(node);
        if (api) spec.like = api;
      },
    });
    if (value.kind === 'object') this.#apis.set(key, apiOf(key, spec));
  }

  #like(node: JsonNode): Api | undefined {
    const name = this.#string(node);
    const api = name === undefined ? undefined : apiNamed(name);
    if (name !== undefined && !api)
      this.#say(node.span, `"${name}" is in none of the tables.${didYouMean(nearestAmong(name, apiNames()).slice(0, 1))}`);
    return api;
  }

  #parametersOf(node: JsonNode, field: string, fn: JsonNode): string[] {
    const items = node.kind === 'array' ? node.items : [];
    return this.#strings(node, field).filter((name, i) => this.#isParameter(name, items[i]?.span ?? node.span, fn));
  }

  #isParameter(name: string, span: Span, fn: JsonNode, also: readonly string[] = []): boolean {
    const parameters = fn.kind === 'object' ? fn.entries.find((entry) => entry.key === 'parameters')?.value : undefined;
    const all = parameters?.kind === 'array' ? parameters.items.flatMap((item) => (item.kind === 'string' ? [item.value] : [])) : [];
    const times = all.filter((each) => each === name).length;
    if (times === 0) this.#say(span, `"${name}" is not among the "parameters".${didYouMean(nearestAmong(name, [...all, ...also]).slice(0, 1))}`);
    if (times > 1) this.#say(span, `"${name}" stands more than once among the "parameters": which one is meant?`);
    return times === 1;
  }

  #fields(node: JsonNode, what: string, known: Readonly<Record<string, (value: JsonNode) => unknown>>): void {
    this.#each(node, what, ({ key, keySpan, value }) => {
      const read = Object.hasOwn(known, key) ? known[key] : undefined;
      if (read) read(value);
      else this.#unknown(key, keySpan, known);
    });
  }

  #unknown(key: string, span: Span, known: object): void {
    const all = Object.keys(known).filter((each) => each !== '$schema');
    this.#say(span, `"${key}" is unknown here.${didYouMean(nearestAmong(key, all).slice(0, 1)) || ` Known: ${all.join(', ')}.`}`);
  }

  #each(node: JsonNode, what: string, visit: (entry: JsonEntry) => void): void {
    if (node.kind === 'object') for (const entry of node.entries) visit(entry);
    else this.#say(node.span, `An object in braces is wanted for ${what}.`);
  }

  #strings(node: JsonNode, what: string): string[] {
    if (node.kind === 'array') return node.items.flatMap((item) => this.#string(item) ?? []);
    this.#say(node.span, `A list of strings in brackets is wanted for "${what}".`);
    return [];
  }

  #string(node: JsonNode): string | undefined {
    if (node.kind === 'string') return node.value;
    this.#say(node.span, 'A string in double quotes is wanted here.');
    return undefined;
  }

  #boolean(node: JsonNode): boolean | undefined {
    if (node.kind === 'boolean') return node.value;
    this.#say(node.span, 'true or false is wanted here.');
    return undefined;
  }

  #oneOf<T extends string>(node: JsonNode, allowed: readonly T[], what: string, more = ''): T | undefined {
    const found = node.kind === 'string' ? allowed.find((each) => each === node.value) : undefined;
    if (!found) {
      const meant = node.kind === 'string' ? likeOneOf(node.value, allowed) : undefined;
      const list = allowed.map((each) => `"${each}"`).join(', ');
      this.#say(node.span, `For ${what} one of ${list} is wanted.${didYouMean(meant === undefined ? [] : [`"${meant}"`]) || more}`);
    }
    return found;
  }

  #say(span: Span, message: string): void {
    this.problems.push({ span, message });
  }
}

/** `warn` is what other linters say for `warning`. */
function likeOneOf(written: string, allowed: readonly string[]): string | undefined {
  return allowed.find((each) => written.length > 2 && each.startsWith(written.toLowerCase())) ?? nearestAmong(written, allowed)[0];
}
