// Findings in open documents, computed once per version.
import { fileURLToPath } from 'node:url';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { effectsOf, type Finding, type LintOptions, languageForId, lint, ParsedDocument } from '../engine';
import type { FileFacts } from '../facts/index';
import { namesCalled } from '../flow/program';
import { combineExtra } from '../knowledge/extra';
import { rules } from '../rules/registry';
import type { Grammars } from '../syntax/grammars';
import { maxBytes, tooLarge } from '../text/decode';
import { mayTouchSeam } from '../text/prefilter';
import { isConfig, type Workspace } from './config-watch';
import { IncludeMemo } from './include-annotations';
import type { WorkspaceEffects } from './workspace-effects';

const knownIds = rules.map((rule) => rule.meta.id);

/** Effects of a document are told to others when its author pauses. */
const pauseMs = 200;
/** Text with errors is parsed afresh when its author thinks. */
const doubtMs = 1000;

interface Entry {
  version: number;
  /** Counts what has changed in other files that concerns the document. */
  stamp: number;
  timer: NodeJS.Timeout | undefined;
  doubt: NodeJS.Timeout | undefined;
  findings: readonly Finding[];
  /** The same with fixes, once somebody has asked for them. */
  fixed: readonly Finding[] | undefined;
  /** Why it is not checked, if it is not. */
  problem: string | undefined;
  parsed: ParsedDocument;
  readonly includes: IncludeMemo;
}

export class DocumentLinter {
  readonly #entries = new Map<string, Entry>();
  readonly #reported = new Set<string>();
  /** Counts changes of what lies around the documents: configuration, headers. */
  #generation = 0;
  /** How long the last run took, in milliseconds: the debounce follows it. */
  lastRun = 0;

