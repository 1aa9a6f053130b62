import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EngineClient, UserError } from '../../../helper/engine/client';
import { EngineErrorCode } from '../../../helper/protocol/errors';
import { encodeJson, MAGIC } from '../../../helper/protocol/packet';
import type { Picture } from '../../../helper/protocol/picture-assembler';
import { bundleEngine, childProcesses, clientOf, fdCount, isAlive, STAND_IN, type StandInOptions, VIEW } from './harness';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const bundle = bundleEngine();
const clients: EngineClient[] = [];

function open(standIn: StandInOptions = {}, options = {}): EngineClient {
  const client = clientOf(bundle, standIn, options);
  clients.push(client);
  return client;
}

function pictures(client: EngineClient, count: number): Promise<Picture[]> {
  const got: Picture[] = [];
  return new Promise((resolve) => {
    client.on('picture', (picture) => {
      got.push(picture);
      if (got.length === count) resolve(got);
    });
  });
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
  expect(childProcesses(bundle)).toEqual([]);
});

/** The engine as any program sees it: bytes in, bytes out. */
function spawnRaw(env: Record<string, string> = {}) {
  return spawn(process.execPath, [path.join(bundle, 'engine.js')], { env: { ...process.env, SEAMSCOPE_ADDON: STAND_IN, ...env } });
}

describe('handshake', () => {
  it('names both sides', async () => {
    const info = await open().start();
    expect(info).toMatchObject({ protocolVersion: 1, addonPath: STAND_IN });
    expect(isAlive(info.pid)).toBe(true);
  });

  it('refuses another version by name and answers nothing before it', async () => {
    const engine = spawnRaw();
    const closed = once(engine, 'close');
    const request = (id: number, method: string, params: object) => encodeJson({ jsonrpc: '2.0', id, method, params });
    engine.stdin.write(Buffer.concat([MAGIC, request(1, 'stats', {}), request(2, 'initialize', { protocolVersion: 99, client: 'test' })]));
    let text = '';
    engine.stdout.on('data', (bytes) => (text += bytes.toString('latin1')));
    await expect.poll(() => text, { timeout: 10_000 }).toContain('"id":2');
    expect(text).toContain('got \\"stats\\" before \\"initialize\\"');
    expect(text).toContain('The engine speaks protocol version 1, its client speaks 99.');
    expect(text).toContain('nextStep');
    // Of its own accord: its stdin is still open.
    expect(await closed).toEqual([1, null]);
  });

  it('reports what a command printed that is no engine', async () => {
    const client = open({}, { launch: { command: 'sh', args: ['-c', 'echo "seamscope: command not found"; exit 127'], env: process.env } });
    await expect(client.start()).rejects.toThrow(/exit code 127.*seamscope: command not found/s);
  });

  it('reports a command that does not exist', async () => {
    const client = open({}, { launch: { command: '/nonexistent/seamscope', args: [], env: {} } });
    await expect(client.start()).rejects.toThrow(/could not be started.*ENOENT/);
  });

  it('skips banners before the stream', async () => {
    const engine = `printf 'Welcome to gpu-host\\n'; exec "${process.execPath}" "${path.join(bundle, 'engine.js')}"`;
    const client = open({}, { launch: { command: 'sh', args: ['-c', engine], env: { ...process.env, SEAMSCOPE_ADDON: STAND_IN } } });
    expect(await client.request('stats', {})).toMatchObject({ views: 0 });
  });
});

