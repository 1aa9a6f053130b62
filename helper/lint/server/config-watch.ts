// Keeps configuration and header annotations up to date, and shows the faults of seamscope.json at their place.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Connection, DiagnosticSeverity, type TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { CONFIG_NAME } from '../../protocol/lint';
import { languageOf } from '../engine';
import { type ConfigFile, ConfigFiles } from './config-files';
import { toRange } from './diagnostic';
import { IncludeAnnotations } from './include-annotations';

/** Typing in a configuration file settles before every open file is checked anew. */
const settleMs = 300;

export class Workspace {
  readonly configs: ConfigFiles;
  readonly annotations = new IncludeAnnotations();
  /** By URI: what has faults on the screen. */
  readonly #shown = new Map<string, ConfigFile>();
  /** URIs of configurations that an editor has changed. */
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** `changed`: whatever was found may be different now, by the configuration or by a header. `sources`: gets source files that have changed on disk. */
  constructor(
    private readonly connection: Connection,
    documents: TextDocuments<TextDocument>,
    private readonly changed: (configuration: boolean) => void,
    sources: (files: readonly string[]) => void,
  ) {
    this.configs = new ConfigFiles((file) => documents.get(pathToFileURL(file).href)?.getText());
    documents.onDidChangeContent(({ document }) => this.#consider(document.uri));
    documents.onDidClose(({ document }) => this.#consider(document.uri));
    connection.onDidChangeWatchedFiles(({ changes }) => {
      for (const { uri } of changes) if (isConfig(uri)) this.#changed.add(uri);
      if (changes.some(({ uri }) => isConfig(uri) || (uri.startsWith('file:') && this.annotations.reads(fileURLToPath(uri))))) this.#schedule();
      const changed = changes.filter(({ uri }) => uri.startsWith('file:') && !isConfig(uri)).map(({ uri }) => fileURLToPath(uri));
      sources(changed.filter((file) => languageOf(file) !== undefined));
    });
  }

  /** Sends the faults of the configurations in use, and takes back those that are mended. Call it when files have been looked up. */
  showProblems(): void {
    const now = new Map(this.configs.known.map((config) => [pathToFileURL(config.file).href, config]));
    for (const uri of this.#shown.keys()) if (!now.has(uri)) this.#show(uri, undefined);
    for (const [uri, config] of now) if (this.#shown.get(uri) !== config) this.#show(uri, config);
  }

  #show(uri: string, config: ConfigFile | undefined): void {
    const problems = config?.problems ?? [];
    const diagnostics = problems.map((each) => ({
      range: toRange(each),
      message: each.message,
      severity: DiagnosticSeverity.Error,
      source: 'seamscope',
    }));
    if (problems.length > 0 || this.#shown.has(uri)) void this.connection.sendDiagnostics({ uri, diagnostics });
    if (config && problems.length > 0) this.#shown.set(uri, config);
    else this.#shown.delete(uri);
  }

  #consider(uri: string): void {
    if (!isConfig(uri)) return;
    this.#changed.add(uri);
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // Read again at once, so that their faults come and go even if no source file needs them now.
      const files = [...this.#shown.keys(), ...this.#changed].map((uri) => fileURLToPath(uri));
      const configuration = this.#changed.size > 0;
      this.#changed.clear();
      this.configs.forget();
      this.annotations.forget();
      for (const file of files) this.configs.nearest(file);
      this.showProblems();
      this.changed(configuration);
    }, settleMs);
  }
}

export function isConfig(uri: string): boolean {
  return uri.startsWith('file:') && uri.endsWith(`/${CONFIG_NAME}`);
}
