/** Programs of this window publish to its engine: terminals and tasks know its socket, the engine listens while it runs. */
import process from 'node:process';
import * as vscode from 'vscode';
import { engineEnvironment } from '../engine/environment';
import type { EngineService } from '../engine/service';
import type { Log } from '../log';
import { onSettingChanged, setting } from '../settings';
import { socketName, socketPath } from './socket';

const VARIABLE = 'SEAMSCOPE_SOCKET';

export class Publishers implements vscode.Disposable {
  readonly #engine: EngineService;
  readonly #log: Log;
  readonly #terminals: vscode.EnvironmentVariableCollection;
  readonly #name = socketName((vscode.workspace.workspaceFile ?? vscode.workspace.workspaceFolders?.[0]?.uri)?.toString());
  readonly #watching: vscode.Disposable;

  constructor(terminals: vscode.EnvironmentVariableCollection, engine: EngineService, log: Log) {
    this.#terminals = terminals;
    this.#engine = engine;
    this.#log = log;
    terminals.description = 'Programs started here can show their frames in the Seamscope preview.';
    this.#tellTerminals(this.#expectedSocket());
    const changed = () => void this.#configure();
    this.#watching = vscode.Disposable.from(
      engine.onDidChangeState((state) => {
        if (state === 'running') changed();
      }),
      onSettingChanged('seamscope.publishers.enable', changed),
      onSettingChanged('seamscope.publishers.maxRate', changed),
    );
  }

  /** What terminals get as SEAMSCOPE_SOCKET. */
  get socket(): string | undefined {
    return this.#terminals.get(VARIABLE)?.value;
  }

  dispose(): void {
    this.#watching.dispose();
  }

  /** The engine has the last word on the socket: another window may have the same folder open. */
  async #configure(): Promise<void> {
    const enabled = setting('seamscope.publishers.enable');
    if (this.#engine.state !== 'running') return this.#tellTerminals(this.#expectedSocket());
    try {
      const options = { enabled, name: this.#name, maxRate: setting('seamscope.publishers.maxRate') };
      const { socket } = await this.#engine.request('publishers/configure', options);
      this.#tellTerminals(socket ?? 'off');
      if (socket) this.#log.info(`Programs publish to ${socket}.`);
    } catch (error) {
      const { message, nextStep = '' } = error as Error & { nextStep?: string };
      this.#log.error(`Programs cannot publish: ${message} ${nextStep}`);
    }
  }

  #expectedSocket(): string {
    if (!setting('seamscope.publishers.enable')) return 'off';
    return socketPath(this.#name, engineEnvironment(process.env, setting('seamscope.engine.environment')), process.getuid?.() ?? 0);
  }

  /** A collection that changes asks the user to reopen terminals: only when it does. */
  #tellTerminals(value: string): void {
    if (this.#terminals.get(VARIABLE)?.value !== value) this.#terminals.replace(VARIABLE, value);
  }
}
