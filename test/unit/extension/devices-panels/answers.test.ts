import { describe, expect, it } from 'vitest';
import { answerDevicesPanel, checkedDevice, type DevicesAnswers, type DevicesMessenger } from '../../../../extension/src/devices-panels/answers';
import { Messenger } from '../../../../helper/protocol/messenger';
import { PROTOCOL_VERSION } from '../../../../helper/protocol/version';

const content = { snapshot: null, environment: { kind: 'editor', label: 'the editor' }, sources: [], notice: null, reading: false } as const;

/** A panel's extension side, and what came of the messages that it got. */
function panel() {
  const sent: Record<string, unknown>[] = [];
  const done: string[] = [];
  const messenger: DevicesMessenger = new Messenger((message) => sent.push(message as Record<string, unknown>));
  const answers: DevicesAnswers = {
    start: () => ({ device: null, content: { ...content, sources: [] }, history: [] }),
    copyText: async (text) => void done.push(`copy ${text}`),
    openDevice: (device) => void done.push(`open ${device}`),
    exportJson: async () => null,
    act: async (name) => void done.push(name),
  };
  answerDevicesPanel(messenger, answers);
  const receive = async (message: unknown) => {
    messenger.receive(message);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { receive, sent, done };
}

const request = (method: string, params: unknown) => ({ kind: 'request', id: 1, method, params });

describe('messages of a Devices document', () => {
  it.each([
    ['copyText', { text: 'x' }, 'copy x'],
    ['openDevice', { device: 'aaaaaaaa-1111-2222-3333-000000000000' }, 'open aaaaaaaa-1111-2222-3333-000000000000'],
    ['openDevice', { device: 'cuda:3' }, 'open cuda:3'],
    ['action', { name: 'refresh' }, 'refresh'],
  ])('%s does what it says', async (method, params, expected) => {
    const { receive, sent, done } = panel();
    await receive(request(method, params));
    expect(done).toEqual([expected]);
    expect(sent).toEqual([{ kind: 'reply', id: 1, result: null }]);
  });

  it.each([
    ['copyText', undefined],
    ['copyText', { text: ['x'] }],
    ['copyText', { text: 'x'.repeat(4_000_001) }],
    ['openDevice', null],
    ['openDevice', { device: '../../etc' }],
    ['openDevice', { device: 'x'.repeat(81) }],
    ['openDevice', { device: ['a'] }],
    ['action', {}],
    ['action', { name: 'constructor' }],
    ['action', { name: 'workbench.action.terminal.new' }],
    ['start', { protocolVersion: PROTOCOL_VERSION + 1 }],
    ['start', 'x'],
    ['__proto__', {}],
    ['nothing', {}],
  ])('%s with %j is refused, and nothing happens', async (method, params) => {
    const { receive, sent, done } = panel();
    await receive(request(method, params));
    expect(done).toEqual([]);
    expect(sent).toEqual([expect.objectContaining({ kind: 'error', id: 1 })]);
  });

  it.each([null, 7, 'x', {}, { kind: 'reply' }, { kind: 'notification', method: 'action', params: null }, []])(
    '%j is passed over',
    async (message) => {
      const { receive, sent, done } = panel();
      await receive(message);
      expect([sent, done]).toEqual([[], []]);
    },
  );

  it('takes only ids of devices out of what VS Code stored', () => {
    expect(checkedDevice('aaaaaaaa-1111-2222-3333-000000000000')).toMatch(/^a/);
    for (const stored of [undefined, '', '<b>', 'a b', 3]) expect(() => checkedDevice(stored)).toThrow();
  });
});
