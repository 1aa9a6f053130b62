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

  it.each([
    ['open', true],
    ['closed', false],
  ] as const)('does what the user wants: %s', (wanted, open) => {
    for (const room of [wide, { width: 300, height: 900 }]) expect(dock(room, wide, wanted).open).toBe(open);
  });
});
