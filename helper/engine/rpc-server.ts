/** The engine's side of the RPC: the handshake gate, time-outs and one error path for every request. */
import process from 'node:process';
import { type MessageConnection, ResponseError } from 'vscode-jsonrpc/node';
import type { EngineNotifications, EngineRequests } from '../protocol/engine';
import { EngineErrorCode, type ErrorData } from '../protocol/errors';
import { ENGINE_TIMEOUT_MS, HANDSHAKE_TIMEOUT_MS } from '../protocol/timeouts';
import { PROTOCOL_VERSION } from '../protocol/version';
import type { PacketTransport } from './transport';
import { toUserError, UserError } from './user-error';
import { withTimeout } from './with-timeout';

type Method = keyof EngineRequests;
/** `abandoned` aborts when nobody waits for the answer any more: what was opened for it must be given back. */
type Handler<M extends Method> = (
  params: EngineRequests[M]['params'],
  abandoned: AbortSignal,
) => Promise<EngineRequests[M]['result']> | EngineRequests[M]['result'];
export type Handlers = { [M in Method]: Handler<M> };

export class RpcServer {
  readonly #connection: MessageConnection;
  readonly #running = new Set<AbortController>();
  #initialized = false;
  #handshake: { readonly timer: NodeJS.Timeout; readonly end: (cause: Error) => void } | undefined;

  constructor(transport: PacketTransport) {
    this.#connection = transport.connect({ error: logLine, warn: logLine, info: () => {}, log: () => {} });
  }

  serve(handlers: Handlers): void {
    for (const method of Object.keys(handlers) as Method[]) this.#serveOne(method, handlers[method] as Handler<typeof method>);
    this.#connection.listen();
  }

  notify<N extends keyof EngineNotifications>(method: N, params: EngineNotifications[N]): void {
    void this.#connection.sendNotification(method, params).catch(() => {});
  }

  onNotification<N extends keyof EngineNotifications>(method: N, handler: (params: EngineNotifications[N]) => void): void {
    this.#connection.onNotification(method, (params: EngineNotifications[N]) => {
      if (this.#initialized) handler(params);
    });
  }

  #serveOne<M extends Method>(method: M, handler: Handler<M>): void {
    this.#connection.onRequest(method, async (params: EngineRequests[M]['params']) => {
      try {
        this.#checkHandshake(method, params);
        return await this.#run(method, handler, params);
      } catch (error) {
        throw toResponse(toUserError(error));
      }
    });
  }

  /** `end` is called when nobody introduces himself in time, or somebody does who is refused. */
  expectHandshake(end: (cause: Error) => void, timeoutMs: number = HANDSHAKE_TIMEOUT_MS): void {
    this.#handshake = { timer: setTimeout(() => end(noHandshake(timeoutMs)), timeoutMs).unref(), end };
  }

  /** Requests still running are abandoned. */
  stop(): void {
    clearTimeout(this.#handshake?.timer);
    for (const request of this.#running) request.abort();
  }

  #run<M extends Method>(method: M, handler: Handler<M>, params: EngineRequests[M]['params']) {
    const limit = ENGINE_TIMEOUT_MS[method];
    const request = new AbortController();
    this.#running.add(request);
    const work = Promise.resolve()
      .then(() => handler(params, request.signal))
      .finally(() => this.#running.delete(request));
    return withTimeout(work, limit, () => {
      request.abort();
      return timedOut(method, limit);
    });
  }

  #introduce(version: unknown): void {
    clearTimeout(this.#handshake?.timer);
    try {
      checkVersion(version);
    } catch (error) {
      // After the reply has been written: a version does not change by asking again.
      if (!this.#initialized) setImmediate(() => this.#handshake?.end(error as Error));
      throw error;
    }
    this.#initialized = true;
  }

  #checkHandshake(method: Method, params: unknown): void {
    if (method === 'initialize') {
      this.#introduce((params as { protocolVersion?: unknown } | null)?.protocolVersion);
    } else if (!this.#initialized && method !== 'shutdown') {
      throw new UserError(`The engine got "${method}" before "initialize".`, 'Send "initialize" first.', EngineErrorCode.notInitialized);
    }
  }
}

function noHandshake(timeoutMs: number): Error {
  return new Error(`No client of Seamscope introduced itself on standard input within ${timeoutMs / 1000} s.`);
}

function checkVersion(version: unknown): void {
  if (version === PROTOCOL_VERSION) return;
  throw new UserError(
    `The engine speaks protocol version ${PROTOCOL_VERSION}, its client speaks ${JSON.stringify(version) ?? 'none'}.`,
    'Install the same version of Seamscope on both sides, then restart the engine.',
    EngineErrorCode.protocolMismatch,
  );
}

function timedOut(method: Method, limit: number): UserError {
  const step = 'A driver may hang: run "nvidia-smi" in a terminal, then restart the engine.';
  return new UserError(`The engine did not finish "${method}" within ${limit / 1000} s.`, step, EngineErrorCode.timedOut);
}

function toResponse({ code, message, nextStep }: UserError): ResponseError<ErrorData> {
  return new ResponseError(code, message, { nextStep });
}

function logLine(message: string): void {
  process.stderr.write(`seamscope engine: ${message.split('\n')[0]}\n`);
}
