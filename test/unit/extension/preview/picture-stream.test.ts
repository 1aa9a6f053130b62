import { beforeEach, describe, expect, it } from 'vitest';
import { PictureStream } from '../../../../extension/src/preview/picture-stream';
import type { FrameInfo, SourceDescription } from '../../../../helper/protocol/frames';
import type { PanelView } from '../../../../helper/protocol/webview';

const source: SourceDescription = { id: 'scene', label: '', kind: 'scene', device: '', outputs: [] };
const view = { output: 'color', width: 10, height: 10 } as PanelView;

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
let stream: PictureStream;

/** The engine uses one of its credits. */
function picture(viewId = 1): void {
  engine.credits--;
  stream.deliver({ info: { viewId } as FrameInfo, bytes: new Uint8Array(1) });
}

beforeEach(() => {
  engine = new EngineDouble();
  shown = 0;
  stream = new PictureStream(
    engine,
    () => ({ maxRate: 30, jpegQuality: 70 }),
    () => shown++,
  );
});

describe('PictureStream', () => {
  it('opens with the settings and two credits', async () => {
    await stream.open('scene', view, false);
    expect(engine.asked).toEqual([['view/open', { source: 'scene', view: { ...view, maxRate: 30, jpegQuality: 70, encoding: 'jpeg' } }]]);
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

  it('opens paused', async () => {
    await stream.open('scene', view, true);
    expect(engine.asked[1]).toEqual(['view/update', { viewId: 1, view: { maxRate: 30, jpegQuality: 70 }, paused: true }]);
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