describe('views', () => {
  it('sends exactly as many pictures as were granted', async () => {
    const client = open();
    const { viewId, source } = await client.request('view/open', { source: 'scene', view: VIEW });
    expect(source.outputs.map((output) => output.name)).toEqual(['color', 'broken', 'depth']);
    const three = pictures(client, 3);
    client.grant(viewId, 2);
    client.grant(viewId, 1);
    const got = await three;
    await client.request('stats', {});
    expect(got.map((picture) => picture.info.sequence)).toEqual([1, 2, 3]);
    expect(got.every(({ info, bytes }) => bytes.length === 64 * 32 * 4 && bytes.every((byte) => byte === info.sequence))).toBe(true);
  });

  it('caps the credits that one viewer can pile up', async () => {
    const client = open({ pictureBytes: 1000 });
    const { viewId } = await client.request('view/open', { source: 'scene', view: VIEW });
    let count = 0;
    client.on('picture', () => count++);
    client.grant(viewId, 1_000_000);
    await expect.poll(() => count, { timeout: 5000 }).toBe(8);
    await client.request('stats', {});
    expect(count).toBe(8);
  });

  it('answers requests while large pictures are under way', async () => {
    const client = open({ pictureBytes: 20_000_000 });
    const { viewId } = await client.request('view/open', { source: 'scene', view: VIEW });
    const order: string[] = [];
    const picture = pictures(client, 1).then(() => order.push('picture'));
    client.grant(viewId, 1);
    await client.request('view/pixel', { viewId, x: 1, y: 2 }).then(() => order.push('pixel'));
    await picture;
    expect(order).toEqual(['pixel', 'picture']);
  });

  it('shares a scene between views and closes it with the last', async () => {
    const client = open();
    const first = await client.request('view/open', { source: 'scene', view: VIEW, device: 'host' });
    const second = await client.request('view/open', { source: 'scene', view: VIEW, device: 'host' });
    expect(second.source.device).toBe('host, 1 open');
    for (const { viewId } of [first, second]) await client.request('view/close', { viewId });
    expect(await client.request('stats', {})).toMatchObject({ views: 0, gpuMemoryBytes: 0 });
  });

  it.each([
    ['an unknown source', { source: 'nobody', view: VIEW }, /no source "nobody"/],
    ['a picture of no width', { source: 'scene', view: { ...VIEW, width: 0 } }, /view.width must be an integer from 1/],
    ['a rectangle with NaN', { source: 'scene', view: { ...VIEW, rect: { x: Number.NaN, y: 0, width: 1, height: 1 } } }, /view.rect must be/],
    ['a missing view', { source: 'scene' } as never, /view must be an object, not nothing/],
    [
      'an output that the source lacks',
      { source: 'scene', view: { ...VIEW, output: 'depht' } },
      /view.output must be one of color, broken, depth, not "depht"/,
    ],
    ['a device that does not open', { source: 'scene', view: VIEW, device: 'none' }, /There is no such device/],
  ])('refuses %s with a next step', async (_, params, message) => {
    const client = open();
    const error = await client.request('view/open', params).catch((reason: UserError) => reason);
    expect(error).toMatchObject({ message: expect.stringMatching(message), nextStep: expect.stringMatching(/\.$/) });
    expect(await client.request('stats', {})).toMatchObject({ views: 0, gpuMemoryBytes: 0 });
  });

  it('passes on the failure of a view', async () => {
    const client = open();
    const failed = once(client, 'viewFailed');
    const { viewId } = await client.request('view/open', { source: 'scene', view: { ...VIEW, output: 'broken' } });
    expect(await failed).toEqual([{ viewId, message: 'The device was lost.', nextStep: 'Restart the engine.' }]);
  });
});

describe('the end of an engine', () => {
  it('leaves no process and no descriptor behind, however often', async () => {
    const once = async () => {
      const client = open();
      const { viewId } = await client.request('view/open', { source: 'scene', view: VIEW });
      const got = pictures(client, 1);
      client.grant(viewId, 1);
      await got;
      await client.dispose();
    };
    await once();
    const before = fdCount();
    for (let i = 0; i < 3; i++) await once();
    expect(fdCount()).toBe(before);
  });

  it('does not gain descriptors over views', async () => {
    const client = open();
    const cycle = async () => {
      const { viewId } = await client.request('view/open', { source: 'scene', view: VIEW });
      await client.request('view/close', { viewId });
      return (await client.request('stats', {})).openFds;
    };
    const first = await cycle();
    for (let i = 0; i < 5; i++) await cycle();
    expect(await cycle()).toBe(first);
  });

  it('exits 0 when its stdin closes, views open or not', async () => {
    const engine = spawnRaw();
    engine.stdin.write(MAGIC);
    engine.stdin.end();
    expect(await once(engine, 'close')).toEqual([0, null]);
  });

  it('exits with a line on stderr when its stdin carries garbage', async () => {
    const engine = spawnRaw();
    let words = '';
    engine.stderr.on('data', (bytes) => (words += bytes));
    engine.stdin.write(Buffer.concat([MAGIC, Buffer.from('not a packet at all')]));
    expect(await once(engine, 'close')).toEqual([1, null]);
    expect(words).toMatch(/^seamscope engine: Unknown packet header .*\n$/);
  });

  it('is killed when a driver does not let go', async () => {
    const client = open({ hangOnClose: true });
    await client.request('view/open', { source: 'scene', view: VIEW });
    let words = '';
    client.on('stderr', (text) => (words += text));
    const { pid } = await client.start();
    await client.dispose();
    expect(isAlive(pid)).toBe(false);
    expect(words).toContain('A driver did not let go');
  });

  it('stops writing to a reader that does not read, and still ends with its stdin', async () => {
    const engine = spawnRaw({ SEAMSCOPE_STAND_IN: JSON.stringify({ pictureBytes: 50_000_000 }) });
    const send = (message: object) => engine.stdin.write(encodeJson({ jsonrpc: '2.0', ...message }));
    engine.stdin.write(MAGIC);
    send({ id: 1, method: 'initialize', params: { protocolVersion: 1, client: 'test' } });
    send({ id: 2, method: 'view/open', params: { source: 'scene', view: VIEW } });
    await once(engine.stdout, 'readable');
    for (let i = 0; i < 20; i++) send({ method: 'view/credit', params: { viewId: 1, credits: 100 } });
    engine.stdin.end();
    engine.stdout.pause();
    const [code, signal] = await once(engine, 'exit');
    expect([code, signal]).toEqual([0, null]);
  });
});

