import type { Actions } from './actions';
import type { Point } from './camera';

/** Wheel zooms around the pointer, dragging moves the picture, hovering reads the pixel. */
export function handlePointer(target: HTMLElement, actions: Actions): void {
  let dragFrom: Point | null = null;

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
    dragFrom = devicePoint(target, event);
    target.setPointerCapture(event.pointerId);
    target.classList.add('dragging');
  });

  target.addEventListener('pointermove', (event) => {
    const at = devicePoint(target, event);
    if (dragFrom) actions.pan(at.x - dragFrom.x, at.y - dragFrom.y);
    if (dragFrom) dragFrom = at;
    actions.probe(at);
  });

  const end = () => {
    dragFrom = null;
    target.classList.remove('dragging');
  };
  target.addEventListener('pointerup', end);
  target.addEventListener('pointercancel', end);
  target.addEventListener('pointerleave', () => actions.probe(null));
  target.addEventListener('dblclick', actions.fit);
}

function devicePoint(target: HTMLElement, event: MouseEvent): Point {
  const box = target.getBoundingClientRect();
  return { x: (event.clientX - box.left) * devicePixelRatio, y: (event.clientY - box.top) * devicePixelRatio };
}
