import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PacketTransport } from '../../../helper/engine/transport';
import { encodeJson, MAGIC } from '../../../helper/protocol/packet';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** A transport whose reader takes replies only when asked, and whose requests are answered by `answer`. */
function connect(answer: () => unknown) {
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: 1024 });
  const transport = new PacketTransport(input, output);
  const ended = new Promise<Error | undefined>((resolve) => {
    transport.onEnd = resolve;
  });
  const connection = transport.connect();
  let handled = 0;
  connection.onRequest('work', () => {
    handled++;
    return answer();
  });
  connection.onNotification('note', () => {});
  connection.listen();
  input.write(MAGIC);
  return { input, output, ended, handled: () => handled };
}

const work = (id: number) => encodeJson({ jsonrpc: '2.0', id, method: 'work' });

async function settle() {
  for (let i = 0; i < 3000; i++) await new Promise(setImmediate);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a flood of messages', () => {
  it('is not read further while requests wait for their answers', async () => {
    const answers: (() => void)[] = [];
    const { input, output, handled } = connect(() => new Promise((resolve) => answers.push(() => resolve(null))));
    output.resume();
    for (let id = 1; id <= 1000; id++) input.write(work(id));
    await settle();
    const first = handled();
    expect(first).toBeGreaterThan(200);
    expect(first).toBeLessThan(300);
    while (handled() < 1000) {
      for (const answer of answers.splice(0)) answer();
      await new Promise(setImmediate);
    }
    expect(handled()).toBe(1000);
  });

  it('is not read further while nobody reads the replies, and the peer is taken for dead at last', async () => {
    const { input, ended, handled } = connect(() => 'x'.repeat(50_000));
    for (let id = 1; id <= 1000; id++) input.write(work(id));
    await settle();
    const before = handled();
    expect(before).toBeLessThan(300);
    vi.advanceTimersByTime(30_000);
    expect((await ended)?.message).toBe('The other side does not read any more.');
  });

  it('goes on when the replies are read', async () => {
    const { input, output, handled } = connect(() => 'x'.repeat(50_000));
    for (let id = 1; id <= 1000; id++) input.write(work(id));
    await settle();
    output.resume();
    await vi.waitFor(() => expect(handled()).toBe(1000), { timeout: 15_000 });
  });

  it('of notifications and cancellations passes without stopping for good', async () => {
    const { input, output, handled } = connect(() => null);
    output.resume();
    for (let i = 0; i < 1000; i++) {
      input.write(encodeJson({ jsonrpc: '2.0', method: 'note' }));
      input.write(encodeJson({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: i } }));
    }
    input.write(work(1));
    await vi.waitFor(() => expect(handled()).toBe(1), { timeout: 15_000 });
  });
});

describe('the end of a stream', () => {
  it.each([
    ['between packets', [MAGIC, work(1)], undefined],
    ['inside a packet', [MAGIC, work(1).subarray(0, 20)], 'The stream ended in the middle of a packet.'],
    ['after nonsense', [MAGIC, encodeJson([1, 2])], 'A message is not a JSON-RPC object.'],
  ])('%s', async (_, parts, message) => {
    const input = new PassThrough();
    const transport = new PacketTransport(input, new PassThrough().resume());
    const ended = new Promise<Error | undefined>((resolve) => {
      transport.onEnd = resolve;
    });
    transport.connect().listen();
    input.end(Buffer.concat(parts));
    expect((await ended)?.message).toBe(message);
  });

  it('keeps what a peer prints that hung up before', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const transport = new PacketTransport(input, output);
    const ended = new Promise<Error | undefined>((resolve) => {
      transport.onEnd = resolve;
    });
    output.destroy(new Error('EPIPE'));
    expect((await ended)?.message).toBe('EPIPE');
    input.write('seamscope: command not found\n');
    await vi.waitFor(() => expect(transport.noise).toBe('seamscope: command not found'));
  });
});
