import type { Effects, Question } from '../flow/summary';
import type { Expr, Span } from './expr';
import type { FunctionFacts, Variable } from './functions';

export type Language = 'c' | 'cpp' | 'cuda' | 'objc' | 'python';

export interface ClassFacts {
  readonly name: string;
  readonly kind: 'class' | 'struct' | 'union';
  readonly bases: readonly string[];
  /** In order of declaration, static ones too. */
  readonly fields: readonly Variable[];
  /** Methods whose body is in this file, constructors and destructor included, also those defined out of line. */
  readonly methods: readonly FunctionFacts[];
  readonly destructor: FunctionFacts | undefined;
  /** A destructor is declared but its body is elsewhere. */
  readonly destructorElsewhere: boolean;
  /** A constructor is declared but its body is elsewhere. */
  readonly constructorElsewhere: boolean;
  readonly span: Span;
  readonly nameSpan: Span;
}

export interface Directive {
  readonly kind: 'include' | 'define' | 'undef';
  readonly name: string;
  readonly params: readonly string[] | undefined;
  readonly body: string;
  readonly span: Span;
}

/** A raw token of the text without comments; for Objective-C++, which has no reliable tree. */
export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'punctuation';
  readonly text: string;
  readonly span: Span;
}

/** Everything that rules may know about one file in one preprocessor arm. */
export interface FileFacts {
  readonly path: string;
  readonly language: Language;
  /** Functions, methods, lambdas and the Python module in source order. Objective-C++ has none: use `tokens`. */
  readonly functions: readonly FunctionFacts[];
  readonly classes: readonly ClassFacts[];
  /**
   * What a rule has to look at now and report on: all functions, or the one that has changed. A rule that loops over these, not over
   * `functions`, runs again only for what an edit concerns. For evidence from elsewhere in the file there is `functions`.
   */
  readonly subjects: readonly FunctionFacts[];
  /** The same of classes. */
  readonly subjectClasses: readonly ClassFacts[];
  readonly globals: readonly Variable[];
  readonly directives: readonly Directive[];
  /** Python: local name to dotted origin (`t` to `torch`). */
  readonly imports: ReadonlyMap<string, string>;
  readonly tokens: readonly Token[];
  /** Those of a function, lambdas in it included. */
  tokensOf(fn: FunctionFacts): readonly Token[];
  /** True when the code has such a word, or such a string with its quotes; comments do not count. To be asked in a query. */
  hasToken(kind: 'word' | 'string', pattern: RegExp): boolean;
  /** The text in the analysed arm: as long as the file, inactive parts blanked. Comments are still in it. */
  readonly text: string;
  /** Conditions this arm stands for (`_WIN32 defined`), or undefined when the file has one arm. */
  readonly arm: string | undefined;
  /** The text of an expression as written. */
  source(of: Expr | Span): string;
  classNamed(name: string): ClassFacts | undefined;
  /** Functions that a call by this name can mean, methods too. */
  functionsNamed(name: string): readonly FunctionFacts[];
  /** Functions that belong to a class by this name, wherever it is declared; lambdas in its methods too. */
  functionsOfClass(name: string): readonly FunctionFacts[];
  globalNamed(name: string): Variable | undefined;
  /** Effects that a function defined in another file has on the objects of a machine, where they are known. */
  effectsElsewhere(question: Question): Effects | undefined;
  /** Names of functions in other files that have effects on the objects of a machine. */
  namesElsewhere(machine: string): ReadonlySet<string>;
}
