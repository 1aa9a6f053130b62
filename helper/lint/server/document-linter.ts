// Findings in open documents, computed once per version.
import { fileURLToPath } from 'node:url';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { type Finding, type LintOptions, languageForId, lint, ParsedDocument } from '../engine';
import { combineExtra } from '../knowledge/extra';
import { rules } from '../rules/registry';
import type { Grammars } from '../syntax/grammars';
import { maxBytes } from '../text/decode';
import { isConfig, type Workspace } from './config-watch';

const knownIds = rules.map((rule) => rule.meta.id);

interface Entry {
  version: number;
  findings: readonly Finding[];
  /** The same with fixes, once somebody has asked for them. */
  fixed: readonly Finding[] | undefined;
  readonly parsed: ParsedDocument;
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
    private readonly workspace: () => Workspace,
    private readonly log: (text: string) => void,
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
  stateOf({ version }: TextDocument): string {
    return `${version}.${this.#generation}`;
  }

  async findingsOf(document: TextDocument): Promise<readonly Finding[]> {
    const grammars = await this.grammars.catch(() => undefined);
    if (!grammars || isConfig(document.uri)) return [];
    const entry = this.#entries.get(document.uri) ?? { version: -1, findings: [], fixed: undefined, parsed: new ParsedDocument(grammars) };
    this.#entries.set(document.uri, entry);
    if (entry.version !== document.version) {
      const started = performance.now();
      entry.findings = this.#run(document, grammars, entry.parsed, false);
      this.lastRun = performance.now() - started;
      entry.fixed = undefined;
      entry.version = document.version;
    }
    return entry.findings;
  }

  /** Fixes need a second look at the text, from scratch: a keystroke does not pay for them, and nothing kept from an older version gets in. */
  async withFixes(document: TextDocument): Promise<readonly Finding[]> {
    const findings = await this.findingsOf(document);
    const entry = this.#entries.get(document.uri);
    if (!entry || findings.length === 0) return findings;
    entry.fixed ??= this.#run(document, await this.grammars, entry.parsed, true);
    return entry.fixed;
  }

  #run(document: TextDocument, grammars: Grammars, parsed: ParsedDocument, fixes: boolean): readonly Finding[] {
    const text = document.getText();
    if (text.length > maxBytes) return [];
    try {
      const options = this.#optionsFor(document, text);
      if (!options) return [];
      const { findings, crashes } = lint(pathOf(document.uri), text, grammars, { ...options, fixes }, fixes ? undefined : parsed);
      for (const { ruleId, cause } of crashes)
        this.#once(ruleId, `The rule ${ruleId} failed on ${document.uri} (${cause}); the other rules went on.`);
      return findings;
    } catch (error) {
      return this.#failed(document.uri, error);
    }
  }

  /** Undefined for a file that its configuration ignores. */
  #optionsFor({ uri, languageId }: TextDocument, text: string): LintOptions | undefined {
    const language = languageForId(languageId);
    const plain = { rules, known: knownIds, preview: false, language };
    if (!uri.startsWith('file:')) return plain;
    const { configs, annotations } = this.workspace();
    const file = fileURLToPath(uri);
    const found = configs.nearest(file);
    this.workspace().showProblems();
    if (found?.ignores(file)) return undefined;
    const config = found?.config;
    const extra = combineExtra(annotations.of(file, text), config?.extra);
    return { ...plain, preview: config?.preview === true, levels: config?.levels, extra };
  }

  /** A trap inside WASM leaves the module unusable: only a new process helps, and the client starts one. */
  #failed(uri: string, error: unknown): Finding[] {
    const cause = error instanceof Error ? error.message : String(error);
    this.#once(uri + cause, `Checking ${uri} failed: ${cause}`);
    if (error instanceof Error && error.name === 'RuntimeError') setImmediate(() => process.exit(70));
    return [];
  }

  #once(key: string, text: string): void {
    if (!this.#reported.has(key)) this.log(text);
    this.#reported.add(key);
  }

  forget(uri: string): void {
    this.#entries.get(uri)?.parsed.dispose();
    this.#entries.delete(uri);
  }
}

/** The path of a document, for its extension and for messages. */
function pathOf(uri: string): string {
  return uri.startsWith('file:') ? fileURLToPath(uri) : uri;
}
