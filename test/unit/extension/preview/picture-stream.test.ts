import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PictureStream } from '../../../../extension/src/preview/picture-stream';
import type { FrameInfo, SourceDescription } from '../../../../helper/protocol/frames';
import type { PanelView } from '../../../../helper/protocol/webview';

const source: SourceDescription = { id: 'scene', label: '', kind: 'scene', device: '', outputs: [] };
const view = { output: 'color', width: 960, height: 540, rect: { x: 0, y: 0, width: 1280, height: 720 } } as PanelView;
const size = { width: 960, height: 540 };
const rect = { x: 0, y: 0, ...size };

/** Answers like the engine and keeps what it was asked. */
class EngineDouble {
  state = 'running';
  asked: [method: string, params: Record<string, unknown>][] = [];
  credits = 0;
  #lastView = 0;

  async request(method: string, params: object): Promise<never> {
    this.asked.push([method, params as Record<string, unknown>]);
    return (method === 'view/open' ? { viewId: ++this.#lastView, source } : null) as never;
  }

  grant(_viewId: number, credits: number): void {
    this.credits += credits;
  }

  methods(): string[] {
    return this.asked.map(([method]) => method);
  }
}

let engine: EngineDouble;
let shown: number;
let recorded: number;
let stream: PictureStream;

/** The engine uses one of its credits. */
function picture(viewId = 1, recording?: boolean): void {
  engine.credits--;
  const info = { viewId, ...(recording !== undefined && { recording: { running: recording, written: 3 } }) } as FrameInfo;
  stream.deliver({ info, bytes: new Uint8Array(1) });
}

beforeEach(() => {
  engine = new EngineDouble();
  shown = 0;
  recorded = 0;
  stream = new PictureStream(
    engine,
    () => ({ maxRate: 30, jpegQuality: 70, encoding: 'jpeg' }),
    () => shown++,
    { onRecorded: () => recorded++ },
  );
});

describe('PictureStream', () => {
  it('opens with the settings and two credits', async () => {
    await stream.open('scene', view, false);
    expect(engine.asked).toEqual([['view/open', { source: 'scene', size, view: { ...view, rect, maxRate: 30, jpegQuality: 70, encoding: 'jpeg' } }]]);
    expect(engine.credits).toBe(2);
  });

  it('gives a credit back for each picture drawn, never more than two', async () => {
    await stream.open('scene', view, false);
    picture();
    expect([shown, engine.credits]).toEqual([1, 1]);
    stream.drawn(1);
    expect(engine.credits).toBe(2);
    stream.drawn(50);
    expect(engine.credits).toBe(2);
  });

  it('ignores pictures of other views', async () => {
    await stream.open('scene', view, false);
    picture(9);
    expect(shown).toBe(0);
  });

  it('replaces the credits of pictures that died with a hidden document', async () => {
    await stream.open('scene', view, false);
    picture();
    picture();
    await stream.open('scene', view, false);
    expect(engine.credits).toBe(2);
    expect(engine.methods()).toEqual(['view/open', 'view/update']);
  });

  it('pauses while hidden and goes on as the user left it', async () => {
    await stream.open('scene', view, false);
    stream.setHidden(true);
    stream.setHidden(true);
    stream.setHidden(false);
    stream.update({}, true);
    stream.setHidden(true);
    stream.setHidden(false);
    const paused = engine.asked.slice(1).map(([, params]) => params.paused);
    expect(paused).toEqual([true, false, true, true, true]);
  });

  it('goes on recording while it is hidden, with small pictures that nobody draws', async () => {
    await stream.open('scene', view, false);
    await stream.ask('view/record', { folder: '/tmp', format: 'png', frames: 9 });
    picture(1, true);
    stream.setHidden(true);
    expect(engine.asked.at(-1)).toMatchObject(['view/update', { paused: false, view: { width: 16, height: 16 } }]);
    expect(engine.credits).toBe(2);
    picture(1, true);
    expect([shown, engine.credits]).toEqual([1, 2]);
    stream.setHidden(false);
    expect(engine.asked.at(-1)).toMatchObject(['view/update', { paused: false, view: { width: 960, height: 540 } }]);
    picture(1, true);
    expect([shown, recorded]).toEqual([2, 0]);
  });

  it('ends a recording with what it has when it is closed, and tells it', async () => {
    await stream.open('scene', view, false);
    await stream.ask('view/record', { folder: '/tmp', format: 'png', frames: 9 });
    picture(1, true);
    await stream.close();
    expect(engine.methods().slice(-2)).toEqual(['view/recordStop', 'view/close']);
    expect(recorded).toBe(1);
  });

  it('closes at once when nothing is recorded', async () => {
    await stream.open('scene', view, false);
    await stream.close();
    expect(engine.methods()).toEqual(['view/open', 'view/close']);
    expect(recorded).toBe(0);
  });

  it('records on when it was hidden before the first recorded frame', async () => {
    await stream.open('scene', view, false);
    stream.setHidden(true);
    await stream.ask('view/record', { folder: '/tmp', format: 'png', frames: 9 });
    await Promise.resolve();
    expect(engine.asked.at(-1)).toMatchObject(['view/update', { paused: false }]);
  });

  it('pauses for a hidden panel once its recording has ended, and tells so', async () => {
    await stream.open('scene', view, false);
    picture(1, true);
    stream.setHidden(true);
    picture(1, false);
    expect(engine.asked.at(-1)).toMatchObject(['view/update', { paused: true }]);
    picture(1, false);
    expect(recorded).toBe(1);
  });

  it('says nothing about a recording that its user has stopped', async () => {
    await stream.open('scene', view, false);
    picture(1, true);
    await stream.ask('view/recordStop', {});
    picture(1, true);
    picture(1);
    expect(recorded).toBe(0);
  });

  it('opens paused', async () => {
    await stream.open('scene', view, true);
    expect(engine.asked[1]).toEqual(['view/update', { viewId: 1, view: { maxRate: 30, jpegQuality: 70, encoding: 'jpeg' }, paused: true }]);
  });

  it('starts anew after its engine is gone', async () => {
    await stream.open('scene', view, false);
    stream.forget();
    picture(1);
    expect(shown).toBe(0);
    engine.credits = 0;
    await stream.open('scene', view, false);
    expect([stream.viewId, engine.credits]).toEqual([2, 2]);
  });

  it('closes its view, and none of an engine that does not run', async () => {
    await stream.open('scene', view, false);
    await stream.close();
    expect(engine.methods()).toEqual(['view/open', 'view/close']);
    await stream.open('scene', view, false);
    engine.state = 'restarting';
    await stream.close();
    expect(engine.methods()).toEqual(['view/open', 'view/close', 'view/open']);
  });

  it('answers nothing before it is open, and asks about its view afterwards', async () => {
    await expect(stream.ask('view/pixel', { x: 1, y: 1 })).rejects.toThrow('No picture is shown.');
    await stream.open('scene', view, false);
    await stream.ask('view/pixel', { x: 1, y: 2 });
    expect(engine.asked.at(-1)).toEqual(['view/pixel', { viewId: 1, x: 1, y: 2 }]);
  });

  it('leaves no view behind when it is opened twice at once', async () => {
    await Promise.all([stream.open('scene', view, false), stream.open('other', view, false)]);
    expect(engine.methods()).toEqual(['view/open', 'view/close', 'view/open']);
    expect(stream.viewId).toBe(2);
  });
});

describe('the size of the scene', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const sizes = () => engine.asked.flatMap(([method, params]) => (method === 'view/open' ? [params.size] : []));
  const resize = async (width: number, height: number, shown: Partial<PanelView> = {}) => {
    stream.update({ width, height, ...shown });
    await vi.advanceTimersByTimeAsync(1000);
  };

  it.each([
    ['as shown', [922, 519], [922, 520]],
    ['not less than is worth looking at', [320, 180], [640, 360]],
    ['not more than 1920x1080', [3840, 2160], [1920, 1080]],
    ['in the shape of what is shown', [400, 800], [540, 1080]],
  ])('is that of the panel: %s', async (_name, [width, height], [wide, high]) => {
    await stream.open('scene', { ...view, width: width!, height: height! }, false);
    expect(sizes()).toEqual([{ width: wide, height: high }]);
  });

  it('is not asked of other sources', async () => {
    await stream.open('publisher', view, false);
    expect(sizes()).toEqual([undefined]);
  });

  it('follows the panel once its size stays, with fresh credits', async () => {
    await stream.open('scene', view, false);
    for (const width of [1000, 1200, 1400, 1600]) stream.update({ width, height: (width / 16) * 9 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(sizes()).toEqual([size, { width: 1600, height: 900 }]);
    expect(engine.methods().filter((method) => method === 'view/close')).toHaveLength(1);
    expect(stream.viewId).toBe(2);
    expect(engine.credits).toBe(4);
  });

  it('stays where frames would be lost, where part of it is shown, and where little would change', async () => {
    await stream.open('scene', view, false);
    await resize(1100, 620);
    await resize(1900, 1060, { rect: { x: 100, y: 0, width: 400, height: 225 } });
    await stream.ask('view/pin', {});
    await resize(1900, 1060, { rect });
    expect(sizes()).toEqual([size]);
    stream.forget();
    await stream.open('scene', view, true);
    await resize(1900, 1060);
    expect(sizes()).toEqual([size, size]);
  });

  it('is shared with the map', async () => {
    const map = new PictureStream(
      engine,
      () => ({ maxRate: 4, jpegQuality: 70, encoding: 'jpeg' }),
      () => {},
      { leader: stream },
    );
    await stream.open('scene', view, false);
    await map.open('scene', { ...view, width: 160, height: 90 }, false);
    expect(sizes()).toEqual([size, size]);
  });
});
