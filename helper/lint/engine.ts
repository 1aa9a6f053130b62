// From a text to findings. No IO: texts and grammar bytes are passed in.

import { levelOf, type Selection } from './config/levels';
import { type FileEffects, fileEffects } from './effects/file-effects';
import type { FileFacts, Language } from './facts/index';
import { byPlace, finish } from './finish';
import { isExpectedToFail } from './flow/expected';
import { doesNotParse, skippedFunctions } from './flow/given-up';
import { lostFunctions } from './flow/lost-lines';
import type { EffectSource } from './flow/summary';
import { type ExtraKnowledge, wordsOf } from './knowledge/extra';
import type { LoweredFile } from './lower/file-facts';
import { lowerFile } from './lower/index';
import { LoweringMemo } from './lower/memo';
import { RuleRuns } from './memo/rule-runs';
import { own } from './own';
import type { Fix, RawFinding, Rule, Severity } from './rules/rule';
import { allComments, CommentMemo, type Comments } from './suppress/comments';
import type { EditableTree, Grammars } from './syntax/grammars';
import type { Node } from './syntax/node';
import { isUnparsed, type Unparsed } from './syntax/parser-module';
import { interactive, type Patience, withLessOf } from './syntax/patience';
import { ArmMemo } from './text/arm-memo';
import { type Arm, armNote, selectArms } from './text/arms';
import { restoreKeywords } from './text/dialects';
import { directivesOf } from './text/directives';
import { LineIndex } from './text/lines';
import { withoutLongComments } from './text/long-comments';
import { mayTouchSeam } from './text/prefilter';
import { ViewMemo, viewOf } from './text/views';

/** A place in a file: lines and columns from 1, columns in UTF-16 code units, end exclusive. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface Finding extends Range {
  readonly ruleId: string;
  readonly severity: Severity;
  readonly message: string;
  readonly file: string;
  readonly related: readonly (Range & { readonly message: string; readonly file: string })[];
  /** Qualified name of the innermost function around the place; empty outside of functions. */
  readonly scope: string;
  /** Edits are offsets into the linted text. */
  readonly fix: Required<Fix> | undefined;
}

/** A finding that a comment excuses. */
export interface SuppressedFinding extends Finding {
  readonly reason: string;
}

export interface LintOptions extends Selection {
  readonly rules: readonly Rule[];
  /** False: findings come without fixes, which cost time. */
  readonly fixes?: boolean | undefined;
  /** Functions and checks of the workspace. */
  readonly extra?: ExtraKnowledge | undefined;
  /** Ids that suppressions may name; without it those of `rules`. */
  readonly known?: readonly string[] | undefined;
  /** Instead of the language that the extension of the path tells. */
  readonly language?: Language | undefined;
  /** Functions of other files. */
  readonly elsewhere?: EffectSource | undefined;
  /** With the parser, for a text that is read once. */
  readonly patience?: Patience | undefined;
  /** True: the result has the effects of the file's functions. */
  readonly effects?: boolean | undefined;
}

export interface LintResult {
  readonly findings: readonly Finding[];
  readonly suppressed: readonly SuppressedFinding[];
  /** Rules that crashed on this file, with the cause; the others went on. */
  readonly crashes: readonly { readonly ruleId: string; readonly cause: string }[];
  /** Why the parser gave up, if it did. */
  readonly unparsed: string | undefined;
  /** Functions that no rule of paths has judged: they are over the budget of one function. */
  readonly skipped: readonly { readonly name: string; readonly line: number; readonly reason: string }[];
  /** Undefined when nobody asked, or when the text names nothing of the seam. */
  readonly effects: FileEffects | undefined;
}

const languages: Readonly<Record<string, Language>> = {
  c: 'c',
  h: 'cpp',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  'c++': 'cpp',
  hpp: 'cpp',
  hh: 'cpp',
  hxx: 'cpp',
  inl: 'cpp',
  ipp: 'cpp',
  cu: 'cuda',
  cuh: 'cuda',
  m: 'objc',
  mm: 'objc',
  py: 'python',
  pyi: 'python',
};

/** How the names of source files end. */
export const sourceEndings: readonly string[] = Object.keys(languages).map((each) => `.${each}`);

/** The language of a path by its extension, or undefined when it is none of ours. */
export function languageOf(path: string): Language | undefined {
  return own(languages, /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '');
}

const languageIds: Readonly<Record<string, Language>> = {
  c: 'c',
  cpp: 'cpp',
  'cuda-cpp': 'cuda',
  'objective-c': 'objc',
  'objective-cpp': 'objc',
  python: 'python',
};

/** The language of an editor's language id. */
export function languageForId(id: string): Language | undefined {
  return own(languageIds, id);
}

