import { describe, expect, it } from 'vitest';
import { dock } from '../../../webview/src/preview/dock';

const wide = { width: 1280, height: 720 };

describe('dock', () => {
  it.each([
    // A panel much wider than the frame has room beside it, a higher one below.
    ['wide', { width: 1400, height: 500 }, wide, { side: 'right', open: true }],
    ['high', { width: 620, height: 900 }, wide, { side: 'bottom', open: true }],
    ['of the shape of the frame', { width: 960, height: 540 }, wide, { side: 'right', open: false }],
    ['narrow', { width: 300, height: 200 }, { width: 100, height: 800 }, { side: 'bottom', open: false }],
    ['wide with a high frame', { width: 900, height: 600 }, { width: 512, height: 1024 }, { side: 'right', open: true }],
  ] as const)('in a panel %s', (_, room, frame, expected) => {
    expect(dock(room, frame, 'auto')).toEqual(expected);
  });

  it('stays as it is when the room changes a little', () => {
    const room = { width: 620, height: 620 };
    const begun = dock(room, wide, 'auto');
    expect(begun).toEqual({ side: 'bottom', open: true });
    // Too little for opening it, enough for leaving it open.
    const less = { width: 620, height: 451 };
    expect([dock(less, wide, 'auto').open, dock(less, wide, 'auto', begun).open]).toEqual([false, true]);
    expect(dock({ width: 620, height: 430 }, wide, 'auto', begun).open).toBe(false);
    const square = { width: 700, height: 620 };
    for (const side of ['right', 'bottom'] as const) expect(dock(square, { width: 1, height: 1 }, 'open', { side, open: true }).side).toBe(side);
    expect(dock({ width: 1600, height: 500 }, wide, 'open', { side: 'bottom', open: true }).side).toBe('right');
  });

  it.each([
    ['open', true],
    ['closed', false],
  ] as const)('does what the user wants: %s', (wanted, open) => {
    for (const room of [wide, { width: 300, height: 900 }]) expect(dock(room, wide, wanted).open).toBe(open);
  });
});
