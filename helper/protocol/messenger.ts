/**
 * Requests and notifications over any channel that passes structured values. Both sides of a boundary use this class with the types swapped.
 * Every request gets a reply, an error or a time-out.
 */

type Requests<R> = { [M in keyof R]: { params: unknown; result: unknown } };

type Envelope =
  | { kind: 'request'; id: number; method: string; params: unknown }
  | { kind: 'reply'; id: number; result: unknown }
  | { kind: 'error'; id: number; message: string; nextStep: string }
  | { kind: 'notification'; method: string; params: unknown };

/** A failure that the other side described; `nextStep` may be empty. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';

  constructor(
    message: string,
    readonly nextStep: string,
  ) {
    super(message);
  }
}

interface Pending {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

type Handler = (params: never) => unknown;

export class Messenger<OutRequests extends Requests<OutRequests>, OutNotifications, InRequests extends Requests<InRequests>, InNotifications> {
  readonly #send: (message: unknown) => void;
  readonly #pending = new Map<number, Pending>();
  /** Apart, so that neither can be called as the other: a request's errors need its reply. */
  readonly #requestHandlers = new Map<string, Handler>();
  readonly #notificationHandlers = new Map<string, Handler>();
  #lastId = 0;

  constructor(send: (message: unknown) => void) {
    this.#send = send;
  }

  request<M extends keyof OutRequests & string>(method: M, params: OutRequests[M]['params'], timeoutMs = 10_000): Promise<OutRequests[M]['result']> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(id)?.reject(new RemoteError(`No answer to "${method}" within ${timeoutMs} ms.`, '')), timeoutMs);
      this.#pending.set(id, { resolve, reject, timer });
      this.#send({ kind: 'request', id, method, params } satisfies Envelope);
    });
  }

  notify<M extends keyof OutNotifications & string>(method: M, params: OutNotifications[M]): void {
    this.#send({ kind: 'notification', method, params } satisfies Envelope);
  }

  onRequest<M extends keyof InRequests & string>(
    method: M,
    handler: (params: InRequests[M]['params']) => InRequests[M]['result'] | Promise<InRequests[M]['result']>,
  ): void {
    this.#requestHandlers.set(method, handler);
  }

  onNotification<M extends keyof InNotifications & string>(method: M, handler: (params: InNotifications[M]) => void): void {
    this.#notificationHandlers.set(method, handler);
  }

  /** To be called with every message that arrives; foreign ones are ignored. */
  receive(message: unknown): void {
    if (!isEnvelope(message)) return;
    if (message.kind === 'request') void this.#answer(message);
    else if (message.kind === 'notification') this.#notificationHandlers.get(message.method)?.(message.params as never);
    else if (message.kind === 'reply') this.#settle(message.id)?.resolve(message.result);
    else this.#settle(message.id)?.reject(new RemoteError(message.message, message.nextStep));
  }

  /** Rejects what is still waiting: the other side is gone. */
  close(reason: string): void {
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new RemoteError(reason, ''));
  }

  async #answer({ id, method, params }: Extract<Envelope, { kind: 'request' }>): Promise<void> {
    try {
      const handler = this.#requestHandlers.get(method);
      if (!handler) throw new Error(`Unknown request "${method}".`);
      this.#send({ kind: 'reply', id, result: await handler(params as never) } satisfies Envelope);
    } catch (error) {
      const { message, nextStep = '' } = error as { message?: string; nextStep?: string };
      this.#send({ kind: 'error', id, message: message ?? String(error), nextStep } satisfies Envelope);
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }
}

function isEnvelope(message: unknown): message is Envelope {
  return typeof message === 'object' && message !== null && 'kind' in message;
}