  constructor(
    private readonly grammars: Promise<Grammars>,
    private readonly workspace: Workspace,
    private readonly effects: WorkspaceEffects,
    private readonly log: (text: string) => void,
    private readonly refresh: () => void,
  ) {
    this.grammars.catch((error: Error) => this.#once(error.message, `${error.message} Files are not checked. Install the extension again.`));
  }

  /** Resolves when the grammars are loaded, or never will be. */
  async ready(): Promise<void> {
    await this.grammars.catch(() => undefined);
  }

  /** Every document has to be looked at again. */
  invalidate(): void {
    this.#generation++;
    for (const entry of this.#entries.values()) entry.version = -1;
  }

  /** Names what the findings of a document depend on. */
  stateOf({ uri, version }: TextDocument): string {
    return `${version}.${this.#generation}.${this.#entries.get(uri)?.stamp ?? 0}`;
  }

  /** Something else is known of functions with these names. True when that concerns a document. */
  changedElsewhere(names: ReadonlySet<string>): boolean {
    let any = false;
    for (const entry of this.#entries.values()) {
      if (!entry.parsed.facts.some((file) => callsAny(file, names))) continue;
      entry.version = -1;
      entry.stamp++;
      any = true;
    }
    return any;
  }

  async findingsOf(document: TextDocument): Promise<readonly Finding[]> {
    const grammars = await this.grammars.catch(() => undefined);
    if (!grammars || isConfig(document.uri)) return [];
    const entry = this.#entries.get(document.uri) ?? newEntry(grammars);
    this.#entries.set(document.uri, entry);
    if (entry.version !== document.version) {
      const started = performance.now();
      entry.findings = this.#run(document, grammars, entry, false);
      this.lastRun = performance.now() - started;
      entry.fixed = undefined;
      entry.version = document.version;
      const { parsed } = entry;
      setImmediate(() => parsed.tidy());
      this.#tellEffects(document, entry);
      clearTimeout(entry.doubt);
      if (entry.parsed.isDoubtful) entry.doubt = setTimeout(() => this.#lookAfresh(document, grammars, entry), doubtMs);
    }
    return entry.findings;
  }

  /** Nothing kept from older versions has a part in what is found now. */
  #lookAfresh(document: TextDocument, grammars: Grammars, entry: Entry): void {
    if (entry.version !== document.version) return;
    entry.parsed = entry.parsed.afresh();
    const before = JSON.stringify(entry.findings);
    entry.findings = this.#run(document, grammars, entry, false);
    entry.fixed = undefined;
    this.#tellEffects(document, entry);
    if (JSON.stringify(entry.findings) === before) return;
    entry.stamp++;
    this.refresh();
  }

  /** The text has changed: others are told of its effects even when nobody asks for its findings. */
  changed(document: TextDocument): void {
    const entry = this.#entries.get(document.uri);
    if (!entry || !document.uri.startsWith('file:')) return;
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => void this.findingsOf(document), pauseMs);
  }

  #tellEffects(document: TextDocument, entry: Entry): void {
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => this.tellNow(document), pauseMs);
  }

  /** Others know now what the document has, not only when its author pauses. */
  tellNow({ uri }: TextDocument): void {
    const entry = this.#entries.get(uri);
    if (!entry || !uri.startsWith('file:')) return;
    clearTimeout(entry.timer);
    this.effects.setOpen(fileURLToPath(uri), effectsOf(entry.parsed.facts));
  }

  /** Fixes need a second look at the text, from scratch: a keystroke does not pay for them, and nothing kept from an older version gets in. */
  async withFixes(document: TextDocument): Promise<readonly Finding[]> {
    const findings = await this.findingsOf(document);
    const entry = this.#entries.get(document.uri);
    if (!entry || findings.length === 0) return findings;
    entry.fixed ??= this.#run(document, await this.grammars, entry, true);
    return entry.fixed;
  }

  /** What is wrong with the version that was looked at last, beside its findings: why it is not checked. */
  problemOf({ uri }: TextDocument): string | undefined {
    return this.#entries.get(uri)?.problem;
  }

  #run(document: TextDocument, grammars: Grammars, entry: Entry, fixes: boolean): readonly Finding[] {
    const { parsed } = entry;
    const text = document.getText();
    try {
      const options = this.#optionsFor(document, text, entry);
      entry.problem = options && text.length > maxBytes && mayTouchSeam(text) ? tooLarge(text.length) : undefined;
      if (!options || text.length > maxBytes) {
        if (!fixes) parsed.facts = [];
        return [];
      }
      const asked = { ...options, fixes, patience: parsed.patience };
      const { findings, crashes, unparsed } = lint(pathOf(document.uri), text, grammars, asked, fixes ? undefined : parsed);
      entry.problem = unparsed;
      if (unparsed !== undefined) this.#once(document.uri + unparsed, `${document.uri} is not checked: ${unparsed}.`);
      for (const { ruleId, cause } of crashes)
        this.#once(ruleId, `The rule ${ruleId} failed on ${document.uri} (${cause}); the other rules went on.`);
      return findings;
    } catch (error) {
      return this.#failed(document.uri, entry, error);
    }
  }

  /** Undefined for a file that its configuration ignores. */
  #optionsFor({ uri, languageId }: TextDocument, text: string, { includes }: Entry): LintOptions | undefined {
    const language = languageForId(languageId);
    const plain = { rules, known: knownIds, preview: false, language };
    if (!uri.startsWith('file:')) return plain;
    const { configs, annotations } = this.workspace;
    const file = fileURLToPath(uri);
    const found = configs.nearest(file);
    this.workspace.showProblems();
    if (found?.ignores(file)) return undefined;
    const config = found?.config;
    const extra = combineExtra(annotations.of(file, text, includes.of(text)), config?.extra);
    return { ...plain, preview: config?.preview === true, levels: config?.levels, extra, elsewhere: this.effects.index };
  }

  #failed(uri: string, entry: Entry, error: unknown): Finding[] {
    const cause = error instanceof Error ? error.message : String(error);
    entry.problem = `Seamscope failed on it (${cause}). Please report this`;
    this.#once(uri + cause, `Checking ${uri} failed: ${cause}`);
    return [];
  }

  #once(key: string, text: string): void {
    if (!this.#reported.has(key)) this.log(text);
    this.#reported.add(key);
  }

  forget(uri: string): void {
    const entry = this.#entries.get(uri);
    clearTimeout(entry?.timer);
    clearTimeout(entry?.doubt);
    entry?.parsed.dispose();
    this.#entries.delete(uri);
    if (uri.startsWith('file:')) this.effects.close(fileURLToPath(uri));
  }
}

/** The path of a document, for its extension and for messages. */
function pathOf(uri: string): string {
  return uri.startsWith('file:') ? fileURLToPath(uri) : uri;
}

function newEntry(grammars: Grammars): Entry {
  return {
    version: -1,
    stamp: 0,
    timer: undefined,
    doubt: undefined,
    findings: [],
    fixed: undefined,
    problem: undefined,
    parsed: new ParsedDocument(grammars),
    includes: new IncludeMemo(),
  };
}

function callsAny(file: FileFacts, names: ReadonlySet<string>): boolean {
  return file.functions.some((fn) => namesCalled(file, fn).some((name) => names.has(name)));
}
