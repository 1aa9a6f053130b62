// The facts of one file in one arm, kept over the versions of its text: parts that are equal stay identical, and reading one is noted.
import type { ClassFacts, Directive, Expr, FileFacts, FunctionFacts, Language, Span, Token, Variable } from '../facts/index';
import type { EffectSource, Question } from '../flow/summary';
import { type Changes, notePart, type Part } from '../memo/reads';
import { AsksForSubjects, type SubjectFile } from '../memo/rule-runs';
import { ChunkMemo } from '../text/chunks';
import { combineVocabularies, tokenize, type Vocabulary, vocabularyOf } from '../text/tokens';
import { LoweredClass, sameList } from './class-facts';
import type { FileContext } from './context';
import { LoweredFunction } from './function';

export interface FileIdentity {
  readonly path: string;
  readonly language: Language;
  readonly arm: string | undefined;
}

/** What has changed is remembered for so many versions. */
const maxChanges = 8;

const nobody: readonly FunctionFacts[] = [];
const noNames: ReadonlySet<string> = new Set();

export class LoweredFile implements FileFacts, SubjectFile {
  readonly path: string;
  readonly language: Language;
  readonly arm: string | undefined;
  version = 0;
  #text = '';
  #elsewhere: EffectSource | undefined;
  readonly #questions = new Map<string, Question>();
  #tokens: readonly Token[] | undefined;
  #vocabulary: Vocabulary | undefined;
  readonly #vocabularies = new ChunkMemo(vocabularyOf, ({ isOpen }) => isOpen);
  #functions: readonly LoweredFunction[] = [];
  #classes: readonly LoweredClass[] = [];
  #globals: readonly Variable[] = [];
  #directives: readonly Directive[] = [];
  #imports: ReadonlyMap<string, string> = new Map();
  #present: ReadonlySet<FunctionFacts> = new Set();
  #byName: ReadonlyMap<string, readonly FunctionFacts[]> = new Map();
  /** Of the last versions, the newest last. */
  readonly #changes: Changes[] = [];
  #classByName: ReadonlyMap<string, LoweredClass> = new Map();
  #globalByName: ReadonlyMap<string, Variable> = new Map();
  #subject: { readonly one: object | undefined } | undefined;

  constructor({ path, language, arm }: FileIdentity) {
    this.path = path;
    this.language = language;
    this.arm = arm;
  }

