/**
 * The engine as its clients use it, the extension and the command line alike: started when first needed, restarted within a budget,
 * gone after dispose(). Pictures and notifications are events.
 */
import { EventEmitter } from 'node:events';
import type { EngineNotifications, EngineRequests } from '../protocol/engine';
import { EngineErrorCode } from '../protocol/errors';
import type { Picture } from '../protocol/picture-assembler';
import { type EngineInfo, type EngineLaunch, EngineSession, type SessionEnd } from './engine-session';
import { RestartBudget } from './restart-budget';
import { toUserError, UserError } from './user-error';

export { type EngineInfo, type EngineLaunch, localEngine, type SessionEnd } from './engine-session';
export { UserError } from './user-error';

export interface EngineClientOptions {
  /** Names the client in the engine's log. */
  name: string;
  launch: EngineLaunch;
  /** Start again after a crash without being asked; views have to be opened again on 'started'. */
  autoRestart?: boolean;
  budget?: RestartBudget;
}

export interface EngineClientEvents {
  picture: [Picture];
  viewFailed: [EngineNotifications['view/failed']];
  sourcesChanged: [];
  /** After each handshake, the first included. */
  started: [EngineInfo];
  /** `error` says that it stays down, with the last words: show it once, with a Restart action. */
  stopped: [{ end: SessionEnd; willRestart: boolean; error?: UserError }];
  stderr: [string];
}

const RESTART_DELAY_MS = 250;

export class EngineClient extends EventEmitter<EngineClientEvents> {
  readonly #options: EngineClientOptions;
  readonly #budget: RestartBudget;
  #session: EngineSession | null = null;
  /** Why the engine stays down. */
  #down: UserError | null = null;
  #restartTimer: NodeJS.Timeout | undefined;

  constructor(options: EngineClientOptions) {
    super();
    this.#options = options;
    this.#budget = options.budget ?? new RestartBudget();
  }

  get pid(): number | undefined {
    return this.#session?.pid;
  }

  /** Starts the engine unless it runs. Rejects with a UserError. */
  async start(): Promise<EngineInfo> {
    if (this.#down) throw this.#down;
    this.#session ??= this.#begin();
    return this.#session.ready;
  }

  async request<M extends keyof EngineRequests>(method: M, params: EngineRequests[M]['params']): Promise<EngineRequests[M]['result']> {
    await this.start();
    if (!this.#session) throw this.#down ?? stoppedError();
    return this.#session.request(method, params);
  }

  /** Lets the engine send `credits` more pictures of a view. Nothing happens when it is not running. */
  grant(viewId: number, credits: number): void {
    this.#session?.notify('view/credit', { viewId, credits });
  }

  /** The user's Restart: a fresh budget and a fresh process. */
  async restart(): Promise<EngineInfo> {
    await this.#stop();
    this.#down = null;
    this.#budget.reset();
    return this.start();
  }

  /** Ends the engine process and resolves when it is gone; the client cannot be started again. */
  async dispose(): Promise<void> {
    this.#down = new UserError('The engine client was disposed.', 'Open a new one.', EngineErrorCode.closing);
    await this.#stop();
    this.removeAllListeners();
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#restartTimer);
    const session = this.#session;
    this.#session = null;
    await session?.close();
  }

  #begin(): EngineSession {
    clearTimeout(this.#restartTimer);
    const session = new EngineSession(this.#options.launch, this.#options.name, {
      onPicture: (picture) => this.emit('picture', picture),
      onNotification: (method, params) => {
        if (method === 'view/failed') this.emit('viewFailed', params as EngineNotifications['view/failed']);
        else this.emit('sourcesChanged');
      },
      onStderr: (text) => this.emit('stderr', text),
    });
    let refusal: UserError | null = null;
    session.ready.then(
      (info) => this.emit('started', info),
      (error) => (refusal = toUserError(error)),
    );
    void session.ended.then((end) => this.#onEnded(session, end, refusal));
    return session;
  }

  #onEnded(session: EngineSession, end: SessionEnd, refusal: UserError | null): void {
    if (this.#session === session) this.#session = null;
    else if (end.expected) return void this.emit('stopped', { end, willRestart: false });
    // Another version does not become the right one by a restart.
    if (refusal?.code === EngineErrorCode.protocolMismatch) this.#down ??= refusal;
    else if (!this.#budget.crash()) this.#down ??= exhausted(this.#budget, end);
    const willRestart = this.#options.autoRestart === true && !this.#down;
    if (willRestart) this.#restartTimer = setTimeout(() => void this.start().catch(() => {}), RESTART_DELAY_MS);
    this.emit('stopped', { end, willRestart, ...(this.#down ? { error: this.#down } : {}) });
  }
}

function exhausted(budget: RestartBudget, end: SessionEnd): UserError {
  const minutes = budget.windowMs / 60_000;
  const words = end.lastWords.length > 0 ? ` Its last words:\n${end.lastWords.join('\n')}` : '';
  return new UserError(
    `The engine crashed ${budget.maxCrashes} times within ${minutes} minutes and stays down. ${end.message}${words}`,
    'Read the engine log, then restart the engine.',
  );
}

function stoppedError(): UserError {
  return new UserError('The engine has stopped.', 'Restart the engine.', EngineErrorCode.closing);
}
