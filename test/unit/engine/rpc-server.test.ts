import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { type Handlers, RpcServer } from '../../../helper/engine/rpc-server';
import { PacketTransport } from '../../../helper/engine/transport';
import { EngineErrorCode } from '../../../helper/protocol/errors';
import { ENGINE_TIMEOUT_MS } from '../../../helper/protocol/timeouts';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** A server with the given handlers and its client in one process. */
function connect(handlers: Partial<Handlers>): { client: MessageConnection; server: RpcServer } {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const server = new RpcServer(new PacketTransport(toServer, toClient));
  server.serve({ initialize: () => ({ protocolVersion: 1, engineVersion: '0', pid: 0, addonPath: '' }), ...handlers } as Handlers);
  const client = new PacketTransport(toClient, toServer).connect();
  client.listen();
  return { client, server };
}

const hello = (client: MessageConnection) => client.sendRequest('initialize', { protocolVersion: 1, client: 'test' });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('RpcServer', () => {
  it('ends when nobody introduces himself in time', async () => {
    const { client, server } = connect({});
    const end = vi.fn();
    server.expectHandshake(end, 5000);
    vi.advanceTimersByTime(5000);
    expect(end).toHaveBeenCalledWith(expect.objectContaining({ message: 'No client of Seamscope introduced itself on standard input within 5 s.' }));
    const punctual = connect({ initialize: () => ({}) as never });
    const late = vi.fn();
    punctual.server.expectHandshake(late, 5000);
    await hello(punctual.client);
    vi.advanceTimersByTime(10_000);
    expect(late).not.toHaveBeenCalled();
    client.dispose();
  });

  it('ends after it has refused a version', async () => {
    const { client, server } = connect({});
    const end = vi.fn();
    server.expectHandshake(end, 5000);
    const answer = await client.sendRequest('initialize', { protocolVersion: 99, client: 'x' }).catch((error) => error);
    expect(answer).toMatchObject({ code: EngineErrorCode.protocolMismatch });
    await vi.waitFor(() => expect(end).toHaveBeenCalledTimes(1));
  });

  it('answers a request whose work never ends, and tells the work that nobody waits', async () => {
    let abandoned: AbortSignal | undefined;
    const { client } = connect({
      'view/open': (_, signal) => {
        abandoned = signal;
        return new Promise(() => {});
      },
    });
    await hello(client);
    const answer = client.sendRequest('view/open', {}).catch((error) => error);
    await vi.waitFor(() => expect(abandoned).toBeDefined());
    vi.advanceTimersByTime(ENGINE_TIMEOUT_MS['view/open']);
    expect(await answer).toMatchObject({
      code: EngineErrorCode.timedOut,
      message: 'The engine did not finish "view/open" within 30 s.',
      data: { nextStep: expect.stringContaining('nvidia-smi') },
    });
    expect(abandoned?.aborted).toBe(true);
  });

  it('abandons what is running when it stops', async () => {
    let abandoned: AbortSignal | undefined;
    const { client, server } = connect({
      'view/save': (_, signal) => {
        abandoned = signal;
        return new Promise(() => {});
      },
    });
    await hello(client);
    client.sendRequest('view/save', {}).catch(() => {});
    await vi.waitFor(() => expect(abandoned?.aborted).toBe(false));
    server.stop();
    expect(abandoned?.aborted).toBe(true);
  });

  it('passes on the next step of a native error, and one of its own for anything else', async () => {
    const thrown = [Object.assign(new Error('VK_ERROR_DEVICE_LOST'), { nextStep: 'Restart the engine.' }), 'just a text', null];
    const { client } = connect({
      stats: () => {
        throw thrown.shift();
      },
    });
    await hello(client);
    const errors = [];
    for (let i = 0; i < 3; i++) errors.push(await client.sendRequest('stats', {}).catch(({ message, data }) => [message, data.nextStep]));
    const own = expect.stringContaining('Copy Report');
    expect(errors).toEqual([
      ['VK_ERROR_DEVICE_LOST', 'Restart the engine.'],
      ['just a text', own],
      ['null', own],
    ]);
  });

  it('answers a method that does not exist', async () => {
    const { client } = connect({});
    await expect(client.sendRequest('view/explode', {})).rejects.toThrow(/Unhandled method view\/explode/);
  });
});
