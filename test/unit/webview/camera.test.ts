import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Camera,
  fitScale,
  onCanvas,
  oneToOne,
  panned,
  placement,
  type Size,
  toTexel,
  viewport,
  zoomed,
} from '../../../webview/src/preview/camera';

const frame = { width: 1280, height: 720 };
const fit: Camera = { fit: true };

const sizes = fc.record({ width: fc.integer({ min: 1, max: 4000 }), height: fc.integer({ min: 1, max: 4000 }) });
const points = fc.record({ x: fc.double({ min: 0, max: 1, noNaN: true }), y: fc.double({ min: 0, max: 1, noNaN: true }) });
const cameras = fc.oneof(
  fc.constant<Camera>(fit),
  fc.record({ fit: fc.constant(false as const), scale: fc.double({ min: 0.01, max: 64, noNaN: true }), center: points }),
);
/** A camera whose centre lies on the frame. */
const on = (camera: Camera, { width, height }: Size): Camera =>
  camera.fit ? camera : { ...camera, center: { x: camera.center.x * width, y: camera.center.y * height } };

describe('placement', () => {
  it.each([
    { name: 'a wide frame in a square canvas', canvas: { width: 640, height: 640 }, expected: { left: 0, top: 140, width: 640, height: 360 } },
    { name: 'a frame that fits exactly', canvas: frame, expected: { left: 0, top: 0, ...frame } },
    { name: 'a small frame, enlarged', canvas: { width: 2560, height: 1440 }, expected: { left: 0, top: 0, width: 2560, height: 1440 } },
  ])('fits $name', ({ canvas, expected }) => {
    const { rect, ...placed } = placement(viewport(fit, frame, canvas), frame, canvas)!;
    expect(placed).toEqual(expected);
    expect(rect.x).toBeCloseTo(0);
    expect(rect.width).toBeCloseTo(frame.width);
  });

  it('asks only for texels that are on the canvas', () => {
    const canvas = { width: 200, height: 100 };
    const camera: Camera = { fit: false, scale: 4, center: { x: 100, y: 50 } };
    expect(placement(viewport(camera, frame, canvas), frame, canvas)).toEqual({
      left: 0,
      top: 0,
      width: 200,
      height: 100,
      rect: { x: 75, y: 37.5, width: 50, height: 25 },
    });
  });

  it('is null without a canvas', () => {
    const canvas = { width: 0, height: 0 };
    expect(placement(viewport(fit, frame, canvas), frame, canvas)).toBeNull();
  });

  it('stays within the canvas, on whole pixels, and maps back to itself', () => {
    fc.assert(
      fc.property(sizes, sizes, cameras, (canvas, size, camera) => {
        const view = viewport(on(camera, size), size, canvas);
        const placed = placement(view, size, canvas);
        if (!placed) return;
        expect([placed.left, placed.top, placed.width, placed.height].every(Number.isInteger)).toBe(true);
        expect(placed.left + placed.width).toBeLessThanOrEqual(canvas.width);
        expect(placed.top + placed.height).toBeLessThanOrEqual(canvas.height);
        const back = onCanvas(view, placed.rect);
        expect(back.x).toBeCloseTo(placed.left, 3);
        expect(back.width).toBeCloseTo(placed.width, 3);
      }),
    );
  });
});

describe('zoomed', () => {
  it('keeps the texel under the pointer', () => {
    fc.assert(
      fc.property(points, fc.double({ min: 1.01, max: 4, noNaN: true }), (at, factor) => {
        const canvas = { width: 800, height: 450 };
        const anchor = { x: at.x * canvas.width, y: at.y * canvas.height };
        const before = toTexel(viewport(fit, frame, canvas), anchor);
        const after = toTexel(viewport(zoomed(fit, factor, anchor, frame, canvas), frame, canvas), anchor);
        expect(after.x).toBeCloseTo(before.x, 6);
        expect(after.y).toBeCloseTo(before.y, 6);
      }),
    );
  });

  it.each([
    [1e9, 128],
    [1e-9, 32 / 1280],
  ])('by %d stops at a scale of %d', (factor, limit) => {
    const canvas = { width: 800, height: 450 };
    expect(viewport(zoomed(fit, factor, { x: 400, y: 225 }, frame, canvas), frame, canvas).scale).toBeCloseTo(limit);
  });
});

describe('oneToOne', () => {
  it.each([
    { width: 800, height: 450 },
    { width: 801, height: 451 },
  ])('puts texels on pixels of a canvas of $width x $height', (canvas) => {
    const view = viewport(oneToOne(fit, frame, canvas), frame, canvas);
    expect(view.scale).toBe(1);
    expect(Number.isInteger(view.left)).toBe(true);
    expect(Number.isInteger(view.top)).toBe(true);
  });
});

describe('panned', () => {
  it('moves the frame by canvas pixels', () => {
    const canvas = { width: 800, height: 450 };
    const before = viewport(fit, frame, canvas);
    const after = viewport(panned(fit, { x: 10, y: -5 }, frame, canvas), frame, canvas);
    expect([after.left - before.left, after.top - before.top]).toEqual([10, -5]);
  });

  it('never loses the frame', () => {
    const canvas = { width: 800, height: 450 };
    const camera = panned(fit, { x: 1e6, y: 1e6 }, frame, canvas);
    expect(placement(viewport(camera, frame, canvas), frame, canvas)).not.toBeNull();
    expect(fitScale(frame, canvas)).toBe(0.625);
  });
});
