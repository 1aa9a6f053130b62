// The facts of one file in one arm, kept over the versions of its text: parts that are equal stay identical, and reading one is noted.
import type { ClassFacts, Directive, Expr, FileFacts, FunctionFacts, Language, Span, Token, Variable } from '../facts/index';
import type { EffectSource, Question } from '../flow/summary';
import { type Changes, Memory, type Part } from '../memo/memory';
import { AsksForSubjects, type SubjectFile } from '../memo/rule-runs';
import { sameList } from '../same-list';
import { partOf } from '../syntax/node';
import { ChunkMemo, endOfIndented, endOfPiece } from '../text/chunks';
import { directiveText } from '../text/directives';
import { tokenize, type Vocabulary, vocabularyOf } from '../text/tokens';
import type { Difference } from './c/again';
import type { LostFunction } from './c/lost';
import { LoweredClass } from './class-facts';
import type { ClassDraft, FileContext } from './context';
import { LoweredFunction } from './function';

export interface FileIdentity {
  readonly path: string;
  readonly language: Language;
  readonly arm: string | undefined;
}

const allParts: readonly Part[] = [
  'functions',
  'functions named',
  'functions of class',
  'classes',
  'class',
  'shape of class',
  'place of class',
  'fields of class',
  'methods of class',
  'globals',
  'global',
  'imports',
  'directives',
  'text',
  'token',
  'elsewhere',
  'names elsewhere',
];

const withoutClasses = allParts.filter((part) => !part.includes('class') || part === 'functions of class');

const nobody: readonly FunctionFacts[] = [];
const noNames: ReadonlySet<string> = new Set();

export class LoweredFile implements FileFacts, SubjectFile {
  readonly path: string;
  readonly language: Language;
  readonly arm: string | undefined;
  readonly memory: Memory | undefined;
  /** Functions of a C-family text whose statements are in no function of these facts, as far as those go. For people, not for rules. */
  lost: () => readonly LostFunction[] = () => [];
  /** Counts the versions. */
  #version = 0;
  #text = '';
  #elsewhere: EffectSource | undefined;
  readonly #questions = new Map<string, Question>();
  #tokens: readonly Token[] | undefined;
  readonly #tokensOf = new WeakMap<FunctionFacts, readonly Token[]>();
  #vocabulary: readonly Vocabulary[] | undefined;
  /** What was asked of the vocabulary. */
  readonly #asks = new Map<string, Ask>();
  readonly #hasWord = new Map<string, boolean>();
  readonly #vocabularies: ChunkMemo<Vocabulary>;
  #functions: readonly LoweredFunction[] = [];
  #classes: readonly LoweredClass[] = [];
  #globals: readonly Variable[] = [];
  #directives: readonly Directive[] = [];
  #imports: ReadonlyMap<string, string> = new Map();
  #byName: Lists = new Map();
  #byClass: Lists = new Map();
  #classByName = new Map<string, LoweredClass>();
  #globalByName: ReadonlyMap<string, Variable> = new Map();
  #subject: { readonly one: object | undefined } | undefined;

  /** @param isKept it will be renewed */
  constructor({ path, language, arm }: FileIdentity, isKept: boolean) {
    this.memory = isKept ? new Memory() : undefined;
    this.path = path;
    this.language = language;
    this.arm = arm;
    this.#vocabularies = new ChunkMemo(vocabularyOf, ({ isOpen }) => isOpen, language === 'python' ? endOfIndented : endOfPiece);
  }

