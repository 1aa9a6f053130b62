import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { CONFIG_NAME } from '../../../helper/protocol/lint';
import { lintLanguages } from '../contributions/languages';
import type { Log } from '../log';
import { onSettingChanged, setting } from '../settings';

/** What the server reads beside open documents: configuration, annotations of headers, what functions of other files do. */
const watched = [`**/${CONFIG_NAME}`, '**/*.{c,cc,cpp,cxx,c++,cu,h,hh,hpp,hxx,cuh,inl,ipp,py,pyi}'];

/** Starts the lint server with the first file it can check, and follows the setting. */
export class Lint implements vscode.Disposable {
  readonly #serverModule: string;
  readonly #log: Log;
  readonly #disposables: vscode.Disposable[];
  readonly #watchers: vscode.FileSystemWatcher[];
  #client: Promise<LanguageClient> | undefined;

  constructor(serverModule: string, log: Log) {
    this.#serverModule = serverModule;
    this.#log = log;
    this.#watchers = watched.map((pattern) => vscode.workspace.createFileSystemWatcher(pattern));
    this.#disposables = [
      ...this.#watchers,
      vscode.workspace.onDidOpenTextDocument((document) => this.#consider(document)),
      onSettingChanged('seamscope.lint.enable', () => (setting('seamscope.lint.enable') ? this.#considerAll() : void this.#stop())),
    ];
    this.#considerAll();
  }

  /** For the report. */
  get state(): string {
    if (!setting('seamscope.lint.enable')) return 'switched off';
    return this.#client ? 'started' : 'not needed yet';
  }

  /** The running client, started where it was not needed yet; undefined when the setting switches checks off. */
  async client(): Promise<LanguageClient | undefined> {
    if (!setting('seamscope.lint.enable')) return undefined;
    this.#begin();
    return await this.#client;
  }

  async restart(): Promise<void> {
    await this.#stop();
    this.#considerAll();
    await this.#client;
  }

  dispose(): Promise<void> {
    vscode.Disposable.from(...this.#disposables).dispose();
    return this.#stop();
  }

  #considerAll(): void {
    for (const document of vscode.workspace.textDocuments) this.#consider(document);
  }

  #consider({ languageId, uri }: vscode.TextDocument): void {
    const checkable = (lintLanguages as readonly string[]).includes(languageId) && (uri.scheme === 'file' || uri.scheme === 'vscode-remote');
    if (checkable && setting('seamscope.lint.enable')) this.#begin();
  }

  #begin(): void {
    if (this.#client) return;
    this.#client = this.#start();
    this.#client.catch((error: Error) => this.#failed(error));
  }

  async #start(): Promise<LanguageClient> {
    const { createLintClient } = await import('./client');
    const client = createLintClient(this.#serverModule, this.#log, this.#watchers);
    await client.start();
    return client;
  }

  #failed(error: Error): void {
    this.#client = undefined;
    this.#log.error(`The lint server did not start: ${error.message}`);
    void vscode.window.showErrorMessage(
      `Seamscope cannot check files: the lint server did not start. ${error.message} Run "Seamscope: Restart Helpers".`,
    );
  }

  async #stop(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.dispose().catch((error: Error) => this.#log.warn(`The lint server did not stop cleanly: ${error.message}`));
  }
}
