// What the lowering of all functions of one file shares.
import type { Expr, Language, Span, Variable } from '../facts/index';
import type { Knowledge } from '../knowledge/index';
import { type Node, spanOf } from '../syntax/node';
import { type Alias, withoutAliases } from './c/aliases';
import type { LoweredFunction } from './function';
import { type Asked, detachedText, LoweringMemo, type Made, type Question } from './memo';

export { spanNear, spanOf } from '../syntax/node';

export interface ClassDraft {
  name: string;
  kind: 'class' | 'struct' | 'union';
  bases: string[];
  fields: Variable[];
  methods: LoweredFunction[];
  readonly node: Node;
  destructorElsewhere: boolean;
  constructorElsewhere: boolean;
  span: Span;
  nameSpan: Span;
}

export class FileContext {
  readonly functions: LoweredFunction[] = [];
  readonly classes: Map<string, ClassDraft>;
  readonly globals: Variable[];
  /** Types of declared variables of other files that are pointers to known functions. */
  readonly externPointers: Map<string, string>;
  /** Whether fields of classes had a part in anything that is no function. */
  readonly early: { isAboutFields: boolean };
  readonly imports = new Map<string, string>();
  /** What the file calls types, all of it known before anything is lowered. */
  aliases: ReadonlyMap<string, Alias>;
  #asked: Asked | undefined;
  #answers: Map<Question, Map<string, string | undefined>> | undefined;
  readonly #typesOfGlobals = new Map<string, string>();
  #aliasText: string | undefined;
  #indexed = 0;
  #lookups: ReadonlyMap<string, string> | undefined;
  #pointers: ReadonlyMap<string, string> | undefined;

  constructor(
    readonly text: string,
    readonly language: Language,
    readonly knowledge: Knowledge,
    private readonly memo = new LoweringMemo(),
    before?: FileContext,
  ) {
    this.classes = before?.classes ?? new Map();
    this.globals = before?.globals ?? [];
    this.aliases = before?.aliases ?? new Map();
    this.externPointers = before?.externPointers ?? new Map();
    this.early = before?.early ?? { isAboutFields: false };
    if (before) this.#answers = before.#answers;
  }

  /** The context of a later text that has the same classes, globals, checks and lookups, and no functions yet. */
  following(text: string): FileContext {
    return new FileContext(text, this.language, this.knowledge, this.memo, this);
  }

  /** What came about with a node, its own function first. */
  madeOf(node: Node, what: string): Made | undefined {
    return this.memo.made(node, what);
  }

  /** A class has other fields than in the version before. */
  changeFields(className: string): void {
    this.#answers?.get('fields of class')?.delete(className);
  }