/** Parsed texts of one document, kept between edits: one tree per preprocessor arm. */
export class ParsedDocument {
  readonly #trees: EditableTree[] = [];
  readonly #memos: LoweringMemo[] = [];
  readonly #views: ViewMemo[] = [];
  readonly #arms = new ArmMemo();
  readonly #comments = new CommentMemo();
  #lines: LineIndex | undefined;
  /** Of the version that was linted last, one for each arm. */
  facts: readonly LoweredFile[] = [];

  /** Arms that were too hard to parse when they were tried last. */
  readonly #hard = new Set<number>();
  #isDoubtful = false;

  constructor(
    private readonly grammars: Pick<Grammars, 'open'>,
    private readonly usual = interactive,
  ) {}

  parse(grammar: 'cuda' | 'python', arm: number, text: string): Node | Unparsed {
    const known = this.#trees[arm];
    const tree = known ?? this.grammars.open(grammar);
    this.#trees[arm] = tree;
    const parsed = tree.update(text, this.patience);
    if (isUnparsed(parsed) && parsed.isTooHard) this.#hard.add(arm);
    else this.#hard.delete(arm);
    this.#isDoubtful ||= known !== undefined && !isUnparsed(parsed) && parsed.broken;
    return parsed;
  }

  /** A version had errors: the parser's recovery from them can stay in a tree that follows edits, although the text is sound again. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  /** One that owes nothing to earlier versions, but for what was too hard. This one is over. */
  afresh(): ParsedDocument {
    const next = new ParsedDocument(this.grammars, this.usual);
    for (const arm of this.#hard) next.#hard.add(arm);
    this.dispose();
    return next;
  }

  /** Of the next parse. */
  get patience(): Patience {
    return this.#hard.size > 0 ? withLessOf(this.usual) : this.usual;
  }

  armsOf(text: string, isC: boolean): readonly Arm[] {
    return this.#arms.of(text, isC);
  }

  view(arm: number, text: string, isC: boolean): string {
    if (this.#views[arm]?.isC !== isC) this.#views[arm] = new ViewMemo(isC);
    return this.#views[arm].of(text);
  }

  memo(arm: number): LoweringMemo {
    this.#memos[arm] ??= new LoweringMemo();
    return this.#memos[arm];
  }

  /** Of the text as it is written. */
  commentsOf(text: string, language: Language): Comments {
    return language === 'python' ? allComments(text, language) : this.#comments.of(text);
  }

  linesOf(text: string): LineIndex {
    this.#lines = new LineIndex(text, this.#lines);
    return this.#lines;
  }

  /** What can wait until the findings are told. */
  tidy(): void {
    for (const tree of this.#trees) tree.tidy();
  }

  dispose(): void {
    for (const tree of this.#trees) tree.dispose();
  }
}

interface Parser {
  parse(grammar: 'cuda' | 'python', arm: number, text: string): Node | Unparsed;
  armsOf?(text: string, isC: boolean): readonly Arm[];
  view?(arm: number, text: string, isC: boolean): string;
  memo?(arm: number): LoweringMemo;
}

/** Facts of a text in each preprocessor arm; empty when it names nothing of the seam. */
export function factsOf(
  path: string,
  text: string,
  parser: Parser,
  { language: given, extra, elsewhere }: Pick<LintOptions, 'language' | 'extra' | 'elsewhere'> = {},
): { facts: LoweredFile[]; unparsed: string | undefined } {
  const language = languageOf(path) ?? given;
  if (!language || !mayTouchSeam(text, wordsOf(extra))) return { facts: [], unparsed: undefined };
  const arms = language === 'python' ? [{ text, label: undefined }] : (parser.armsOf?.(text, language === 'c') ?? selectArms(text, language === 'c'));
  const parsed = arms.map((arm, i) => {
    const view =
      language === 'python' || language === 'objc' ? arm.text : (parser.view?.(i, arm.text, language === 'c') ?? viewOf(arm.text, language === 'c'));
    const read = language === 'python' ? withoutLongComments(view) : view;
    const root = language === 'objc' ? undefined : parser.parse(language === 'python' ? 'python' : 'cuda', i, read);
    const memo = parser.memo?.(i);
    return { view, root, label: arm.label, memo, directives: language === 'python' ? [] : (memo?.directivesOf(view) ?? directivesOf(view)) };
  });
  const facts = parsed.flatMap(({ view, root, label, memo, directives }) => {
    if (root && isUnparsed(root)) return [];
    const others = parsed.flatMap((each) => (each.directives === directives ? [] : [each.directives]));
    const otherDirectives = others.length === 1 ? others[0]! : others.flat();
    return lowerFile({ path, language, text: view, arm: label, directives, otherDirectives, root, extra, elsewhere, memo });
  });
  const refusals = parsed.flatMap(({ root }) => (root && isUnparsed(root) ? [root.refused] : []));
  return { facts, unparsed: refusals[0] };
}

export function lint(path: string, text: string, grammars: Pick<Grammars, 'parse'>, options: LintOptions, document?: ParsedDocument): LintResult {
  const parser: Parser = document ?? { parse: (grammar, _arm, view) => grammars.parse(grammar, view, options.patience) };
  const { facts, unparsed } = factsOf(path, text, parser, options);
  if (document) document.facts = facts;
  const crashes = new Map<string, string>();
  const perArm = facts.map((file) => runRules(file, options, crashes).filter(({ span }) => !isExpectedToFail(file, span)));
  const language = languageOf(path) ?? options.language ?? 'cpp';
  const lines = onceOf(() => document?.linesOf(text) ?? new LineIndex(text));
  const comments = onceOf(() => document?.commentsOf(text, language) ?? allComments(text, language));
  const finished = finish(merge(perArm, facts), { path, text, facts, language, unparsed, options, crashes, lines, comments });
  const effects = options.effects ? effectsOf(facts) : undefined;
  // An editor does not ask.
  const skipped = onceOf(() => skippedIn(facts, text, lines));
  return {
    ...finished,
    crashes: [...crashes].map(([ruleId, cause]) => ({ ruleId, cause })),
    unparsed,
    get skipped() {
      return skipped();
    },
    effects,
  };
}

function onceOf<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What other files have to know of a file; undefined when it names nothing of the seam. */
export function effectsOf(facts: readonly FileFacts[]): FileEffects | undefined {
  return facts.length > 0 && facts[0]!.language !== 'objc' ? fileEffects(facts) : undefined;
}

/** Each function once, whichever arms have it; one that parses in some arm has been judged in that. */
function skippedIn(facts: readonly LoweredFile[], text: string, linesOf: () => LineIndex): LintResult['skipped'] {
  const lostIn = new Map(facts.map((file) => [file, file.lost()]));
  const isLost = (file: LoweredFile, start: number) => lostIn.get(file)!.some((each) => each.start === start);
  const parses = (start: number) =>
    facts.some((file) => !isLost(file, start) && file.functions.some((each) => each.nameSpan.start === start && !each.degraded));
  const all = facts.flatMap(skippedFunctions).filter(({ fn }) => fn.degraded !== 'syntax' || !parses(fn.nameSpan.start));
  const python = facts[0]?.language === 'python';
  const lost = python ? lostFunctions(facts[0]!) : [...lostIn.values()].flat().filter(({ start }) => !parses(start));
  if (all.length + lost.length === 0) return [];
  const lines = linesOf();
  const byStart = new Map<number, LintResult['skipped'][number]>();
  const note = (name: string, start: number, reason: string) => {
    const shown = facts[0]!.language === 'c' ? restoreKeywords(name, text) : name;
    byStart.set(start, { name: shown, line: lines.at(start).line, reason });
  };
  for (const { name, start } of lost) note(name, start, doesNotParse[python ? 'python' : 'c']);
  for (const { name, fn, reason } of all) note(name, fn.nameSpan.start, reason);
  return [...byStart.values()].sort((a, b) => a.line - b.line);
}

const runs = new WeakMap<FileFacts, RuleRuns>();

/** Kept facts remember what the rules said of them. */
function runRules(file: LoweredFile, options: LintOptions, crashes: Map<string, string>): RawFinding[] {
  const wanted = options.rules.filter(({ meta }) => meta.languages.includes(file.language) && levelOf(meta, options) !== 'off');
  if (file.memory) {
    const known = runs.get(file) ?? new RuleRuns();
    runs.set(file, known);
    return known.run(file, file.memory, wanted, crashes);
  }
  return wanted.flatMap((rule) => {
    try {
      return rule.run(file);
    } catch (error) {
      crashes.set(rule.meta.id, error instanceof Error ? error.message : String(error));
      return [];
    }
  });
}

/** Findings of all arms; one that only some arms have says in which. */
function merge(perArm: readonly RawFinding[][], facts: readonly FileFacts[]): RawFinding[] {
  const byKey = new Map<string, { finding: RawFinding; arms: Set<number> }>();
  for (const [arm, findings] of perArm.entries()) {
    for (const finding of findings) {
      const key = `${finding.ruleId}:${finding.span.start}:${finding.span.end}`;
      const known = byKey.get(key);
      if (known) known.arms.add(arm);
      if (known?.finding.isPreview) known.finding = finding;
      if (!known) byKey.set(key, { finding, arms: new Set([arm]) });
    }
  }
  const all = [...byKey.values()].map(({ finding, arms }) => {
    const labels = arms.size < perArm.length ? [...arms].map((arm) => facts[arm]!.arm ?? '') : [];
    return labels.length > 0 ? { ...finding, message: `${finding.message} ${armNote(labels)}`.trimEnd() } : finding;
  });
  return all.sort(byPlace);
}
