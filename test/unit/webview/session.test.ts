import { beforeEach, describe, expect, it } from 'vitest';
import type { FrameInfo, OutputDescription, SourceDescription } from '../../../helper/protocol/frames';
import { ownRange, recoloured } from '../../../webview/src/preview/difference-look';
import type { Host } from '../../../webview/src/preview/link';
import { NO_COMPARISON, Session } from '../../../webview/src/preview/session';
import { initialState, type PanelState } from '../../../webview/src/preview/state';

const color: OutputDescription = { name: 'color', kind: 'color', width: 640, height: 480, channels: 3, dtype: 'u8', colorSpace: 'srgb' };
const depth: OutputDescription = { ...color, name: 'depth', kind: 'depth', channels: 1, dtype: 'f32', colorSpace: 'data' };
const program: SourceDescription = { id: 'p1', label: 'render', kind: 'publisher', state: 'live', device: '', outputs: [color, depth] };

type Sent = { method: string; params: Record<string, unknown> };

/** Answers `open` when it is told to. */
class HostDouble {
  sent: Sent[] = [];
  answers: ((result: unknown) => void)[] = [];

  request(method: string, params: Record<string, unknown>): Promise<unknown> {
    this.sent.push({ method, params });
    return new Promise((resolve) => this.answers.push(resolve));
  }

  notify(method: string, params: Record<string, unknown>): void {
    this.sent.push({ method, params });
  }
}

let host: HostDouble;
let state: PanelState;
let session: Session;

async function opened(): Promise<void> {
  const open = session.open();
  host.answers.shift()!({ source: session.source });
  await open;
}

const frame = (more: Partial<FrameInfo>) => ({ output: 'color', frameWidth: 640, frameHeight: 480, ...more }) as FrameInfo;
const turn = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  host = new HostDouble();
  state = initialState(null);
  session = new Session(host as unknown as Host, state, () => ({ width: 320, height: 240 }));
  session.sources = [program];
});