  /** Takes in a new version that differs in the insides of functions only. */
  renewPart(text: string, difference: Difference, directives: readonly Directive[], elsewhere: EffectSource | undefined): void {
    this.#renewText(text, directives, elsewhere);
    const { functions, gone, added, classes } = difference;
    if (gone.length + added.length > 0) {
      this.#functions = functions;
      replaceIn(this.#byName, functions, gone, added, ({ name }) => name);
      replaceIn(this.#byClass, functions, gone, added, ({ className }) => className);
    }
    for (const [before, now] of classes) this.#replaceClass(before, now);
    const parts = classes.size > 0 ? allParts : withoutClasses;
    this.memory?.change({ gone, added, reordered: false, parts, partOf: (part, name) => this.#partOf(part, name) });
  }

  #replaceClass(before: ClassDraft, now: ClassDraft): void {
    const at = this.#classes.findIndex(({ node, name }) => node === before.node && name === before.name);
    const old = this.#classes[at];
    if (!old) return;
    const made = LoweredClass.of(now, old, this.memory);
    if (made === old) return;
    this.memory?.forget(old);
    this.#classes = this.#classes.with(at, made);
    if (this.#classByName.get(old.name) === old) this.#classByName.set(old.name, made);
  }

  #renewText(text: string, directives: readonly Directive[], elsewhere: EffectSource | undefined): void {
    this.#version++;
    this.#text = text;
    this.#elsewhere = elsewhere;
    this.#tokens = undefined;
    this.#vocabulary = undefined;
    this.#directives = directives;
  }

  /** Takes in a new version. */
  renew(context: FileContext, directives: readonly Directive[], elsewhere: EffectSource | undefined): void {
    this.#renewText(context.text, directives, elsewhere);
    const functions = this.#renewFunctions(context);
    this.#renewClasses(context);
    this.#globals = sameList(this.#globals, context.globals);
    this.#globalByName = new Map([...this.#globals].reverse().map((each) => [each.name, each]));
    if (JSON.stringify([...context.imports]) !== JSON.stringify([...this.#imports])) this.#imports = context.imports;
    this.memory?.change({ ...functions, parts: allParts, partOf: (part, name) => this.#partOf(part, name) });
  }

  #renewFunctions(context: FileContext): Pick<Changes, 'gone' | 'added' | 'reordered'> {
    const before = this.#functions;
    this.#functions = sameList(before, context.functions);
    if (this.#functions === before) return { gone: [], added: [], reordered: false };
    this.#byName = listsBy(this.#functions, ({ name }) => name, this.#byName);
    this.#byClass = listsBy(this.#functions, ({ className }) => className, this.#byClass);
    return differenceOf(before, this.#functions);
  }

  #renewClasses(context: FileContext): void {
    const before = new Map(this.#classes.map((each) => [each.node, each]));
    const drafts = [...new Set(context.classes.values())];
    const now = drafts.map((draft) => LoweredClass.of(draft, before.get(draft.node) ?? this.#classByName.get(draft.name), this.memory));
    const kept = new Set(now);
    for (const each of this.#classes) if (!kept.has(each)) this.memory?.forget(each);
    this.#classes = sameList(this.#classes, now);
    this.#classByName = new Map([...this.#classes].reverse().map((each) => [each.name, each]));
  }

  get text(): string {
    this.memory?.note('text', '', this.#version);
    return this.#text;
  }
  get functions(): readonly FunctionFacts[] {
    this.memory?.note('functions', '', this.#functions);
    return this.#functions;
  }
  get classes(): readonly ClassFacts[] {
    this.memory?.note('classes', '', this.#classes);
    return this.#classes;
  }
  get globals(): readonly Variable[] {
    this.memory?.note('globals', '', this.#globals);
    return this.#globals;
  }
  get directives(): readonly Directive[] {
    this.memory?.note('directives', '', directiveText(this.#directives));
    return this.#directives;
  }
  get imports(): ReadonlyMap<string, string> {
    this.memory?.note('imports', '', this.#imports);
    return this.#imports;
  }
  get tokens(): readonly Token[] {
    this.memory?.note('text', '', this.#version);
    this.#tokens ??= tokenize(this.#text);
    return this.#tokens;
  }

  tokensOf(fn: FunctionFacts): readonly Token[] {
    const known = this.#tokensOf.get(fn);
    if (known) return known;
    // Whoever has a function has its text: it is another function when that changes.
    const { start, end } = fn.span;
    const made = tokenize(this.#text.slice(start, end)).map(({ span, ...token }) => ({ ...token, span: partOf(fn.span, span.start, span.end) }));
    this.#tokensOf.set(fn, made);
    return made;
  }

  hasToken(kind: 'word' | 'string', pattern: RegExp): boolean {
    const key = `${kind} ${pattern}`;
    if (!this.#asks.has(key)) this.#asks.set(key, { kind, pattern });
    const found = this.#has(key);
    this.memory?.note('token', key, found);
    return found;
  }

  #has(key: string): boolean {
    this.#vocabulary ??= this.#renewedVocabulary();
    let known = this.#hasWord.get(key);
    if (known === undefined) {
      known = hasAny(this.#vocabulary, this.#asks.get(key)!);
      this.#hasWord.set(key, known);
    }
    return known;
  }

  /** What was found stays found where new pieces have it too, and what was not is looked for in them alone. */
  #renewedVocabulary(): readonly Vocabulary[] {
    const vocabulary = this.#vocabularies.of(this.#text);
    const { from, added } = this.#vocabularies.change;
    const fresh = vocabulary.slice(from, from + added);
    for (const [key, had] of this.#hasWord) {
      if (hasAny(fresh, this.#asks.get(key)!)) this.#hasWord.set(key, true);
      else if (had) this.#hasWord.delete(key);
    }
    return vocabulary;
  }

  source(of: Expr | Span): string {
    const span = 'span' in of ? of.span : of;
    return this.#text.slice(span.start, span.end);
  }

  classNamed(name: string): ClassFacts | undefined {
    const found = this.#classByName.get(name);
    this.memory?.note('class', name, found !== undefined);
    return found;
  }

  functionsNamed(name: string): readonly FunctionFacts[] {
    const found = this.#byName.get(name) ?? nobody;
    this.memory?.note('functions named', name, found);
    return found;
  }

  functionsOfClass(name: string): readonly FunctionFacts[] {
    const found = this.#byClass.get(name) ?? nobody;
    this.memory?.note('functions of class', name, found);
    return found;
  }

  globalNamed(name: string): Variable | undefined {
    const found = this.#globalByName.get(name);
    this.memory?.note('global', name, found);
    return found;
  }

  effectsElsewhere(question: Question) {
    const key = JSON.stringify(question);
    this.#questions.set(key, question);
    const found = this.#ask(question);
    this.memory?.note('elsewhere', key, found);
    return found;
  }

  namesElsewhere(machine: string): ReadonlySet<string> {
    const found = this.#elsewhere?.namesFor(machine) ?? noNames;
    this.memory?.note('names elsewhere', machine, found);
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

  #partOf(part: Part, name: string): unknown {
    switch (part) {
      case 'functions':
        return this.#functions;
      case 'functions named':
        return this.#byName.get(name) ?? nobody;
      case 'functions of class':
        return this.#byClass.get(name) ?? nobody;
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
        return directiveText(this.#directives);
      case 'token':
        return this.#has(name);
      case 'text':
        return this.#version;
      case 'elsewhere':
        return this.#ask(this.#questions.get(name));
      case 'names elsewhere':
        return this.#elsewhere?.namesFor(name) ?? noNames;
    }
  }
}

interface Ask {
  readonly kind: 'word' | 'string';
  readonly pattern: RegExp;
}

function hasAny(vocabulary: readonly Vocabulary[], { kind, pattern }: Ask): boolean {
  return vocabulary.some((piece) => piece.has(kind, pattern));
}

type Lists = Map<string, readonly FunctionFacts[]>;

function listsBy(functions: readonly FunctionFacts[], keyOf: (fn: FunctionFacts) => string | undefined, before: Lists): Lists {
  const lists = new Map<string, FunctionFacts[]>();
  for (const fn of functions) {
    const key = keyOf(fn);
    const list = key === undefined ? undefined : lists.get(key);
    if (list) list.push(fn);
    else if (key !== undefined) lists.set(key, [fn]);
  }
  return new Map([...lists].map(([key, list]) => [key, sameList(before.get(key) ?? nobody, list)]));
}

/** Renews the lists of those functions that came or went, and no others. */
function replaceIn(
  lists: Lists,
  functions: readonly FunctionFacts[],
  gone: readonly FunctionFacts[],
  added: readonly FunctionFacts[],
  keyOf: (fn: FunctionFacts) => string | undefined,
): void {
  for (const key of new Set([...gone, ...added].map(keyOf))) {
    if (key === undefined) continue;
    const now = functions.filter((fn) => keyOf(fn) === key);
    if (now.length > 0) lists.set(key, now);
    else lists.delete(key);
  }
}

function differenceOf(before: readonly FunctionFacts[], now: readonly FunctionFacts[]): Pick<Changes, 'gone' | 'added' | 'reordered'> {
  const places = new Map(before.map((fn, i) => [fn, i]));
  const added: FunctionFacts[] = [];
  let reordered = false;
  let last = -1;
  for (const fn of now) {
    const place = places.get(fn);
    if (place === undefined) added.push(fn);
    else {
      reordered ||= place < last;
      last = place;
      places.delete(fn);
    }
  }
  return { gone: [...places.keys()], added, reordered };
}