  /** All that the text looks up by name, to be compared. */
  get lookups(): string {
    return JSON.stringify([...this.#lookedUp()]);
  }

  /**
   * What `make` makes of a node, or made of it for an earlier version of the text, the functions it added included. It must ask nothing
   * else of this context but through the methods that note the question.
   */
  remembered<T>(node: Node, what: string, make: () => T): T {
    const known = this.memo.find(node, what, this.#answer);
    if (known) {
      this.#noteEarly(known.asked);
      this.functions.push(...known.functions);
      return known.value as T;
    }
    const outer = this.#asked;
    const before = this.functions.length;
    this.#asked = new Map();
    const value = make();
    this.memo.keep(node, what, { value, functions: this.functions.slice(before), asked: this.#asked });
    this.#noteEarly(this.#asked);
    this.#asked = outer;
    return value;
  }

  /** Before all classes are known answers depend on the order of the text. */
  #noteEarly(asked: Asked): void {
    if (!this.#answers && (asked.has('fields of class') || asked.has('pointer field'))) this.early.isAboutFields = true;
  }

  /** Classes, globals and checks are all known: answers do not change any more. */
  settle(): void {
    this.#answers = new Map();
  }

  readonly #answer = (question: Question, name: string): string | undefined => {
    if (!this.#answers) return this.#workOut(question, name);
    const answers = this.#answers.get(question) ?? new Map<string, string | undefined>();
    this.#answers.set(question, answers);
    if (!answers.has(name)) answers.set(name, this.#workOut(question, name));
    return answers.get(name);
  };

  #workOut(question: Question, name: string): string | undefined {
    switch (question) {
      case 'type of global':
        return this.#typeOfGlobal(name);
      case 'fields of class':
        return fieldsText(this.classes.get(name));
      case 'is class':
        return this.classes.has(name) ? 'yes' : 'no';
      case 'check': {
        const check = this.knowledge.consequenceOf(name);
        return (
          check &&
          `${check.consequence} ${check.believed} ${this.knowledge.labelOf(name)} ${JSON.stringify([check.value, check.returned, check.applies])}`
        );
      }
      case 'aliases':
        return this.#textOfAliases();
      case 'import':
        return this.imports.get(name);
      case 'looked up':
        return this.#lookedUp().get(name);
      case 'pointer field':
        return this.#pointerFields().get(name);
    }
  }

  #note(question: Question, name: string): void {
    if (!this.#asked) return;
    const names = this.#asked.get(question) ?? new Map<string, string | undefined>();
    this.#asked.set(question, names);
    if (!names.has(name)) names.set(name, this.#answer(question, name));
  }

  fieldsOf(className: string): readonly Variable[] {
    this.#note('fields of class', className);
    return this.classes.get(className)?.fields ?? [];
  }

  isClass(name: string): boolean {
    this.#note('is class', name);
    return this.classes.has(name);
  }

  /** A type as written, with what its names stand for. */
  unaliased(type: string): string {
    this.#note('aliases', '');
    return withoutAliases(type, this.aliases);
  }

  #textOfAliases(): string | undefined {
    this.#aliasText ??= JSON.stringify([...this.aliases]);
    return this.aliases.size === 0 ? undefined : this.#aliasText;
  }

  /** What happens when a check by this name fails. */
  consequenceOf(name: string) {
    this.#note('check', name);
    return this.knowledge.consequenceOf(name);
  }

  labelOf(name: string): string | undefined {
    this.#note('check', name);
    return this.knowledge.labelOf(name);
  }

  /** The function that a pointer by this name is looked up as, at run time. */
  lookedUp(name: string): string | undefined {
    this.#note('looked up', name);
    return this.#lookedUp().get(name);
  }

  #lookedUp(): ReadonlyMap<string, string> {
    this.#lookups ??= this.memo.lookedUp(this.text);
    return this.#lookups;
  }

  /** The type of a field by this name that holds a pointer to a known function, where all classes of the file agree. */
  pointerField(name: string): string | undefined {
    this.#note('pointer field', name);
    return this.#pointerFields().get(name);
  }

  #pointerFields(): ReadonlyMap<string, string> {
    this.#pointers ??= pointerFieldsOf(this.classes.values());
    return this.#pointers;
  }

  /** The dotted origin of an imported name. */
  importOf(name: string): string | undefined {
    this.#note('import', name);
    return this.imports.get(name);
  }

  /** The declared type of a global. */
  typeOfGlobal(name: string): string | undefined {
    this.#note('type of global', name);
    return this.#typeOfGlobal(name);
  }

  #typeOfGlobal(name: string): string | undefined {
    for (; this.#indexed < this.globals.length; this.#indexed++)
      this.#typesOfGlobals.set(this.globals[this.#indexed]!.name, this.globals[this.#indexed]!.type);
    return this.#typesOfGlobals.get(name) ?? this.externPointers.get(name);
  }

  readonly nextId = (): number => this.memo.nextId();

  /** Short texts are copies: what is kept must not keep the whole text alive. */
  textOf(node: Node | Span): string {
    const { start, end } = node;
    const part = this.text.slice(start, end);
    return end - start < 13 || end - start > 100 ? part : detachedText(part);
  }

  /** Text with blanks normalised, for types and callees. */
  squeezed(node: Node | Span | undefined): string {
    return node
      ? this.textOf(node)
          .replace(/\s+/g, ' ')
          .replace(/ ?(::|->|\.|[*&<>,]) ?/g, '$1')
          .trim()
      : '';
  }
}

/** A type that tells which function it points to: `PFN_vkGetFenceFdKHR`, `decltype(&cuMemFree)`. */
export const functionPointer = /^(const )?(PFN_?(?!vkVoidFunction)|decltype|tcu)/;

/** What functions may ask of the fields of a class, to be compared. */
export function fieldsText(draft: ClassDraft | undefined): string | undefined {
  return draft?.fields.map((each) => `${each.type} ${each.name}`).join();
}

function pointerFieldsOf(classes: Iterable<ClassDraft>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const unsure = new Set<string>();
  for (const { fields } of classes) {
    for (const { name, type } of fields) {
      if (!functionPointer.test(type)) continue;
      if ((found.get(name) ?? type) !== type) unsure.add(name);
      found.set(name, type);
    }
  }
  for (const name of unsure) found.delete(name);
  return found;
}

export function other(node: Node, operands: Expr[]): Expr {
  return { kind: 'other', operands, span: spanOf(node) };
}
