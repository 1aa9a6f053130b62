// Layer 3: one text in one preprocessor arm to facts.
import { annotationsOf } from '../config/annotations';
import type { ClassFacts, Directive, Expr, FileFacts, FunctionFacts, Language, Span, Token, Variable } from '../facts/index';
import { combineExtra, type ExtraKnowledge } from '../knowledge/extra';
import { Knowledge } from '../knowledge/index';
import type { Node } from '../syntax/node';
import { directivesOf } from '../text/directives';
import { tokenize } from '../text/tokens';
import { lowerCFile } from './c/file';
import { type ClassDraft, FileContext } from './context';
import type { LoweringMemo } from './memo';
import { lowerPythonFile } from './python/file';

export interface Source {
  readonly path: string;
  readonly language: Language;
  /** Inactive parts blanked. */
  readonly text: string;
  readonly arm: string | undefined;
  /** Undefined for Objective-C++, which is read as tokens only. */
  readonly root: Node | undefined;
  /** What the workspace adds to the tables. */
  readonly extra?: ExtraKnowledge | undefined;
  /** Of the same text in the same arm, earlier. */
  readonly memo?: LoweringMemo | undefined;
}

export function lowerFile(source: Source): FileFacts {
  const extra = combineExtra(source.extra, annotationsOf(source.text, source.language).extra);
  source.memo?.startOver(fingerprint(extra));
  const knowledge = new Knowledge(extra);
  const directives = source.language === 'python' ? [] : directivesOf(source.text);
  knowledge.addMacros(directives);
  const context = new FileContext(source.text, source.language, knowledge, source.memo);
  if (source.root && source.language === 'python') lowerPythonFile(context, source.root);
  else if (source.root) lowerCFile(context, source.root);
  return new LoweredFile(source, context, directives);
}

function fingerprint(extra: ExtraKnowledge): string {
  if (extra.apis.size + extra.checks.size === 0) return '';
  return JSON.stringify([extra.apis, extra.checks], (_, value) => (value instanceof Map || value instanceof Set ? [...value] : value));
}

class LoweredFile implements FileFacts {
  readonly path: string;
  readonly language: Language;
  readonly text: string;
  readonly arm: string | undefined;
  readonly functions: readonly FunctionFacts[];
  readonly classes: readonly ClassFacts[];
  readonly globals: readonly Variable[];
  readonly imports: ReadonlyMap<string, string>;
  #tokens: readonly Token[] | undefined;
  readonly #byName = new Map<string, FunctionFacts[]>();

  constructor(
    source: Source,
    context: FileContext,
    readonly directives: readonly Directive[],
  ) {
    this.path = source.path;
    this.language = source.language;
    this.text = source.text;
    this.arm = source.arm;
    this.functions = context.functions;
    this.classes = [...new Set(context.classes.values())].map(classFacts);
    this.globals = context.globals;
    this.imports = context.imports;
    for (const fn of this.functions) this.#byName.set(fn.name, [...(this.#byName.get(fn.name) ?? []), fn]);
  }

  get tokens(): readonly Token[] {
    this.#tokens ??= tokenize(this.text);
    return this.#tokens;
  }

  source(of: Expr | Span): string {
    const span = 'span' in of ? of.span : of;
    return this.text.slice(span.start, span.end);
  }

  classNamed(name: string): ClassFacts | undefined {
    return this.classes.find((each) => each.name === name);
  }

  functionsNamed(name: string): readonly FunctionFacts[] {
    return this.#byName.get(name) ?? [];
  }
}

function classFacts(draft: ClassDraft): ClassFacts {
  return { ...draft, destructor: draft.methods.find((method) => method.kind === 'destructor') };
}