describe('Session', () => {
  it('remembers what it opened, under id and name', async () => {
    await opened();
    expect(state).toMatchObject({ source: 'p1', sourceLabel: 'render', chosen: false });
    expect(session.isOpen).toBe(true);
  });

  it('asks for the first output of files that nobody has opened yet', async () => {
    Object.assign(state, { source: 'files:/frames', sourceLabel: 'frames', chosen: true });
    await opened();
    expect(host.sent[0]?.params).toMatchObject({ source: 'files:/frames', view: { output: '*' } });
  });

  it('tells the engine once for all changes of a turn', async () => {
    await opened();
    host.sent = [];
    for (const exposure of [1, 2, 3]) {
      Object.assign(session.look, { exposure });
      session.scheduleUpdate();
    }
    await turn();
    expect(host.sent.map(({ method, params }) => [method, (params.view as { exposure: number }).exposure])).toEqual([['update', 3]]);
  });

  it('asks for the part of the frame that is visible, at the size of the canvas', async () => {
    state.camera = { fit: false, scale: 1, center: { x: 320, y: 240 } };
    await opened();
    expect(host.sent[0]?.params.view).toMatchObject({ width: 320, height: 240, rect: { x: 160, y: 120, width: 320, height: 240 } });
  });

  it('keeps a look for each output', async () => {
    await opened();
    Object.assign(session.look, { exposure: 2 });
    state.output = 'depth';
    expect(session.look).toMatchObject({ exposure: 0, falseColor: 'turbo' });
    state.output = 'color';
    expect(session.look.exposure).toBe(2);
  });

  it('follows a frame whose size or format changed', async () => {
    await opened();
    expect(session.noteFrame(frame({}))).toBe(false);
    expect(session.noteFrame(frame({ frameWidth: 100, frameHeight: 50 }))).toBe(true);
    expect(session.frameSize).toMatchObject({ width: 100, height: 50 });
    const format = { kind: 'hdr', dtype: 'f16', channels: 4, colorSpace: 'linear', batches: 1 } as const;
    expect(session.noteFrame(frame({ frameWidth: 100, frameHeight: 50, format }))).toBe(true);
    expect(session.output).toMatchObject(format);
    // Another output's picture that was still under way says nothing about this one.
    expect(session.noteFrame(frame({ output: 'depth', frameWidth: 1, frameHeight: 1 }))).toBe(false);
  });

  it('takes an output for live as soon as a picture of it comes', async () => {
    session.sources = [{ ...program, outputs: [{ ...color, state: 'waiting' }] }];
    await opened();
    session.noteFrame(frame({}));
    expect(session.output?.state).toBe('live');
  });

  it('misses a chosen source that is not there, and keeps the size of its last frame', async () => {
    await opened();
    state.chosen = true;
    session.noteFrame(frame({ frameWidth: 320, frameHeight: 200 }));
    session.sources = [];
    expect(session.missing).toEqual({ id: 'p1', label: 'render', output: '' });
    expect(session.frameSize).toEqual({ width: 320, height: 200 });
  });

  it('is not open when another source was chosen before the answer came', async () => {
    const other = { ...program, id: 'p2', label: 'other' };
    session.sources = [program, other];
    const open = session.open();
    Object.assign(state, { source: 'p2', sourceLabel: 'other', chosen: true });
    host.answers.shift()!({ source: program });
    await open;
    expect([session.isOpen, session.isOpening]).toEqual([false, false]);
  });

  it('lets a difference have its own extremes', async () => {
    state.output = 'depth';
    await opened();
    session.look.range = [2, 8];
    const part = { rect: { x: 0, y: 0, width: 1, height: 1 }, width: 1, height: 1 };
    expect(session.viewOf(part).range).toEqual([2, 8]);
    session.wishes.compare.mode = 'difference';
    expect(session.viewOf(part).range).toBeNull();
  });

  it('forgets references and kept frames with the view', async () => {
    await opened();
    Object.assign(session.wishes.compare, { mode: 'swipe', reference: 7 });
    session.wishes.history = 12;
    session.closed();
    expect(session.viewOf({ rect: { x: 0, y: 0, width: 1, height: 1 }, width: 1, height: 1 })).toMatchObject({
      compare: { mode: 'off', reference: 0 },
      history: null,
      wantMetrics: false,
    });
  });

  it('looks at a difference with colours and a scale of its own', async () => {
    await opened();
    session.changeLook({ exposure: 3, flipY: true });
    session.wishes.compare = { mode: 'difference', reference: 1, split: 0.5 };
    const rect = { x: 0, y: 0, width: 640, height: 480 };
    const view = () => session.viewOf({ rect, width: 320, height: 240 });
    expect(view()).toMatchObject({ exposure: 0, range: null, falseColor: 'none', flipY: true, compare: { signed: false } });
    session.changeLook({ exposure: 1, range: [0, 8], flipY: false });
    expect(view()).toMatchObject({ exposure: 1, range: [0, 8], flipY: false });
    session.changeLook(recoloured(session.look, 'diverging'));
    expect(view()).toMatchObject({ falseColor: 'diverging', range: [-8, 8], compare: { signed: true } });
    expect(session.viewOf({ rect, width: 1, height: 1 }, NO_COMPARISON)).toMatchObject({ exposure: 3, falseColor: 'none' });
    session.wishes.compare = { ...NO_COMPARISON };
    expect(view()).toMatchObject({ exposure: 3, range: null, flipY: false, compare: { signed: false } });
  });

  it.each([
    ['color', ['none', 'tensor', 3]],
    ['depth', ['gray', 'tensor', 1]],
    ['ids', ['bool', 'tensor', 1]],
  ] as const)('takes the difference of %s as data', (name, expected) => {
    const ids: OutputDescription = { ...depth, name: 'ids', kind: 'id', dtype: 'u32' };
    session.sources = [{ ...program, outputs: [{ ...color, channels: 4 }, depth, ids] }];
    state.output = name;
    session.wishes.compare = { mode: 'difference', reference: 1, split: 0.5 };
    expect([session.look.falseColor, session.drawn?.kind, session.drawn?.channels]).toEqual(expected);
  });

  it.each([
    ['diverging', [-4, 4]],
    ['motion', [-4, 4]],
    ['turbo', [-4, 1]],
  ] as const)('spans with %s what the engine would take for want of a range', (falseColor, expected) => {
    expect(ownRange({ falseColor }, [-4, 1])).toEqual(expected);
  });
});
