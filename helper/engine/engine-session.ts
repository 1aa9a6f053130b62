/** One engine process from spawn to exit, seen from its client. The process may be local or behind any command that passes stdin and stdout on. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import process from 'node:process';
import { type MessageConnection, ResponseError } from 'vscode-jsonrpc/node';
import type { EngineNotifications, EngineRequests } from '../protocol/engine';
import { EngineErrorCode, type ErrorData } from '../protocol/errors';
import type { Picture } from '../protocol/picture-assembler';
import { CLIENT_GRACE_MS, ENGINE_TIMEOUT_MS, HANDSHAKE_TIMEOUT_MS, SHUTDOWN_TIMEOUT_MS } from '../protocol/timeouts';
import { PROTOCOL_VERSION } from '../protocol/version';
import { TextTail } from './text-tail';
import { PacketTransport } from './transport';
import { toUserError, UserError } from './user-error';
import { withTimeout } from './with-timeout';

export type EngineInfo = EngineRequests['initialize']['result'];

export interface EngineLaunch {
  command: string;
  args: string[];
  /** The whole environment of the process. */
  env: NodeJS.ProcessEnv;
}

export interface SessionEvents {
  onPicture(picture: Picture): void;
  onNotification<N extends keyof EngineNotifications>(method: N, params: EngineNotifications[N]): void;
  onStderr(text: string): void;
}

export interface SessionEnd {
  /** How it ended, one sentence. */
  message: string;
  /** The last lines of stderr, or of the noise on stdout when the stream never began. */
  lastWords: string[];
  /** What ended its process, if that was a signal of somebody else. */
  signal?: NodeJS.Signals;
  /** It ended because it was told to. */
  expected: boolean;
}

/** An engine on this machine, on the Node that runs this process (VS Code's own in the extension host). */
export function localEngine(script: string, env: NodeJS.ProcessEnv = process.env): EngineLaunch {
  return { command: process.execPath, args: [script], env: { ...env, ELECTRON_RUN_AS_NODE: '1' } };
}

export class EngineSession {
  /** Rejects with a UserError when the handshake fails; the process is ended then. */
  readonly ready: Promise<EngineInfo>;
  /** Never rejects. */
  readonly ended: Promise<SessionEnd>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #transport: PacketTransport;
  readonly #connection: MessageConnection;
  readonly #stderr = new TextTail();
  readonly #waiting = new Set<(end: SessionEnd) => void>();
  #closing: Promise<void> | null = null;
  #end: SessionEnd | null = null;
  #streamError: Error | undefined;
  #killed = false;