  /** Takes in a new version. */
  renew(context: FileContext, directives: readonly Directive[], elsewhere: EffectSource | undefined): void {
    this.version++;
    this.#text = context.text;
    this.#elsewhere = elsewhere;
    this.#tokens = undefined;
    this.#vocabulary = undefined;
    this.#renewFunctions(context);
    this.#renewClasses(context);
    this.#globals = sameList(this.#globals, context.globals);
    this.#globalByName = new Map([...this.#globals].reverse().map((each) => [each.name, each]));
    if (JSON.stringify(directives) !== JSON.stringify(this.#directives)) this.#directives = directives;
    if (JSON.stringify([...context.imports]) !== JSON.stringify([...this.#imports])) this.#imports = context.imports;
  }

  #renewFunctions(context: FileContext): void {
    const [before, named] = [this.#functions, this.#byName];
    this.#functions = sameList(before, context.functions);
    if (this.#functions !== before) {
      this.#present = new Set(this.#functions);
      this.#byName = namedLists(this.#functions, named);
    }
    const gone = new Set(before.filter((fn) => !this.#present.has(fn)));
    const names = new Set([...named.keys(), ...this.#byName.keys()].filter((name) => named.get(name) !== this.#byName.get(name)));
    this.#changes.push({ gone, names });
    if (this.#changes.length > maxChanges) this.#changes.shift();
  }

  changesSince(version: number): readonly Changes[] | undefined {
    const count = this.version - version;
    return version > 0 && count <= this.#changes.length ? this.#changes.slice(this.#changes.length - count) : undefined;
  }

  #renewClasses(context: FileContext): void {
    const before = new Map(this.#classes.map((each) => [each.node, each]));
    const drafts = [...new Set(context.classes.values())];
    const now = drafts.map((draft) => LoweredClass.of(draft, before.get(draft.node) ?? this.#classByName.get(draft.name)));
    this.#classes = sameList(this.#classes, now);
    this.#classByName = new Map([...this.#classes].reverse().map((each) => [each.name, each]));
  }

  get text(): string {
    notePart('text', '', this.version);
    return this.#text;
  }
  get functions(): readonly FunctionFacts[] {
    notePart('functions', '', this.#functions);
    return this.#functions;
  }
  get classes(): readonly ClassFacts[] {
    notePart('classes', '', this.#classes);
    return this.#classes;
  }
  get globals(): readonly Variable[] {
    notePart('globals', '', this.#globals);
    return this.#globals;
  }
  get directives(): readonly Directive[] {
    notePart('directives', '', this.#directives);
    return this.#directives;
  }
  get imports(): ReadonlyMap<string, string> {
    notePart('imports', '', this.#imports);
    return this.#imports;
  }
  get tokens(): readonly Token[] {
    notePart('text', '', this.version);
    this.#tokens ??= tokenize(this.#text);
    return this.#tokens;
  }

  hasToken(kind: 'word' | 'string', pattern: RegExp): boolean {
    notePart('text', '', this.version);
    this.#vocabulary ??= combineVocabularies(this.#vocabularies.of(this.#text));
    for (const text of this.#vocabulary[kind]) if (pattern.test(text)) return true;
    return false;
  }

  source(of: Expr | Span): string {
    const span = 'span' in of ? of.span : of;
    return this.#text.slice(span.start, span.end);
  }

  classNamed(name: string): ClassFacts | undefined {
    const found = this.#classByName.get(name);
    notePart('class', name, found !== undefined);
    return found;
  }

  functionsNamed(name: string): readonly FunctionFacts[] {
    const found = this.#byName.get(name) ?? nobody;
    notePart('functions named', name, found);
    return found;
  }

  globalNamed(name: string): Variable | undefined {
    const found = this.#globalByName.get(name);
    notePart('global', name, found);
    return found;
  }

  effectsElsewhere(question: Question) {
    const key = JSON.stringify(question);
    this.#questions.set(key, question);
    const found = this.#ask(question);
    notePart('elsewhere', key, found);
    return found;
  }

  namesElsewhere(machine: string): ReadonlySet<string> {
    const found = this.#elsewhere?.namesFor(machine) ?? noNames;
    notePart('names elsewhere', machine, found);
    return found;
  }

  #ask(question: Question | undefined) {
    return question && this.#elsewhere?.effectsOf({ ...question, from: this.path, windows: this.arm?.startsWith('Windows') === true });
  }

  get subjects(): readonly FunctionFacts[] {
    const asked = this.#asked();
    if (!asked) return this.#functions;
    return asked.one instanceof LoweredFunction ? [asked.one] : [];
  }

  get subjectClasses(): readonly ClassFacts[] {
    const asked = this.#asked();
    return asked ? (asked.one instanceof LoweredClass ? [asked.one] : []) : this.#classes;
  }

  #asked() {
    if (this.#subject && !this.#subject.one) throw new AsksForSubjects();
    return this.#subject;
  }

  get allSubjects(): readonly object[] {
    return [...this.#functions, ...this.#classes];
  }

  withSubject<T>(subject: object | undefined, run: () => T): T {
    this.#subject = { one: subject };
    try {
      return run();
    } finally {
      this.#subject = undefined;
    }
  }

  stillHas(fn: FunctionFacts): boolean {
    return this.#present.has(fn);
  }

  partOf(part: Part, name: string): unknown {
    switch (part) {
      case 'functions':
        return this.#functions;
      case 'functions named':
        return this.#byName.get(name) ?? nobody;
      case 'classes':
        return this.#classes;
      case 'class':
        return this.#classByName.has(name);
      case 'shape of class':
        return this.#classByName.get(name)?.shape;
      case 'place of class':
        return this.#classByName.get(name);
      case 'fields of class':
        return this.#classByName.get(name)?.ownFields;
      case 'methods of class':
        return this.#classByName.get(name)?.ownMethods;
      case 'globals':
        return this.#globals;
      case 'global':
        return this.#globalByName.get(name);
      case 'imports':
        return this.#imports;
      case 'directives':
        return this.#directives;
      case 'text':
        return this.version;
      case 'elsewhere':
        return this.#ask(this.#questions.get(name));
      case 'names elsewhere':
        return this.#elsewhere?.namesFor(name) ?? noNames;
    }
  }
}

function namedLists(functions: readonly FunctionFacts[], before: ReadonlyMap<string, readonly FunctionFacts[]>) {
  const lists = new Map<string, FunctionFacts[]>();
  for (const fn of functions) {
    const list = lists.get(fn.name);
    if (list) list.push(fn);
    else lists.set(fn.name, [fn]);
  }
  return new Map([...lists].map(([name, list]) => [name, sameList(before.get(name) ?? nobody, list)]));
}
