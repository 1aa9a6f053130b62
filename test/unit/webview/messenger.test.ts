import { describe, expect, it, vi } from 'vitest';
import { Messenger, RemoteError } from '../../../helper/protocol/messenger';

interface Asks {
  double: { params: { n: number }; result: number };
  fail: { params: Record<string, never>; result: null };
}
interface Says {
  ping: { text: string };
}
type None = Record<string, never>;

/** Two sides joined by structured clones, as postMessage does it. */
function pair() {
  const asker: Messenger<Asks, Says, None, None> = new Messenger((message) => answerer.receive(structuredClone(message)));
  const answerer: Messenger<None, None, Asks, Says> = new Messenger((message) => asker.receive(structuredClone(message)));
  return { asker, answerer };
}

describe('Messenger', () => {
  it('answers requests, also those in flight together', async () => {
    const { asker, answerer } = pair();
    answerer.onRequest('double', async ({ n }) => n * 2);
    expect(await Promise.all([asker.request('double', { n: 2 }), asker.request('double', { n: 21 })])).toEqual([4, 42]);
  });

  it('calls no request as a notification, nor the other way', async () => {
    const { asker, answerer } = pair();
    const called = vi.fn();
    answerer.onRequest('double', called);
    answerer.onNotification('ping', called);
    answerer.receive({ kind: 'notification', method: 'double', params: { n: 1 } });
    await expect(asker.request('ping' as 'double', { n: 1 })).rejects.toThrow('Unknown request "ping"');
    expect(called).not.toHaveBeenCalled();
  });

  it('carries an error with its next step', async () => {
    const { asker, answerer } = pair();
    answerer.onRequest('fail', () => {
      throw Object.assign(new Error('The driver is gone.'), { nextStep: 'Restart.' });
    });
    await expect(asker.request('fail', {})).rejects.toMatchObject({ message: 'The driver is gone.', nextStep: 'Restart.' });
  });

  it('replies to a request that nobody handles', async () => {
    await expect(pair().asker.request('double', { n: 1 })).rejects.toThrow('Unknown request "double"');
  });

  it('gives up on a side that never answers', async () => {
    const asker: Messenger<Asks, Says, None, None> = new Messenger(() => {});
    await expect(asker.request('double', { n: 1 }, 1)).rejects.toBeInstanceOf(RemoteError);
  });

  it('rejects what waits when it is closed', async () => {
    const asker: Messenger<Asks, Says, None, None> = new Messenger(() => {});
    const waiting = asker.request('double', { n: 1 });
    asker.close('The panel was closed.');
    await expect(waiting).rejects.toThrow('The panel was closed.');
  });

  it('delivers notifications and ignores foreign messages', () => {
    const { asker, answerer } = pair();
    const heard = vi.fn();
    answerer.onNotification('ping', heard);
    for (const foreign of [null, 7, 'text', { type: 'other' }, { kind: 'reply', id: 99, result: 1 }]) answerer.receive(foreign);
    asker.notify('ping', { text: 'hello' });
    expect(heard.mock.calls).toEqual([[{ text: 'hello' }]]);
  });
});