  constructor(launch: EngineLaunch, clientName: string, events: SessionEvents) {
    this.#child = spawn(launch.command, launch.args, { env: launch.env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr.push(chunk);
      events.onStderr(chunk.toString('utf8'));
    });
    this.ended = this.#watchEnd();
    this.#transport = new PacketTransport(this.#child.stdout, this.#child.stdin);
    this.#transport.onPicture = (picture) => events.onPicture(picture);
    this.#transport.onEnd = (error) => this.#onStreamEnd(error);
    this.#connection = this.#transport.connect();
    for (const method of ['view/failed', 'sources/changed'] as const) {
      this.#connection.onNotification(method, (params) => events.onNotification(method, params));
    }
    this.#connection.listen();
    this.ready = this.#handshake(clientName);
    this.ready.catch(() => this.kill());
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Rejects with a UserError: the engine's own, a time-out, or how the engine ended. */
  async request<M extends keyof EngineRequests>(
    method: M,
    params: EngineRequests[M]['params'],
    timeoutMs?: number,
  ): Promise<EngineRequests[M]['result']> {
    const limit = timeoutMs ?? ENGINE_TIMEOUT_MS[method] + CLIENT_GRACE_MS;
    if (method === 'view/close') this.#transport.pictures.forget((params as { viewId: number }).viewId);
    const answer = this.#connection.sendRequest<EngineRequests[M]['result']>(method, params).catch((error) => {
      throw fromResponse(error);
    });
    const result = await withTimeout(this.#unlessEnded(method, answer), limit, () => noAnswer(method, limit));
    if (method === 'view/open') this.#transport.pictures.open((result as { viewId: number }).viewId);
    return result;
  }

  notify<N extends keyof EngineNotifications>(method: N, params: EngineNotifications[N]): void {
    void this.#connection.sendNotification(method, params).catch(() => {});
  }

  /** Asks the engine to end, then makes sure that it does. Resolves when the process is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  kill(): void {
    this.#killed = true;
    this.#child.kill('SIGKILL');
  }

  async #close(): Promise<void> {
    const timer = setTimeout(() => this.kill(), SHUTDOWN_TIMEOUT_MS);
    void this.#connection.sendRequest('shutdown', {}).catch(() => {});
    // The end of its stdin ends the engine even if it never reads the request.
    setImmediate(() => this.#child.stdin.end());
    await this.ended;
    clearTimeout(timer);
  }

  async #handshake(client: string): Promise<EngineInfo> {
    const info = await this.request('initialize', { protocolVersion: PROTOCOL_VERSION, client }, HANDSHAKE_TIMEOUT_MS);
    if (info.protocolVersion === PROTOCOL_VERSION) return info;
    throw new UserError(
      `The engine speaks protocol version ${info.protocolVersion}, this client speaks ${PROTOCOL_VERSION}.`,
      'Install the same version of Seamscope on both sides, then restart the engine.',
      EngineErrorCode.protocolMismatch,
    );
  }

  #watchEnd(): Promise<SessionEnd> {
    return new Promise((resolve) => {
      const end = (message: string, signal: NodeJS.Signals | null = null) => {
        if (this.#end) return;
        const words = this.#stderr.lines;
        const lastWords = words.length > 0 ? words : this.#transport.noise.split('\n').filter(Boolean);
        this.#end = { message, lastWords, expected: this.#closing !== null, ...(signal && !this.#killed && { signal }) };
        for (const onEnd of this.#waiting) onEnd(this.#end);
        this.#connection.dispose();
        resolve(this.#end);
      };
      this.#child.on('error', (error) => end(`The engine could not be started: ${error.message}.`));
      this.#child.on('close', (code, signal) => end(this.#describeEnd(code, signal), signal));
    });
  }

  /** A torn stream is what a crash leaves behind; it is the cause only when this side ended the process for it. */
  #describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
    const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
    return this.#streamError && this.#killed ? `The engine ${how}: ${this.#streamError.message}` : `The engine ${how}.`;
  }

  /** A stream that is over or broken is of no use: neither is its process. */
  #onStreamEnd(error: Error | undefined): void {
    if (this.#closing) return;
    this.#streamError = error;
    this.#child.stdin.destroy();
    setTimeout(() => this.kill(), SHUTDOWN_TIMEOUT_MS).unref();
  }

  /** Rejects as soon as the engine has ended. A set, not a race with `ended`, which would keep every request of a long session. */
  #unlessEnded<T>(method: string, answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const onEnd = (end: SessionEnd) => reject(endedBefore(method, end));
      this.#waiting.add(onEnd);
      answer.then(resolve, reject).finally(() => this.#waiting.delete(onEnd));
      if (this.#end) onEnd(this.#end);
    });
  }
}

function fromResponse(error: unknown): UserError {
  if (!(error instanceof ResponseError)) return toUserError(error);
  const { nextStep } = (error.data ?? {}) as Partial<ErrorData>;
  return new UserError(error.message, nextStep ?? 'Install the same version of Seamscope on both sides.', error.code);
}

function endedBefore(method: string, { message, lastWords }: SessionEnd): UserError {
  const words = lastWords.length > 0 ? ` Its last words: ${lastWords.slice(-3).join(' | ')}` : '';
  return new UserError(`${message} "${method}" has no answer.${words}`, 'Read the engine log; restart the engine.', EngineErrorCode.closing);
}

function noAnswer(method: string, limit: number): UserError {
  return new UserError(`The engine did not answer "${method}" within ${limit / 1000} s.`, 'Restart the engine.', EngineErrorCode.timedOut);
}