describe('crashes', () => {
  it('a request under way is answered with how the engine ended', async () => {
    const client = open({ crashAfter: 1, noise: 'driver: something is wrong\n' });
    const { viewId } = await client.request('view/open', { source: 'scene', view: VIEW });
    const stopped = once(client, 'stopped');
    client.grant(viewId, 1);
    const error = await client.request('view/pixel', { viewId, x: 0, y: 0 }).catch((reason) => reason);
    const [{ end }] = (await stopped) as [{ end: { message: string; lastWords: string[] } }];
    expect(end).toMatchObject({ message: expect.stringContaining('SIGSEGV'), lastWords: ['driver: something is wrong'] });
    if (error instanceof Error) expect(error.message).toContain('SIGSEGV');
  });

  it('kill -9 in the middle of a picture restarts the engine and starts clean', async () => {
    const client = open({ pictureBytes: 100_000_000 }, { autoRestart: true });
    const { viewId } = await client.request('view/open', { source: 'scene', view: VIEW });
    const [first] = [client.pid];
    const received: Picture[] = [];
    client.on('picture', (picture) => received.push(picture));
    const restarted = once(client, 'started');
    client.grant(viewId, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.kill(first!, 'SIGKILL');
    await restarted;
    expect(client.pid).not.toBe(first);
    expect(received).toEqual([]);
    expect(await client.request('stats', {})).toMatchObject({ views: 0 });
  });

  it('stays down after the budget with one error and the last words, until the user restarts', async () => {
    const launch = { command: 'sh', args: ['-c', 'echo "libvulkan: boom" >&2; kill -SEGV $$'], env: process.env };
    const client = open({}, { autoRestart: true, launch });
    const errors: UserError[] = [];
    let stops = 0;
    client.on('stopped', ({ error }) => {
      stops++;
      if (error) errors.push(error);
    });
    client.start().catch(() => {});
    await expect.poll(() => errors.length, { timeout: 10_000 }).toBe(1);
    expect(stops).toBe(5);
    expect(errors[0]?.message).toMatch(/crashed 5 times within 3 minutes.*SIGSEGV.*libvulkan: boom/s);
    await expect(client.request('stats', {})).rejects.toBe(errors[0]);
    await expect(client.restart()).rejects.toThrow(/SIGSEGV/);
  });

  it('does not restart an engine of another version', async () => {
    const impostor = `process.stdout.write(Buffer.concat([Buffer.from(${JSON.stringify([...MAGIC])}), Buffer.from(${JSON.stringify([
      ...encodeJson({ jsonrpc: '2.0', id: 0, result: { protocolVersion: 99, engineVersion: '9.9', pid: 1, addonPath: '' } }),
    ])})])); setInterval(() => {}, 1000)`;
    const client = open({}, { autoRestart: true, launch: { command: process.execPath, args: ['-e', impostor], env: process.env } });
    const stopped = once(client, 'stopped');
    await expect(client.start()).rejects.toMatchObject({ code: EngineErrorCode.protocolMismatch, message: expect.stringContaining('version 99') });
    expect((await stopped)[0]).toMatchObject({ willRestart: false });
  });
});
