// Diagnostics of open documents, computed once per version.
import { fileURLToPath } from 'node:url';
import type { Diagnostic } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { languageForId, lint, ParsedDocument } from '../engine';
import { rules } from '../rules/registry';
import type { Grammars } from '../syntax/grammars';
import { maxBytes } from '../text/decode';
import { toDiagnostic } from './diagnostic';

interface Entry {
  version: number;
  diagnostics: Diagnostic[];
  readonly parsed: ParsedDocument;
}

export class DocumentLinter {
  readonly #entries = new Map<string, Entry>();
  readonly #reported = new Set<string>();
  /** How long the last run took, in milliseconds: the debounce follows it. */
  lastRun = 0;

  constructor(
    private readonly grammars: Promise<Grammars>,
    private readonly log: (text: string) => void,
  ) {
    this.grammars.catch((error: Error) => this.#once(error.message, `${error.message} Files are not checked. Install the extension again.`));
  }

  /** Resolves when the grammars are loaded, or never will be. */
  async ready(): Promise<void> {
    await this.grammars.catch(() => undefined);
  }

  async diagnosticsOf(document: TextDocument): Promise<Diagnostic[]> {
    const grammars = await this.grammars.catch(() => undefined);
    if (!grammars) return [];
    const entry = this.#entries.get(document.uri) ?? { version: -1, diagnostics: [], parsed: new ParsedDocument(grammars) };
    this.#entries.set(document.uri, entry);
    if (entry.version !== document.version) {
      entry.diagnostics = this.#run(document, grammars, entry.parsed);
      entry.version = document.version;
    }
    return entry.diagnostics;
  }

  #run(document: TextDocument, grammars: Grammars, parsed: ParsedDocument): Diagnostic[] {
    const text = document.getText();
    if (text.length > maxBytes) return [];
    const started = performance.now();
    try {
      const options = { rules, preview: false, language: languageForId(document.languageId) };
      const { findings, crashes } = lint(pathOf(document.uri), text, grammars, options, parsed);
      for (const { ruleId, cause } of crashes)
        this.#once(ruleId, `The rule ${ruleId} failed on ${document.uri} (${cause}); the other rules went on.`);
      return findings.map((finding) => toDiagnostic(finding, document.uri));
    } catch (error) {
      return this.#failed(document.uri, error);
    } finally {
      this.lastRun = performance.now() - started;
    }
  }

  /** A trap inside WASM leaves the module unusable: only a new process helps, and the client starts one. */
  #failed(uri: string, error: unknown): Diagnostic[] {
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
