/** Which part of a frame a canvas shows. Pure arithmetic: canvas positions in device pixels, frame positions in texels. */
import type { Rect } from '../../../helper/protocol/frames';

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** `fit` follows the canvas; otherwise a scale in device pixels a texel and the texel at the canvas' centre. */
export type Camera = { fit: true } | { fit: false; scale: number; center: Point };

/** The camera worked out for one canvas and one frame size. */
export interface Viewport {
  scale: number;
  /** Canvas position of the frame's top left corner. */
  left: number;
  top: number;
}

/** The part of the canvas that shows frame, on whole device pixels, and the texels in it. */
export interface Placement extends Size {
  left: number;
  top: number;
  rect: Rect;
}

const MAX_SCALE = 128;
/** A frame is never smaller than this on the canvas, unless it fits so. */
const MIN_EXTENT = 32;

export function viewport(camera: Camera, frame: Size, canvas: Size): Viewport {
  const scale = camera.fit ? fitScale(frame, canvas) : camera.scale;
  const center = camera.fit ? { x: frame.width / 2, y: frame.height / 2 } : camera.center;
  return { scale, left: canvas.width / 2 - center.x * scale, top: canvas.height / 2 - center.y * scale };
}

export function fitScale(frame: Size, canvas: Size): number {
  return Math.min(canvas.width / frame.width, canvas.height / frame.height);
}

/** Changes the scale by `factor` so that the texel at `anchor` (canvas) stays where it is. */
export function zoomed(camera: Camera, factor: number, anchor: Point, frame: Size, canvas: Size): Camera {
  const before = viewport(camera, frame, canvas);
  const fitting = fitScale(frame, canvas);
  const smallest = Math.min(fitting, MIN_EXTENT / Math.max(frame.width, frame.height));
  const scale = clamp(before.scale * factor, smallest, Math.max(MAX_SCALE, fitting));
  const texel = toTexel(before, anchor);
  const center = { x: texel.x + (canvas.width / 2 - anchor.x) / scale, y: texel.y + (canvas.height / 2 - anchor.y) / scale };
  return held({ fit: false, scale, center }, frame);
}

/** Moves the frame by canvas pixels. */
export function panned(camera: Camera, by: Point, frame: Size, canvas: Size): Camera {
  const { scale } = viewport(camera, frame, canvas);
  const center = camera.fit ? { x: frame.width / 2, y: frame.height / 2 } : camera.center;
  return held({ fit: false, scale, center: { x: center.x - by.x / scale, y: center.y - by.y / scale } }, frame);
}

/** One device pixel a texel, around the texel in the middle of the canvas. */
export function oneToOne(camera: Camera, frame: Size, canvas: Size): Camera {
  const current = viewport(camera, frame, canvas);
  const center = toTexel(current, { x: canvas.width / 2, y: canvas.height / 2 });
  // Texel edges must meet pixel edges, or every pixel mixes two texels.
  return held({ fit: false, scale: 1, center: { x: snap(center.x, canvas.width), y: snap(center.y, canvas.height) } }, frame);
}

export function toTexel(view: Viewport, at: Point): Point {
  return { x: (at.x - view.left) / view.scale, y: (at.y - view.top) / view.scale };
}

/** Null: no part of the frame is on the canvas. */
export function placement(view: Viewport, frame: Size, canvas: Size): Placement | null {
  const left = Math.max(0, Math.floor(view.left + 1e-6));
  const top = Math.max(0, Math.floor(view.top + 1e-6));
  const right = Math.min(canvas.width, Math.ceil(view.left + frame.width * view.scale - 1e-6));
  const bottom = Math.min(canvas.height, Math.ceil(view.top + frame.height * view.scale - 1e-6));
  const [width, height] = [right - left, bottom - top];
  if (width <= 0 || height <= 0) return null;
  const corner = toTexel(view, { x: left, y: top });
  return { left, top, width, height, rect: { ...corner, width: width / view.scale, height: height / view.scale } };
}

/** Where on the canvas the texels of `rect` lie now. */
export function onCanvas(view: Viewport, rect: Rect): Rect {
  return {
    x: view.left + rect.x * view.scale,
    y: view.top + rect.y * view.scale,
    width: rect.width * view.scale,
    height: rect.height * view.scale,
  };
}

/** Every texel that `rect` touches, at most `most` a side. */
export function wholeTexels({ x, y, width, height }: Rect, most = Number.POSITIVE_INFINITY): Rect {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const right = Math.ceil(x + width - 1e-6);
  const bottom = Math.ceil(y + height - 1e-6);
  return { x: left, y: top, width: Math.min(right - left, most), height: Math.min(bottom - top, most) };
}

/** Keeps the centre of the canvas on the frame, so that it cannot be lost. */
function held(camera: Extract<Camera, { fit: false }>, frame: Size): Camera {
  const { x, y } = camera.center;
  return { ...camera, center: { x: clamp(x, 0, frame.width), y: clamp(y, 0, frame.height) } };
}

function snap(center: number, canvasExtent: number): number {
  return canvasExtent % 2 === 0 ? Math.round(center) : Math.floor(center) + 0.5;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
