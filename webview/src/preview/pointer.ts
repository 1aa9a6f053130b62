import type { Actions } from './actions';
import type { Point } from './camera';
import type { Probe } from './probe';

/** Device pixels between press and release that still are a click. */
const CLICK_SLACK = 3;

/** Wheel zooms around the pointer, dragging moves the picture, hovering reads the texel, a click keeps it under the crosshair. */
export function handlePointer(target: HTMLElement, actions: Actions, probe: Probe): void {
  let pressed: Point | null = null;
  let dragged: Point | null = null;

  target.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      actions.zoom(Math.exp(-event.deltaY * lines * 0.0015), devicePoint(target, event));
    },
    { passive: false },
  );

  target.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    pressed = devicePoint(target, event);
    target.setPointerCapture(event.pointerId);
  });

  target.addEventListener('pointermove', (event) => {
    const at = devicePoint(target, event);
    if (pressed && !dragged && distance(pressed, at) > CLICK_SLACK) dragged = pressed;
    target.classList.toggle('dragging', dragged !== null);
    if (dragged) actions.pan(at.x - dragged.x, at.y - dragged.y);
    if (dragged) dragged = at;
    probe.hover(at);
  });

  const end = () => {
    pressed = null;
    dragged = null;
    target.classList.remove('dragging');
  };
  target.addEventListener('pointerup', (event) => {
    if (pressed && !dragged) probe.pick(devicePoint(target, event));
    end();
  });
  target.addEventListener('pointercancel', end);
  target.addEventListener('pointerleave', () => probe.hover(null));
  target.addEventListener('dblclick', actions.fit);
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function devicePoint(target: HTMLElement, event: MouseEvent): Point {
  const box = target.getBoundingClientRect();
  return { x: (event.clientX - box.left) * devicePixelRatio, y: (event.clientY - box.top) * devicePixelRatio };
}
